"""Files made of templates, in which every value is escaped for the format of the file."""

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "templates"
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~$&#]|!(?=\[|$))")
_LINK = re.compile(r"(?i)(https?|ftp)(?=://)|\bwww(?=\.)")
_BLOCK = re.compile(r"^([-+=]|\d+(?=[.)](?:\s|$)))")


def render(template: str, **values: Any) -> str:
    """The text that a template makes of values, by the rules of the ending of its name."""
    environment = _environment(markdown=template.endswith(".md"))
    return environment.get_template(template).render(values).strip()


def plain_markdown(text: str) -> str:
    """Text that Markdown shows letter by letter: no markup, no HTML, no link."""
    escaped = _SPECIAL.sub(r"\\\1", text)
    escaped = _LINK.sub(lambda match: f"{match[0]}\\", escaped)
    return _BLOCK.sub(_escaped_start, escaped)


def _escaped_start(match: re.Match[str]) -> str:
    """``- x``, ``1. x`` and the like would begin a list: what begins it is escaped."""
    start = match[0]
    return f"{start}\\" if start[0].isdigit() else f"\\{start}"


@cache
def _environment(*, markdown: bool) -> Any:
    """Escapes as HTML and XML want it, or as Markdown does; nothing that is missing is skipped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def escaped(value: object) -> object:
        return value if hasattr(value, "__html__") else Markup(plain_markdown(str(value)))

    return Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        finalize=escaped if markdown else None,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.do"],
        trim_blocks=True,
        lstrip_blocks=True,
    )
