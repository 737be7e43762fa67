"""Addresses in a text, as programs that show texts make links of them."""

import re
from typing import Final

_ADDRESS: Final = re.compile(
    r"\b(?:\w+://|www\.)[^\s\"'<>()\[\]]+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.IGNORECASE
)


def addresses(text: str) -> set[str]:
    """Addresses of the web and of mail; a name with dots alone is none: ``collections.abc``."""
    return {found.rstrip(".,;:!?") for found in _ADDRESS.findall(text)}
