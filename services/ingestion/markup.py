"""What Markdown files hold for programs alone: template tags, comments and front matter.

Kept light for the worker, and linear in the length of a text: no tag holds another one's opening.
"""

import re
from typing import Final

_FENCED: Final = (
    r"^[ \t]*+(?P<fence>`{3,}|~{3,})[^\n]*+(?:.*?)(?:^[ \t]*+(?P=fence)[`~]*[ \t]*$|\Z)"
)
_CODE: Final = r"(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`)"
_TAG: Final = (
    r"(?:<!--(?:(?!<!--).)*?-->"
    r"|\{%(?:(?!\{%).)*?%\}"
    r"|\{\{(?:(?!\{\{|\n[ \t]*\n).)*?\}\})"
)
_MARKUP: Final = re.compile(
    rf"(?P<code>{_FENCED}|{_CODE})"
    rf"|^[ \t]*+(?:{_TAG}[ \t]*+)+(?:\n|\Z)"
    rf"|(?<![ \t])[ \t]*+{_TAG}(?=[\s.,;:!?)]|\Z)"
    rf"|{_TAG}",
    re.MULTILINE | re.DOTALL,
)


def without_tags(text: str) -> str:
    """Markdown without HTML comments and tags of templates (``{{ … }}``, ``{% … %}``).

    Code keeps them: there they are what a reader is shown.
    """
    return _MARKUP.sub(lambda found: found["code"] or "", text)
