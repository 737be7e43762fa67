"""Text of documents and models in places where Streamlit reads Markdown.

Whole sentences and quotes are shown with ``st.text``, which reads no Markdown at all. Labels,
headings and captions do read it, links and images included: what goes there passes here.
"""

import re

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&\"'=^@/])")
_TRIGGER = re.compile(r"(?i)(https?:/|www(?=\.)|(?<=\w)@|:(?=[a-z0-9_/+-]+:))")
_STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
WORD_JOINER = "\u2060"


def plain(text: str, limit: int | None = None) -> str:
    """Text that Markdown shows letter by letter: no link, image, HTML, colour or icon.

    Addresses and icon names get an invisible word joiner: they are replaced after parsing,
    when escapes are gone.

    Args:
        text: anything.
        limit: longest result in characters of the text, cut with an ellipsis.
    """
    line = one_line(text)
    if limit is not None and len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return _SPECIAL.sub(r"\\\1", _TRIGGER.sub(lambda m: m[0] + WORD_JOINER, line))


def one_line(text: str) -> str:
    """Text without line breaks and runs of blanks."""
    return " ".join(text.split())


def steering_nothing(text: str) -> str:
    """Text of several lines for a terminal, or JSON: what would steer it is an escape in JSON."""
    return _STEERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def in_terminal(text: str, limit: int | None = None) -> str:
    """Foreign text for a terminal: one line, with what would steer it written as an escape.

    Args:
        text: anything.
        limit: longest result in characters of the text, cut with an ellipsis.
    """
    line = one_line(text)
    if limit is not None and len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
