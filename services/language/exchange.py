"""Turn one question into a similar one by swapping the things they ask about."""

import re
from difflib import SequenceMatcher
from os.path import commonprefix
from typing import Final, NamedTuple

from services.domain.value import Language
from services.language.text.words import best_match, is_stop_word, stems

_WORD: Final = re.compile(r"\w+(?:[-.:/]\w+)*")
_NUMBER: Final = re.compile(r"§|\d")
LEAST_ALIKE: Final = 0.5


class Swap(NamedTuple):
    old: tuple[str, ...]
    new: tuple[str, ...]


class Exchange(NamedTuple):
    """The ``swaps`` that turn the old question into the new one.

    ``new_stems`` are those of the new question, ``old_stems`` those of the old one alone,
    ``numbers`` those of the new one.
    """

    language: Language
    swaps: tuple[Swap, ...]
    new_stems: frozenset[str]
    old_stems: frozenset[str]
    numbers: frozenset[str]

    def applied(self, text: str) -> str | None:
        """Return a text about the new question's things, None where the grammar may not fit."""
        matches = list(_WORD.finditer(text))
        words = [match.group() for match in matches]
        result, end, at = "", 0, 0
        while at < len(words):
            length, new = self._swapped(words, at)
            if new is None:
                return None
            result += text[end : matches[at].start()] + new
            end, at = matches[at + length - 1].end(), at + length
        result += text[end:]
        other = {*stems(result, self.language)} - self.new_stems
        if any(best_match(stem, self.old_stems) for stem in other):
            return None
        if {word for word in _WORD.findall(result) if _NUMBER.search(word)} - self.numbers:
            return None
        return result[:1].upper() + result[1:]

    def _swapped(self, words: list[str], at: int) -> tuple[int, str | None]:
        for old, new in self.swaps:
            if _folded(words[at : at + len(old)]) == _folded(old):
                return len(old), " ".join(new)
            article, noun = _parted(old, self.language)
            article_new, noun_new = _parted(new, self.language)
            span = words[at : at + len(noun)]
            if len(span) < len(noun) or _folded(span[:-1]) != _folded(noun[:-1]):
                continue
            if stems(span[-1], self.language) != stems(noun[-1], self.language):
                continue
            before = words[at - 1] if at else ""
            if article != article_new and is_stop_word(before, self.language):
                return len(span), None
            last = _inflected(span[-1], noun[-1], noun_new[-1])
            return len(span), last and " ".join([*noun_new[:-1], last])
        return 1, words[at]


def exchange(old: str, new: str, language: Language) -> Exchange | None:
    """Return how one question becomes another, None where that is uncertain."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, _folded(before), _folded(after), autojunk=False)
    if matcher.ratio() < LEAST_ALIKE:
        return None
    swaps = []
    for kind, i, j, k, m in matcher.get_opcodes():
        swap = Swap(tuple(before[i:j]), tuple(after[k:m]))
        sides = [bool(_parted(words, language)[1]) for words in swap]
        if kind == "equal" or not any(sides):
            continue
        if not all(sides):
            return None
        swaps.append(swap)
    new_question_stems = frozenset(stems(new, language))
    return Exchange(
        language,
        swaps=tuple(swaps),
        new_stems=new_question_stems,
        old_stems=frozenset(stems(old, language)) - new_question_stems,
        numbers=frozenset(word for word in after if _NUMBER.search(word)),
    )


def _folded(words: list[str] | tuple[str, ...]) -> list[str]:
    return [word.casefold() for word in words]


def _parted(words: tuple[str, ...], language: Language) -> tuple[tuple[str, ...], tuple[str, ...]]:
    n = next((n for n, word in enumerate(words) if not is_stop_word(word, language)), len(words))
    return words[:n], words[n:]


def _inflected(used: str, old: str, new: str) -> str | None:
    if used.casefold() == old.casefold():
        return new
    root = len(commonprefix((used, old)))  # noqa: RUF071 (characters)
    ending, used_ending = old[root:], used[root:]
    if not ending or not new.endswith(ending):
        return None
    return new.removesuffix(ending) + used_ending
