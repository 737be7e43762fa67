"""Tell whether a text is one that people read, by its characters.

Text layers of PDF files may have no character maps, and bytes may be decoded as another encoding.
py3langid, which knows the usual n-grams of 142 languages, is loaded where bytes are no UTF-8 only.
"""

import lzma
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from itertools import pairwise
from typing import Any, Final, NamedTuple

_MIN_PAIRS: Final = 90
"""Neighbouring letters; fewer say too little, such as those of formulas and drawings."""
_SAMPLE: Final = 4000
_UNPRINTABLE_SHARE: Final = 0.1
_MIXED_SHARE: Final = 0.15
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
    """Return whether a text has characters that people read, and one script in a word."""
    counts = Counter(text)
    if _unprintable_share(counts) > _UNPRINTABLE_SHARE:
        return False
    scripts = {_script(one) for one in counts if one.isalnum() and not one.isdecimal()}
    return len(scripts) < 2 or _mixed_share(text) <= _MIXED_SHARE


def fluency(text: str) -> float:
    """Return how much likelier a text is than one without any known n-gram (log, by byte).

    It compares readings of the same bytes. One that charset-normalizer finds messy, or whose words
    mix scripts, falls behind. Gains count by byte: by character, any Thai letters would lead.
    """
    import numpy as np
    from charset_normalizer.md import mess_ratio

    ngrams, counts = _ngrams(text)
    gains = counts @ (_model().ptc[ngrams] - _ABSENT) if counts.size else np.zeros(1)
    gain = float(gains.max()) / max(len(text.encode("utf-8", "replace")), 1)
    foreign = [pair for pair in _neighbours(_words(text)) if pair != ("LATIN", "LATIN")]
    mixed = sum(one != other for one, other in foreign) / max(len(foreign), 1)
    return gain - float(mess_ratio(text, 1.0)) - mixed


def garbled(text: str) -> str:
    """Return an example of UTF-8 that was decoded as Windows-1252, such as "Ã¼", or ""."""
    examples = _GARBLED.findall(text)
    explained = sum(map(len, examples))
    accented = sum(character > "\x7f" for character in text)
    return examples[0] if examples and explained * 2 > accented else ""


def _unprintable_share(letters: Mapping[str, int]) -> float:
    counts = {letter: n for letter, n in letters.items() if not letter.isspace()}
    unprintable = sum(
        count
        for letter, count in counts.items()
        if letter == "\ufffd" or unicodedata.category(letter) in ("Cc", "Cn", "Co", "Cs")
    )
    return unprintable / max(sum(counts.values()), 1)


def _mixed_share(text: str) -> float:
    """Return the share of neighbouring letters that are of two scripts, 0 of too few."""
    words = _words(text)
    pairs = sum(map(len, words)) - len(words)
    if pairs < _MIN_PAIRS:
        return 0.0
    return sum(one != other for one, other in _neighbours(words)) / pairs


def _words(text: str) -> list[str]:
    words: list[str] = _WORD.findall(text[:_SAMPLE])
    return words


def _neighbours(words: Iterable[str]) -> list[tuple[str, str]]:
    return [
        (_script(one), _script(other))
        for word in words
        if not word.isascii()
        for one, other in pairwise(word)
    ]


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """Return the first word of a letter's name; East Asian scripts stand beside one another."""
    name = unicodedata.name(letter, "").split(" ", 1)[0]
    return "CJK" if name in ("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL") else name


def _ngrams(text: str) -> tuple[Any, Any]:
    import numpy as np
    from py3langid.langid import visit_counts

    model = _model()
    data = text[:_SAMPLE].lower().encode("utf-8", "replace")
    visits = visit_counts(model.nextmove, model.rows, model.output, data) or Counter()
    return (
        np.fromiter(visits, dtype=np.intp, count=len(visits)),
        np.fromiter(visits.values(), dtype=np.float32, count=len(visits)),
    )


class _Model(NamedTuple):
    ptc: Any
    nextmove: Sequence[int]
    rows: list[int]
    output: list[int]


@lru_cache(maxsize=1)
def _model() -> _Model:
    """Load the model in memory: py3langid itself writes a file, which a confined process cannot."""
    import numpy as np
    from py3langid.langid import MODEL_DIR, MODEL_FILE

    with lzma.open(MODEL_DIR / MODEL_FILE) as packed:
        data = np.load(BytesIO(packed.read()), allow_pickle=False)
    rows = [row << 8 for row in data["nextmove_row"].tolist()]
    return _Model(data["ptc"], memoryview(data["nextmove"]), rows, data["out_feat"].tolist())
