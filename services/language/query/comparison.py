"""The things that a comparison holds together, and what each of them is asked for.

The word that joins the things tells where they stand: a word that says that two are compared, with
its preposition, or one between two. Where the second begins with a word, a preposition or an
article that stood before, the first begins there as well. Things share what stands before them
(``fees for``), aspects (``advantages of``), and what stands after the last, unless the first has
words of its own there: nothing of one is said of the other.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from services.domain.value import Span
from services.language.query.keywords import KEYWORDS, without_accents
from services.language.vocabulary import FUNCTION_WORDS, word_set

_COORDINATING: Final = word_set("und and et y e oder or ou o & sowie")
_AGAINST: Final = word_set("vs versus gegenüber rapport frente")
_THAN: Final = word_set("als than que")
_WITH: Final = word_set("mit with avec con")
_FROM: Final = word_set("von vom from to zu zum zur de du")
_JOINING: Final = (_AGAINST, _THAN, _WITH, _COORDINATING, _FROM)
"""Words between two things, those that say most first."""
_TOWARDS: Final = _WITH | _FROM | {"à", "a"}
"""What follows a word of comparing: ``im Vergleich zu``, ``compared with``, ``par rapport à``."""
_BETWEEN: Final = word_set("between zwischen entre")
_PREPOSITIONS: Final = word_set(
    """für bei beim in im an am nach gegen auf unter über während for of at on under by during after
    pour chez dans sur para en du de des del à au"""
)
_ARTICLES: Final = {
    "the": word_set("der die das den dem the la le les el los las vom zum zur"),
    "of the": word_set("des"),
    "a": word_set("ein eine einer einem einen a an un une una"),
    "of a": word_set("eines"),
}
_DETERMINERS: Final = frozenset().union(*_ARTICLES.values())
_STANDING: Final = word_set(
    "denen denjenigen diejenigen jenen those that one ones ceux celles celui celle"
)
"""Words that stand for the head of the first thing."""
_SMALL: Final = FUNCTION_WORDS | _PREPOSITIONS | _BETWEEN | _STANDING | _DETERMINERS | _AGAINST
_WORD: Final = re.compile(
    r"§+\s*\d+\w*|(?:art(?:ikel|icle|\.)?|anlage|anhang|annex|section|pep|rfc)\s+\d+\w*"
    r"|[^\W_][\w./'’-]*\w|\w|&",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r"[,;:?!.\n]\s|[,;:?!\n]")
_COMPARATIVE: Final = re.compile(r"[a-zäöü]{2,}(?:er|re)|worse|better|more|mehr|less|weniger")
_LONGEST: Final = 5
"""Words of one thing."""
_MOST: Final = 4
"""Things."""


def comparison_sides(question: str) -> tuple[str, ...]:
    """What a comparison looks up, a text for each thing; empty where no two things stand in it."""
    found = _Comparison(question)
    things = found.things()
    sides = [found.side(things, n) for n in range(len(things))]
    return tuple(sides) if len({side.casefold() for side in sides}) > 1 else ()


def operand_spans(question: str) -> tuple[Span, ...]:
    """Where the things stand that a comparison holds together; none or at least two."""
    found = _Comparison(question)
    things = found.things()
    alike = len({found.words[thing.start] for thing in things}) == 1
    return tuple(found.span(thing, whole=alike) for thing in things)


def repeats_its_head(question: str) -> bool:
    """Whether both things of a comparison begin with the same word: ``A of X with A of Y``."""
    found = _Comparison(question)
    return len({found.words[thing.start] for thing in found.things()}) == 1


@cache
def _patterns(aspects: bool) -> re.Pattern[str]:
    """Words that say that things are compared, or the aspects in which they are."""
    rows = [
        table["comparison"][2:] if aspects else table["comparison"][:2]
        for table in KEYWORDS.values()
    ]
    return re.compile("|".join(f"(?:{each})" for row in rows for each in row), re.IGNORECASE)


class _Comparison:
    """The words of a question; those that name something keep a lone capital letter."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._spans = [match.span() for match in _WORD.finditer(question)]
        words = [question[start:end] for start, end in self._spans]
        self.words = [word if len(word) == 1 else word.casefold() for word in words]
        plain = [*enumerate(map(without_accents, words))]
        self._comparing = {n for n, word in plain if _patterns(False).fullmatch(word)}
        self._comparing |= {n for n, word in enumerate(self.words) if word in _AGAINST}
        self._aspects = [n for n, word in plain if _patterns(True).fullmatch(word)]

    def things(self) -> list[range]:
        """The words of each thing, in order; none where nothing joins two."""
        opened = next((n for n, word in enumerate(self.words) if word in _BETWEEN), 0)
        for joining in (_TOWARDS, *_JOINING):
            for joint in range(opened + 1, len(self.words) - 1):
                if self.words[joint] not in joining or not self._may_join(joint, joining):
                    continue
                if found := self._around(joint, joining):
                    return found
        return []

    def _may_join(self, joint: int, joining: frozenset[str]) -> bool:
        """Whether a word joins two things here: ``with`` and ``from`` only what is compared."""
        if joining is _TOWARDS:
            return joint - 1 in self._comparing
        if joining not in (_WITH, _FROM) or any(n < joint for n in self._comparing):
            return True
        return any(self.words[n] in self.words[1:joint] for n in self._run(joint + 1)[:1])

    def side(self, things: Sequence[range], n: int) -> str:
        """What is looked up of one thing: with what all share before and after it."""
        first, own = self._head(things[0].start), things[n]
        head = list(range(first, things[0].start))
        aspects = [at for at in self._aspects_of() if at < things[0].start and at not in head]
        shared = [] if self._has_tail(things[0]) else range(things[-1].stop, len(self.words))
        kept = self._together([*aspects, *head])
        return " ".join(filter(None, (kept, self._slice(own), self._together(shared))))

    def span(self, thing: range, *, whole: bool) -> Span:
        """The characters of a thing, without what only tells of it unless ``whole``."""
        small = None if whole else next((n for n in thing if self._is_small(n)), None)
        last = (thing.stop if small is None else small) - 1
        return self._spans[thing.start][0], self._spans[max(last, thing.start)][1]

    def _aspects_of(self) -> range:
        """From the first aspect to the last: ``advantages and disadvantages``, ``Vor- und …``."""
        if not self._aspects:
            return range(0)
        first = self._aspects[0]
        if first > 1 and self.words[first - 1] in _COORDINATING:
            first -= 2
        return range(first, self._aspects[-1] + 1)

    def _around(self, joint: int, joining: frozenset[str]) -> list[range]:
        """The things on both sides of a joining word, and those before it in a list."""
        right = self._run(joint + 1)
        before = joint - 1 if joint - 1 in self._comparing else joint
        end = self._end_of_left(before, joining)
        left = self._left(end, joint, right, joining) if right else None
        if not left or any(n in self._aspects for n in (left.stop - 1, right.start)):
            return []
        if joining is _COORDINATING and not self._has_tail(left):
            right = right[: len(left)] if len(left) < len(right) else right
        if self._has_tail(left):
            right = range(right.start, self._phrase_end(right.start))
        listed = self._listed_before(left) if joining is _COORDINATING else []
        return [*listed, left, right]

    def _left(self, end: int, joint: int, right: range, joining: frozenset[str]) -> range | None:
        """The words of the first thing, up to ``end``."""
        if (again := self._last(end, {self.words[right.start]})) is not None:
            return range(again, end)
        between = self.words[joint : right.start]
        for word in between[1:]:
            if word in _PREPOSITIONS and (at := self._last(joint, {word})) is not None:
                return self._run(at + 1, end)
        if any(self._stands_for_head(n) for n in range(joint + 1, right.start)):
            last = self._last(end, _PREPOSITIONS)
            return None if last is None else self._run(last + 1, end)
        for kind in _ARTICLES.values():
            if kind & set(between) and (at := self._last(end, kind)) is not None:
                return range(self._run(at + 1, end).start, end) if self._run(at + 1, end) else None
        if joining is _THAN:
            return self._run(1, end)[: len(right)]
        run = end
        while run > 0 and not self._is_small(run - 1) and not (run < end and self._breaks(run - 1)):
            run -= 1
        run = max(run, end - (_LONGEST if joining in (_COORDINATING, _AGAINST) else len(right)))
        return range(max(run, 1 if end > 1 else 0), end)

    def _stands_for_head(self, n: int) -> bool:
        """``those of``, ``las de``: a pronoun for what the first thing is a thing of."""
        article = self.words[n] in _DETERMINERS and self.words[n + 1] in _PREPOSITIONS
        return self.words[n] in _STANDING or article

    def _end_of_left(self, joint: int, joining: frozenset[str]) -> int:
        """Where the first thing ends: before words of comparing and their prepositions."""
        end = joint
        while end > 1 and (
            end - 1 in self._comparing
            or (end < joint and self.words[end - 1] in _SMALL)
            or self.words[end - 1] in ("im", "in", "en", "par", "sich", "les", "als")
            or (joining is _THAN and self._compares_more(end - 1))
        ):
            end -= 1
        return end

    def _compares_more(self, n: int) -> bool:
        """``longer``, ``more effective``."""
        return any(_COMPARATIVE.fullmatch(word) for word in self.words[max(n - 1, 1) : n + 1])

    def _listed_before(self, left: range) -> list[range]:
        """Things with commas between them and the first that was found: ``A, B and C``."""
        found: list[range] = []
        start = left.start
        while start > 0 and self._breaks(start - 1) and not self._is_small(start - 1):
            begin = start - 1
            while begin > 0 and not self._is_small(begin - 1) and not self._breaks(begin - 1):
                begin -= 1
            found.insert(0, range(begin, start))
            start = begin
        return found[-_MOST + 2 :]

    def _head(self, start: int) -> int:
        """Where that begins which the things are things of, with its prepositions."""
        at, found, joined = start, start, False
        while at > 0:
            at -= 1
            if self._breaks(at):
                return found
            if self.words[at] in _BETWEEN:
                return self._asked_between(at, found)
            linking = self.words[at] in _PREPOSITIONS or self.words[at] in _DETERMINERS
            joined |= self.words[at] in _PREPOSITIONS or self.words[at] in _ARTICLES["of the"]
            if not linking and self._is_small(at) and at not in self._comparing:
                return found
            if not linking and at not in self._comparing and joined:
                found = at
        return found

    def _asked_between(self, at: int, found: int) -> int:
        """Where that begins which differs between the things: ``the rules for … between``."""
        begin = max((n + 1 for n in range(at) if self._breaks(n)), default=0)
        named = (n for n in range(begin, at) if not self._is_small(n) and n not in self._aspects)
        return next(named, found)

    def _run(self, start: int, stop: int | None = None) -> range:
        """The first words of content from one on, as far as they stand side by side."""
        end = len(self.words) if stop is None else stop
        first = next((n for n in range(start, end) if not self._is_small(n)), end)
        last = first
        while last < end and not self._is_small(last) and last - first < _LONGEST:
            last += 1
            if last < end and self._breaks(last - 1):
                break
        return range(first, last)

    def _phrase_end(self, start: int) -> int:
        """Where the phrase ends that begins at a word: at a mark, or with the question."""
        breaks = (n + 1 for n in range(start, len(self.words) - 1) if self._breaks(n))
        return next(breaks, len(self.words))

    def _has_tail(self, thing: range) -> bool:
        return any(self._is_small(n) for n in thing)

    def _last(self, end: int, words: frozenset[str] | set[str]) -> int | None:
        return next((n for n in range(end - 1, 0, -1) if self.words[n] in words), None)

    def _is_small(self, n: int) -> bool:
        return self.words[n] in _SMALL or n in self._comparing

    def _breaks(self, n: int) -> bool:
        if n + 1 >= len(self._spans):
            return False
        return bool(_BREAK.search(self._question[self._spans[n][1] : self._spans[n + 1][0]]))

    def _together(self, words: Sequence[int]) -> str:
        """Words as the question has them, without those of comparing."""
        runs: list[range] = []
        for n in words:
            if self._only_compares(n) or (
                self.words[n] in _DETERMINERS and self._only_compares(n + 1)
            ):
                continue
            if runs and runs[-1].stop == n:
                runs[-1] = range(runs[-1].start, n + 1)
            else:
                runs.append(range(n, n + 1))
        return " ".join(self._slice(run) for run in runs)

    def _only_compares(self, n: int) -> bool:
        between = n < len(self.words) and self.words[n] in _BETWEEN
        return n in self._comparing or between

    def _slice(self, words: range) -> str:
        return self._question[self._spans[words[0]][0] : self._spans[words[-1]][1]]
