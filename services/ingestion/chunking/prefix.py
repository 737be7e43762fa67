"""The headings above a chunk, as the embedder reads them before its text."""

from collections.abc import Sequence
from typing import Final

_LONGEST_PREFIX: Final = 320
"""Characters of a heading prefix: about 80 tokens of the embedder's 512."""
_LONGEST_NAME: Final = 140
_JOINER: Final = " › "


def heading_prefix(heading_path: Sequence[str], title: str) -> str:
    """What the embedder reads before a chunk: the document's title and the headings above.

    At most `_LONGEST_PREFIX` characters and a newline: the title and the innermost heading
    stay, outer headings give way first. Empty if there is neither title nor heading.
    """
    inner = [_shorten(name) for name in heading_path[-1:]]
    named = [_shorten(title)] if title else []
    left = _LONGEST_PREFIX - sum(len(name) + len(_JOINER) for name in [*named, *inner])
    outer: list[str] = []
    for name in reversed(heading_path[:-1]):
        left -= len(_shorten(name)) + len(_JOINER)
        if left < 0:
            break
        outer.insert(0, _shorten(name))
    names = [*named, *outer, *inner]
    return _JOINER.join(names) + "\n" if names else ""


def _shorten(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1].rstrip() + "…"
