"""Text of documents and models, fit to be written into any format."""

import re

# What XML 1.0 forbids, the C1 controls, and marks that reorder what stands around them.
_UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane + end) for plane in range(0, 0x110000, 0x10000) for end in (0xFFFE, 0xFFFF))
    + "]"
)


def one_line(text: str) -> str:
    """Text without line breaks, runs of blanks and characters that no file may hold."""
    return " ".join(_UNFIT.sub(" ", text).split())
