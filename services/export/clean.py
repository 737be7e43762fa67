"""Text of documents and models, fit to be written into any format."""

import re
import unicodedata
from textwrap import shorten

# What XML 1.0 forbids, the C1 controls, and marks that reorder what stands around them.
_UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane + end) for plane in range(0, 0x110000, 0x10000) for end in (0xFFFE, 0xFFFF))
    + "]"
)


_NOT_IN_NAMES = re.compile(r"[^\w .,()§-]+")
LONGEST_NAME = 80


def file_stem(title: str) -> str:
    """A name for a file: the words of a title, with letters of any language and nothing else.

    What systems of files or addresses read as their own becomes a blank.
    """
    words = _NOT_IN_NAMES.sub(" ", unicodedata.normalize("NFC", one_line(title))).strip()
    whole = shorten(
        words, LONGEST_NAME, placeholder="", break_long_words=False, break_on_hyphens=False
    )
    return (whole or words[:LONGEST_NAME]).strip(" .,-") or "Rabbithole"


def one_line(text: str) -> str:
    """Text without line breaks, runs of blanks and characters that no file may hold."""
    return " ".join(_UNFIT.sub(" ", text).split())
