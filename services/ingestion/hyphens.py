"""Words that were broken at the end of a line."""

import re
from collections.abc import Iterable
from typing import Final

_LAST_WORD = re.compile(r"([^\W_]+)-$")
_WORD = re.compile(r"[^\W_]+")
_COMPOUND = re.compile(r"[^\W_]+-[^\W_]+")
_CONJUNCTIONS: Final = frozenset(
    {"und", "oder", "bzw", "beziehungsweise", "respektive", "sowie", "bis", "noch"}
    | {"and", "or", "nor", "versus", "vs"}
)


class Hyphens:
    """Decides by the words within the lines of a document what a hyphen at a line end means."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: set[str] = set()
        self._compounds: set[str] = set()
        broken = False
        for line in lines:
            words = _WORD.findall(line)[broken:]
            broken = line.endswith("-")
            self._words.update(words[:-1] if broken else words)
            self._compounds.update(_COMPOUND.findall(line))

    def join(self, above: str, below: str) -> tuple[bool, str]:
        """How to join two lines of a paragraph.

        Suspended hyphens stay ("Umwelt- und"), and so do those of compounds ("UV-Strahlung",
        or "large-scale" if the document knows both words); only a broken word is put together.

        Returns:
            Whether the hyphen above goes, and what stands between the lines.
        """
        last, first = _LAST_WORD.search(above), _WORD.match(below)
        if last is None or first is None or first[0].casefold() in _CONJUNCTIONS:
            return False, " "
        return self._is_broken(last[1], first[0]), ""

    def _is_broken(self, last: str, first: str) -> bool:
        if not first[0].islower() or last[-1].isdigit() or (len(last) > 1 and last.isupper()):
            return False
        if last + first in self._words:
            return True
        known_apart = last in self._words and first in self._words
        return not known_apart and f"{last}-{first}" not in self._compounds
