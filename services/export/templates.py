"""Files made of templates, in which every value is escaped for the format of the file."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from services.domain.markdown import plain_markdown

FOLDER: Final = Path(__file__).parent / "templates"


def render(template: str, **values: Any) -> str:
    """The text that a template makes of values, by the rules of the ending of its name."""
    environment = _environment(markdown=template.endswith(".md"))
    return environment.get_template(template).render(values).strip()


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
