"""Comparing two versions of a document by section and by word."""

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
class ComparedSection:
    label: str
    title: str
    start: int
    text: str


@dataclass(frozen=True)
class SectionChange:
    """A section that differs; ``before`` is None if it is new, ``after`` if it was removed."""

    kind: Literal["changed", "added", "removed"]
    before: ComparedSection | None
    after: ComparedSection | None
    old: tuple[MarkedText, ...] = ()
    new: tuple[MarkedText, ...] = ()

    @property
    def section(self) -> ComparedSection:
        section = self.after or self.before
        assert section is not None
        return section


def compare(old: ParsedDocument, new: ParsedDocument) -> list[SectionChange]:
    """Return the differences in the order of the newer version, ignoring white space.

    Sections with equal text are left out, wherever they are. The others are aligned by label and
    title, and between aligned ones by label alone (a new title is a change).
    """
    before, after = _sections(old), _sections(new)
    same = {_flat(section.text) for section in before} & {_flat(section.text) for section in after}
    before = [section for section in before if _flat(section.text) not in same]
    after = [section for section in after if _flat(section.text) not in same]
    return list(_aligned(before, after))


def _sections(parsed: ParsedDocument) -> list[ComparedSection]:
    """Return all sections; the text before the first heading is one without a label."""
    first = parsed.sections[0].start if parsed.sections else len(parsed.text)
    head = [ComparedSection("", "", 0, parsed.text[:first])] if parsed.text[:first].strip() else []
    return head + [
        ComparedSection(span.label, span.title, span.start, parsed.text[span.start : span.end])
        for span in parsed.sections
    ]


def _aligned(
    before: Sequence[ComparedSection], after: Sequence[ComparedSection]
) -> Iterator[SectionChange]:
    old_keys, new_keys = (
        [(section.label, section.title) for section in version] for version in (before, after)
    )
    blocks = SequenceMatcher(None, old_keys, new_keys, autojunk=False).get_matching_blocks()
    ends = [(0, 0), *((block.a + block.size, block.b + block.size) for block in blocks)]
    for (a, b), block in zip(ends, blocks, strict=False):
        yield from _by_label(before[a : block.a], after[b : block.b])
        aligned = before[block.a : block.a + block.size], after[block.b : block.b + block.size]
        for old, new in zip(*aligned, strict=True):
            yield _changed(old, new)


def _by_label(
    before: Sequence[ComparedSection], after: Sequence[ComparedSection]
) -> Iterator[SectionChange]:
    removed = list(before)
    for new in after:
        index = next((n for n, old in enumerate(removed) if old.label == new.label), None)
        if index is None:
            yield SectionChange("added", None, new, new=(MarkedText(new.text, False),))
        else:
            yield _changed(removed.pop(index), new)
    for old in removed:
        yield SectionChange("removed", old, None, old=(MarkedText(old.text, False),))


def _changed(before: ComparedSection, after: ComparedSection) -> SectionChange:
    old, new = _WORDS.findall(before.text), _WORDS.findall(after.text)
    aligned = _align_words([word.strip() for word in old], [word.strip() for word in new])
    reverse = {b: a for a, b in aligned.items()}
    return SectionChange(
        "changed", before, after, tuple(_marked(old, aligned)), tuple(_marked(new, reverse))
    )


def _align_words(left: Sequence[str], right: Sequence[str]) -> dict[int, int]:
    """Return the indices of equal words on both sides, in the same order.

    Words that are unique on both sides are aligned first, then the words between two of them in the
    same way. Aligning all at once would take quadratic time.
    """
    aligned, ranges = dict[int, int](), [(-1, len(left), -1, len(right))]
    while ranges:
        a, a_end, b, b_end = ranges.pop()
        old, new = range(a + 1, a_end), range(b + 1, b_end)
        unique = _unique(left[n] for n in old) & _unique(right[n] for n in new)
        x = [n for n in old if left[n] in unique or not unique]
        y = [n for n in new if right[n] in unique or not unique]
        blocks = SequenceMatcher(None, [left[n] for n in x], [right[n] for n in y])
        pairs = [
            (x[block.a + n], y[block.b + n])
            for block in blocks.get_matching_blocks()
            for n in range(block.size)
        ]
        aligned.update(pairs)
        gaps = pairwise([(a, b), *pairs, (a_end, b_end)]) if pairs else ()
        ranges += [(i, j, k, m) for (i, k), (j, m) in gaps if j - i > 1 and m - k > 1]
    return aligned


def _unique(words: Iterable[str]) -> set[str]:
    return {word for word, count in Counter(words).items() if count == 1}


def _marked(words: Sequence[str], aligned: Mapping[int, int]) -> Iterator[MarkedText]:
    """Split words where they differ, and where the other side has more between two of them."""
    for shift, indices in groupby(
        range(len(words)), lambda n: aligned[n] - n if n in aligned else None
    ):
        yield MarkedText("".join(words[n] for n in indices), shift is None)


def _flat(text: str) -> str:
    return " ".join(text.split())
