"""Whether a quote stands in a text, and what it should have been where it does not."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from services.text import Normalised, normalise, normalise_mapped, sentences

_MARKS: Final = " \t\r\n\"'„“”»«"
_WORD = re.compile(r"\w+")
_MARKS_BEFORE = re.compile(r"""(?:§+ |[(\["])+$""")
_MARKS_AFTER = re.compile(r"""[.!?)\]"]*""")
_ANCHOR_LENGTH: Final = 4
_ANCHORS: Final = 6
_COMMON: Final = 300
_REGIONS: Final = 3
_LONGEST_BY_LETTERS: Final = 600


def verify_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Find a quote word for word, whatever happened to its layout.

    White space, hyphens at line breaks, soft hyphens, quotation marks, dashes, ligatures and
    backticks do not count; quotation marks or an ellipsis around the quote do not either.

    Args:
        quote: what is said to be in the text.
        text: the document's text.

    Returns:
        The span in ``text``, its ends outside words if there is such an occurrence; None if the
        words are not there.
    """
    unmarked = quote.strip(_MARKS)
    for wording in (quote.strip(), unmarked, unmarked.strip(_MARKS + ".…")):
        if not wording:
            continue
        exact = _find(wording, text)
        if exact is not None:
            return exact, exact + len(wording)
        for join_hyphens in (True, False) if "-" in wording else (True,):
            haystack = _normalised(text, join_hyphens)
            needle = normalise_mapped(wording, join_hyphens=join_hyphens).text.strip()
            found = _find(needle, haystack.text) if needle else None
            if found is not None:
                return haystack.span(found, found + len(needle))
    return None


def repair_quote(quote: str, text: str, minimum: float = 0.8) -> tuple[int, int] | None:
    """Find the span that a wrong quote comes closest to.

    Places are found by the quote's rarest words; there a whole sentence is preferred, else the
    run of words that fits best is taken. Similarity is difflib's ratio over words, ``2 M / T``.

    Args:
        quote: a quote with wrong, missing or added words.
        text: the document's text.
        minimum: similarity below which nothing is returned, 0-1.

    Returns:
        A span of real text, None if nothing is close enough.
    """
    exact = verify_quote(quote, text)
    if exact is not None:
        return exact
    haystack = _normalised(text, True)
    folded = _lower(haystack.text)
    wanted = _words(normalise(quote))
    best, best_span = 0.0, (0, 0)
    for region in _regions(wanted, folded):
        similarity, span = _best_sentence(wanted, text, *haystack.span(*region))
        if similarity < minimum:
            similarity, run = _best_run(wanted, folded, *region)
            span = haystack.span(*run) if similarity else best_span
        if similarity > best:
            best, best_span = similarity, span
    return best_span if best >= minimum else None


@lru_cache(maxsize=16)
def _normalised(text: str, join_hyphens: bool) -> Normalised:
    """A normalised document; quotes come in batches from the same few."""
    return normalise_mapped(text, join_hyphens=join_hyphens)


def _find(needle: str, haystack: str) -> int | None:
    """The first occurrence that does not cut words, else the first."""
    first = place = haystack.find(needle)
    while place >= 0:
        if not _inside_word(haystack, place) and not _inside_word(haystack, place + len(needle)):
            return place
        place = haystack.find(needle, place + 1)
    return first if first >= 0 else None


def _inside_word(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and text[offset - 1].isalnum() and text[offset].isalnum()


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _lower(text: str) -> str:
    """Lower case of the same length."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _regions(wanted: Sequence[str], folded: str) -> Iterator[tuple[int, int]]:
    """Parts of the text where several rare words of the quote stand in the right distance."""
    length = sum(map(len, wanted)) + len(wanted)
    counts = {word: folded.count(word) for word in set(wanted) if len(word) >= _ANCHOR_LENGTH}
    anchors = sorted((count, word) for word, count in counts.items() if 0 < count <= _COMMON)
    votes: Counter[int] = Counter()
    width = max(length // 2, 40)
    for _, word in anchors[:_ANCHORS]:
        offset = sum(len(before) + 1 for before in wanted[: wanted.index(word)])
        for match in re.finditer(re.escape(word), folded):
            bucket = max(match.start() - offset, 0) // width
            votes.update({bucket, max(bucket - 1, 0)})
    for bucket, _ in votes.most_common(_REGIONS):
        begin = bucket * width
        yield max(begin - width, 0), min(begin + 2 * (width + length), len(folded))


def _best_sentence(
    wanted: Sequence[str], text: str, start: int, end: int
) -> tuple[float, tuple[int, int]]:
    """The sentence of a region of the text that is most like the quote."""
    spans = [(start + begin, start + stop) for begin, stop in sentences(text[start:end])]
    scored = [(_similarity(wanted, normalise(text[slice(*span)])), span) for span in spans]
    return max(scored, default=(0.0, (start, start)))


def _similarity(wanted: Sequence[str], passage: str) -> float:
    """Ratio over words; over letters if that is better and the passage is short."""
    words = _words(passage)
    matcher = SequenceMatcher(None, wanted, words, autojunk=False)
    if matcher.real_quick_ratio() < 0.5:
        return 0.0
    ratio = matcher.ratio()
    if 0.5 < ratio < 1.0 and len(passage) <= _LONGEST_BY_LETTERS:
        letters = SequenceMatcher(None, " ".join(wanted), " ".join(words), autojunk=False)
        ratio = max(ratio, letters.ratio())
    return ratio


def _best_run(
    wanted: Sequence[str], folded: str, start: int, end: int
) -> tuple[float, tuple[int, int]]:
    """The run of words that shares most with the quote for its length."""
    places = [match.span() for match in _WORD.finditer(folded, start, end)]
    words = [folded[slice(*place)] for place in places]
    matcher = SequenceMatcher(None, wanted, words, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    best, best_run = 0.0, (start, start)
    for i, first in enumerate(blocks):
        matched = 0
        for last in blocks[i:]:
            matched += last.size
            run = last.b + last.size - first.b
            similarity = 2.0 * matched / (len(wanted) + run)
            if similarity > best:
                best = similarity
                best_run = (places[first.b][0], places[last.b + last.size - 1][1])
    return best, _with_marks(folded, *best_run)


def _with_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Take along what belongs to the first and last word: ``§``, brackets, the full stop."""
    before = _MARKS_BEFORE.search(text, max(0, start - 4), start)
    after = _MARKS_AFTER.match(text, end)
    return before.start() if before else start, after.end() if after else end
