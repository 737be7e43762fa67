"""Two versions of a document beside each other, section by section and word by word."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, pairwise
from typing import Final, Literal

from services.domain import ParsedDocument
from services.evidence.highlighting import MarkedText

_WORDS: Final = re.compile(r"\S+\s*")


@dataclass(frozen=True)
class Section:
    """A section with its text; ``label`` is the citable name, ``start`` a character."""

    label: str
    title: str
    start: int
    text: str


@dataclass(frozen=True)
class SectionChange:
    """A section that the versions do not share; what is marked the other version lacks.

    ``before`` is None where the section is new, ``after`` where it is gone.
    """

    kind: Literal["changed", "added", "removed"]
    before: Section | None
    after: Section | None
    old: tuple[MarkedText, ...] = ()
    new: tuple[MarkedText, ...] = ()

    @property
    def section(self) -> Section:
        """The newer one, where there are two."""
        found = self.after or self.before
        assert found is not None
        return found


def compare(old: ParsedDocument, new: ParsedDocument) -> list[SectionChange]:
    """What differs, in the order of the newer version; white space does not count.

    Sections of the same text stay out wherever they stand. The others are aligned by label and
    title, then by label alone between two that are aligned (a new title is a change).
    """
    before, after = _sections(old), _sections(new)
    same = {_flat(each.text) for each in before} & {_flat(each.text) for each in after}
    before = [each for each in before if _flat(each.text) not in same]
    after = [each for each in after if _flat(each.text) not in same]
    return list(_aligned(before, after))


def _sections(parsed: ParsedDocument) -> list[Section]:
    """All of the text: what stands before the first heading is a section without a name."""
    first = parsed.sections[0].start if parsed.sections else len(parsed.text)
    head = [Section("", "", 0, parsed.text[:first])] if parsed.text[:first].strip() else []
    return head + [
        Section(each.label, each.title, each.start, parsed.text[each.start : each.end])
        for each in parsed.sections
    ]


def _aligned(before: Sequence[Section], after: Sequence[Section]) -> Iterator[SectionChange]:
    keys = [[(each.label, each.title) for each in side] for side in (before, after)]
    blocks = SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_matching_blocks()
    ends = [(0, 0), *((at.a + at.size, at.b + at.size) for at in blocks)]
    for (a, b), at in zip(ends, blocks, strict=False):
        yield from _by_label(before[a : at.a], after[b : at.b])
        for left, right in zip(
            before[at.a : at.a + at.size], after[at.b : at.b + at.size], strict=True
        ):
            yield _changed(left, right)


def _by_label(before: Sequence[Section], after: Sequence[Section]) -> Iterator[SectionChange]:
    left = list(before)
    for each in after:
        at = next((n for n, one in enumerate(left) if one.label == each.label), None)
        if at is None:
            yield SectionChange("added", None, each, new=(MarkedText(each.text, False),))
        else:
            yield _changed(left.pop(at), each)
    for each in left:
        yield SectionChange("removed", each, None, old=(MarkedText(each.text, False),))


def _changed(before: Section, after: Section) -> SectionChange:
    left, right = _WORDS.findall(before.text), _WORDS.findall(after.text)
    same = _same([word.strip() for word in left], [word.strip() for word in right])
    back = {b: a for a, b in same.items()}
    return SectionChange(
        "changed", before, after, tuple(_pieces(left, same)), tuple(_pieces(right, back))
    )


def _same(left: Sequence[str], right: Sequence[str]) -> dict[int, int]:
    """Where the right side has words of the left one, in the same order.

    Words that both have once are aligned first, then what stands between two of them in the same
    way: all at once would take the square of the length.
    """
    same, todo = dict[int, int](), [(-1, len(left), -1, len(right))]
    while todo:
        a, a_end, b, b_end = todo.pop()
        here, there = range(a + 1, a_end), range(b + 1, b_end)
        once = _once(left[n] for n in here) & _once(right[n] for n in there)
        x = [n for n in here if left[n] in once or not once]
        y = [n for n in there if right[n] in once or not once]
        blocks = SequenceMatcher(None, [left[n] for n in x], [right[n] for n in y])
        found = [
            (x[at.a + n], y[at.b + n])
            for at in blocks.get_matching_blocks()
            for n in range(at.size)
        ]
        same.update(found)
        ends = pairwise([(a, b), *found, (a_end, b_end)]) if found else ()
        todo += [(i, j, k, m) for (i, k), (j, m) in ends if j - i > 1 and m - k > 1]
    return same


def _once(words: Iterable[str]) -> set[str]:
    return {word for word, count in Counter(words).items() if count == 1}


def _pieces(words: Sequence[str], same: Mapping[int, int]) -> Iterator[MarkedText]:
    """One ends where words differ, and where the other side has more between two."""
    for moved, places in groupby(range(len(words)), lambda n: same[n] - n if n in same else None):
        yield MarkedText("".join(words[n] for n in places), moved is None)


def _flat(text: str) -> str:
    return " ".join(text.split())
