"""Links: web addresses, Markdown and reStructuredText links, and reStructuredText roles."""

import re
from typing import Final

_PAIRS: Final = {")": "(", "]": "[", "}": "{"}
_TRAILING: Final = ".,;:!?'\"*_`“”’»"

URL: Final = r"(?<![\w@])https?://[^\s<>\"`{}|\\^“”„»]+"
ROLE: Final = r":(?P<role>pep|rfc):`(?P<content>[^`]{1,300})`"
MARKDOWN_LINK: Final = (
    r"(?<!!)\[[^\[\]]{1,200}\]"
    r"\((?P<markdown_url>https?://[^\s()<>]{1,2000}+(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200}+){0,3})\)"
)
RST_LINK: Final = r"`[^`<>]{0,200}<(?P<rst_url>https?://[^<>`\s]++(?:\s++[^<>`\s]++){0,3})>`__?"
RST_TARGET: Final = r"`[^`<>]{0,200}<[^<>`]{1,200}_>`__?|(?m:^\.\. _[^:\n]{1,200}:)"
"""A link inside the document, or the anchor of one: their names cite nothing."""

_ROLE_TARGET = re.compile(
    r"(?:.*<)?\s*0*(?P<number>\d{1,5})(?:#(?P<anchor>[^>\s]+))?\s*>?", re.DOTALL
)
_RFC_SECTION = re.compile(r"(?:section|appendix)-([\w.]+)", re.IGNORECASE)


def trim_url(url: str) -> str:
    """Cut off punctuation that belongs to the sentence, and brackets that were opened before."""
    unclosed = {closer: url.count(closer) - url.count(opener) for closer, opener in _PAIRS.items()}
    end = len(url)
    while end and (url[end - 1] in _TRAILING or unclosed.get(url[end - 1], 0) > 0):
        end -= 1
        if url[end] in unclosed:
            unclosed[url[end]] -= 1
    return url[:end]


def role_target(role: str, content: str) -> tuple[str, str | None, str | None] | None:
    """Read ``484`` or ``title <484#anchor>``.

    Returns:
        The document (``PEP 484``), the section label where the anchor names one, and the anchor
        otherwise (``#callback-protocols``); None if there is no number.
    """
    match = _ROLE_TARGET.fullmatch(content)
    if match is None:
        return None
    document = f"{role.upper()} {match['number']}"
    anchor = match["anchor"]
    if anchor and (section := _RFC_SECTION.fullmatch(anchor)) and role == "rfc":
        return document, section[1], None
    return document, None, f"#{anchor}" if anchor else None
