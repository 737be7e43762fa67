"""Tell whether a text is one that people read, by statistics of its letters.

Text layers of PDF files may have wrong character maps, and bytes may be decoded as another
encoding. Both give letters that no language puts together. The statistics come from two libraries:
how often each letter occurs in a language (charset-normalizer), and which n-grams are usual in one
of 142 languages (py3langid). Loading the second takes most of a second, so it decides only where
the first is in doubt.
"""

import lzma
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from charset_normalizer.cd import coherence_ratio
from charset_normalizer.md import mess_ratio

MIN_LETTERS: Final = 90
_MIN_WORDS: Final = 20
"""Fewer letters or different words say too little, such as those of formulas and drawings."""
_SAMPLE: Final = 4000
_UNPRINTABLE_SHARE: Final = 0.1
_MIXED_SHARE: Final = 0.15
_USUAL_COHERENCE: Final = 0.55
_USUAL_LIKELIHOOD: Final = -9.8
"""Between texts of 90 languages (-9.1 +- 0.4) and the same with letters exchanged (-10.3)."""
_LATIN_SHARE: Final = 0.8
_ABSENT: Final = -14.0
"""Log-probability below which the model leaves an n-gram out."""
_WORD: Final = re.compile(r"(?<!\w)[^\W\d_]{2,}(?!\w)")
_CONTINUATION: Final = "".join(
    bytes([code]).decode("cp1252", "ignore") or chr(code) for code in range(0x80, 0xC0)
)
_GARBLED: Final = re.compile(
    f"[\u00c2-\u00df][{_CONTINUATION}]|[\u00e0-\u00ef][{_CONTINUATION}]{{2}}"
    f"|[\u00f0-\u00f4][{_CONTINUATION}]{{3}}"
)


def is_legible(text: str) -> bool:
    """Return whether a page of text has characters and letters as some language uses them."""
    if not text.strip():
        return True
    if _unprintable_share(text) > _UNPRINTABLE_SHARE or _mixed_share(text) > _MIXED_SHARE:
        return False
    words = _WORD.findall(text[:_SAMPLE].lower())
    letters = "".join(words)
    latin = sum(character < "\u0250" for character in letters)
    different = set(words)
    if sum(map(len, different)) < MIN_LETTERS or len(different) < _MIN_WORDS:
        return True
    if latin < _LATIN_SHARE * len(letters):
        return True
    prose = " ".join(words)
    coherence = max((ratio for _, ratio in coherence_ratio(prose, 0.0)), default=0.0)
    return coherence >= _USUAL_COHERENCE or likelihood(prose) >= _USUAL_LIKELIHOOD


def likelihood(text: str) -> float:
    """Return the mean log-probability of the text's n-grams in the language that fits it best."""
    ngrams, counts = _ngrams(text)
    weights = np.log1p(counts)
    scores = weights @ _model().ptc[ngrams]
    return float(scores.max() / weights.sum()) if counts.size else _ABSENT


def fluency(text: str) -> float:
    """Return how much likelier a text is than one without any known n-gram (log, by byte).

    It compares readings of the same bytes. A reading that charset-normalizer finds messy, with
    capitals within words or rare signs beside letters, falls behind, as does one whose words mix
    scripts. Gains count by byte, as n-grams do: by character, any Thai letters would lead.
    """
    ngrams, counts = _ngrams(text)
    gains = counts @ (_model().ptc[ngrams] - _ABSENT) if counts.size else np.zeros(1)
    gain = float(gains.max()) / max(len(text.encode("utf-8", "replace")), 1)
    foreign = [pair for pair in _neighbours(text) if pair != ("LATIN", "LATIN")]
    mixed = sum(one != other for one, other in foreign) / max(len(foreign), 1)
    return gain - float(mess_ratio(text, 1.0)) - mixed


def garbled(text: str) -> str:
    """Return an example of UTF-8 that was decoded as Windows-1252, such as "Ã¼", or "".

    A few such pairs among other accented letters may be meant: «CAFÉ».
    """
    examples = _GARBLED.findall(text)
    explained = sum(map(len, examples))
    accented = sum(character > "\x7f" for character in text)
    return examples[0] if examples and explained * 2 > accented else ""


def _unprintable_share(text: str) -> float:
    """Return the share of private-use, replacement, control and unassigned characters."""
    visible = [character for character in text if not character.isspace()]
    unprintable = sum(
        character == "\ufffd" or unicodedata.category(character) in ("Cc", "Cn", "Co", "Cs")
        for character in visible
    )
    return unprintable / max(len(visible), 1)


def _mixed_share(text: str) -> float:
    """Return the share of neighbouring letters that are of two scripts, 0 of too few."""
    pairs = _neighbours(text)
    if len(pairs) < MIN_LETTERS:
        return 0.0
    return sum(one != other for one, other in pairs) / len(pairs)


def _neighbours(text: str) -> list[tuple[str, str]]:
    """Return the scripts of letters that follow each other in words."""
    return [
        (_script(one), _script(other))
        for word in _WORD.findall(text[:_SAMPLE])
        for one, other in pairwise(word)
    ]


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """Return the first word of a letter's name; East Asian scripts stand beside one another."""
    name = unicodedata.name(letter, "").split(" ", 1)[0]
    return "CJK" if name in ("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL") else name


def _ngrams(text: str) -> tuple[Any, Any]:
    """Return the model's n-grams in a text, and how often each occurs."""
    from py3langid.langid import visit_counts

    model = _model()
    data = text[:_SAMPLE].lower().encode("utf-8", "replace")
    visits = visit_counts(model.nextmove, model.rows, model.output, data) or Counter()
    return (
        np.fromiter(visits, dtype=np.intp, count=len(visits)),
        np.fromiter(visits.values(), dtype=np.float32, count=len(visits)),
    )


class _Model(NamedTuple):
    """N-grams of bytes as an automaton, and the log-probability of each in each language."""

    ptc: Any
    nextmove: Sequence[int]
    rows: list[int]
    output: list[int]


@lru_cache(maxsize=1)
def _model() -> _Model:
    """Load the model in memory: py3langid itself writes a file, which a confined process cannot."""
    from py3langid.langid import MODEL_DIR, MODEL_FILE

    with lzma.open(MODEL_DIR / MODEL_FILE) as packed:
        data = np.load(BytesIO(packed.read()), allow_pickle=False)
    rows = [row << 8 for row in data["nextmove_row"].tolist()]
    return _Model(data["ptc"], memoryview(data["nextmove"]), rows, data["out_feat"].tolist())
