"""Decode bytes whose encoding is declared wrongly or not at all: the reading most like a language.

`docs/documents.md` says how often that is right.
"""

import codecs
import re
from contextlib import suppress
from typing import Final, NamedTuple

from services.domain.errors import UnreadableDocument
from services.domain.notices import Notice
from services.language.legibility import fluency, garbled

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPES: Final = ((b"\x1b$)C", "iso2022_kr"), (b"\x1b$", "iso2022_jp_2"))
"""What switches the alphabet in encodings of seven bits."""
_UNMARKED: Final = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_MULTIBYTE: Final = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949", "johab")
_LEGACY: Final = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("cp874", "iso8859_2", "iso8859_5", "iso8859_6", "iso8859_7", "iso8859_15", "koi8_r"),
    *("koi8_u", "cp866", "cp850", "cp852", "cp855", "mac_roman", "mac_cyrillic", *_MULTIBYTE),
)
"""The encodings of https://encoding.spec.whatwg.org, and some of DOS and Korea."""
_WIDE: Final = ("gb", "big5", "cp9", "shift", "euc", "iso2022", "hz", "johab")
"""Of several bytes a character: what decodes as one is hardly anything else."""
_BROWSERS: Final = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254"}
"""What browsers take the named encodings for."""
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
_ACCENTED_WORD: Final = re.compile(
    r"[A-Za-z\x80-\U0010ffff]*[\x80-\U0010ffff][A-Za-z\x80-\U0010ffff]*"
)
"""What differs between readings of the same bytes."""
_TYPOGRAPHY: Final = re.compile(
    r"(?<!\w)[“„«‘‚‹](?=\S)|(?<=\S)[”“»’‘›…](?!\w)|(?<=[^\W\d_])’(?=[^\W\d_])"
    r"|(?<!\S)[–—•…](?!\S)|(?<=\d)–(?=\d)|(?<=\w)—(?=\w)",
    re.MULTILINE,
)
"""Quotation marks, dashes and bullets where they belong: of a reading that has them, they say
nothing of its letters."""
_PRINTABLE: Final = re.compile(rb"[\t\n\r\x20-\x7e\0]*")
"""ASCII with zeros: with half of them it is UTF-16, with few of them it is ASCII."""
_SAMPLE: Final = 4000
_HEAD: Final = 16
_CERTAIN: Final = 30.0
"""By how much (natural log, a letter counts in several n-grams) a reading must lead the next."""
_CLEAR: Final = 0.98  # share of the best fluency above which another reading is as good
_SIMILAR: Final = 0.5
"""The same for a reading of several bytes a character, which bytes seldom allow by chance, and for
`_TWINS`, which differ in a few signs such as "€"."""
_TWINS: Final = frozenset({"cp1252", "iso8859_15"})
_USUAL: Final = 25.0
"""By how much (natural log) Windows-1252 is likelier than others before the bytes are looked at."""
_NEAR: Final = 0.8
"""Share of the best fluency with which a declared encoding counts; many programs declare Latin-1
whatever they write."""
_PLAUSIBLE: Final = 1.0  # fluency of a reading that nothing declares
_EBCDIC_SPACES: Final = 0.05
"""Share of "@" in a text without spaces by which it is EBCDIC, where "@" is the space."""


class Decoded(NamedTuple):
    """A text, and what its reader is told of its encoding."""

    text: str
    warnings: tuple[Notice, ...] = ()


def decode(data: bytes, declared: str = "") -> Decoded:
    """Decode a file of plain text. Raises UnreadableDocument if no encoding fits."""
    decoded = decode_part(data, declared)
    text, lost = decoded.text, decoded.text.count("\ufffd") - data.count("\ufffd".encode())
    if "\x00" in text or lost > 0 or len(_CONTROLS.findall(text)) * 100 > len(text):
        raise UnreadableDocument(
            "the content is binary or in an unknown encoding, not text; save it as UTF-8 text, or "
            "rename it with the right extension"
        )
    return decoded


def decode_part(data: bytes, declared: str = "") -> Decoded:
    """Decode as marked, declared or likeliest; what fits nothing is replaced, with a warning."""
    marked = _marked(data)
    stated = marked or _codec(declared)
    for encoding in [stated] if marked or stated.startswith(_WIDE) else ["utf-8"]:
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            return Decoded(text, damage(text))
    text, doubts = ("", ()) if marked else _likeliest(data, stated, declared)
    text = text or data.decode(marked or "utf-8", "replace")
    return Decoded(text, (*doubts, *damage(text)))


def is_wide(data: bytes) -> bool:
    """Return whether bytes are UTF-16 or UTF-32, in which no ASCII byte stands alone."""
    return _marked(data).startswith(("utf-16", "utf-32"))


def _marked(data: bytes) -> str:
    """Return the encoding that a byte order mark, an escape or the place of zero bytes shows."""
    if marked := next((name for mark, name in _MARKS if data.startswith(mark)), ""):
        return marked
    if data.isascii() and b"\x1b" in data:
        return next((name for escape, name in _ESCAPES if escape in data), "")
    sample = data[:_SAMPLE]
    is_stray = _PRINTABLE.fullmatch(sample) and sample.count(0) * 4 < len(sample)
    return _unmarked(data) if b"\0" in sample and not is_stray else ""


def _unmarked(data: bytes) -> str:
    head = data[:_HEAD]
    zeros = [byte == 0 for byte in head]
    for encoding in _UNMARKED:
        pattern = [byte == 0 for byte in "letters ".encode(encoding)]
        if len(head) > 1 and zeros == pattern[: len(head)]:
            return encoding
    fluencies = {"": _PLAUSIBLE}
    for encoding in _UNMARKED:
        with suppress(UnicodeDecodeError):
            if not _CONTROLS.search(text := data.decode(encoding)):
                fluencies[encoding] = fluency(text)
    return max(fluencies, key=fluencies.__getitem__)


def damage(text: str) -> tuple[Notice, ...]:
    """Return warnings of letters that were lost or garbled before the file was written."""
    warnings = []
    if count := text.count("\ufffd"):
        warnings.append(
            Notice.of(
                "{count} of its characters were already lost when the file was saved (�)",
                count=count,
            )
        )
    if example := garbled(text):
        warnings.append(
            Notice.of(
                'its accented letters are garbled (such as "{example}"); export it again as UTF-8',
                example=example,
            )
        )
    return tuple(warnings)


def _likeliest(data: bytes, stated: str, declared: str) -> tuple[str, tuple[Notice, ...]]:
    """Return the reading that is most like a language, with a warning where it is in doubt."""
    readings = _readings(data, stated)
    if "" in readings:
        return data.decode(readings[""]), ()
    if not readings:
        return "", ()
    usual = "cp1252" if stated in ("", "cp1252") else ""
    scores = {
        text: fluency(text) + (encoding == usual) * _USUAL / len(text)
        for text, encoding in readings.items()
    }
    best = max(scores, key=scores.__getitem__)
    trusted = next((text for text, encoding in readings.items() if encoding == stated), best)
    behind = (scores[best] - scores[trusted]) * len(best.encode())
    is_near = behind < _CERTAIN or (scores[trusted] > _NEAR * scores[best] and stated != "cp1252")
    is_doubtful = _is_doubtful(best, readings, scores)
    if is_near or (is_doubtful and stated != "cp1252"):
        best = trusted
    encoding = readings[best]
    if encoding not in ("cp1252", stated) and scores[best] < _PLAUSIBLE:
        return "", ()
    if is_near if encoding == stated else not (declared or is_doubtful):
        return data.decode(encoding), ()
    return data.decode(encoding), (_doubt(encoding, "" if encoding == stated else declared),)


def _readings(data: bytes, stated: str) -> dict[str, str]:
    """Return the possible encodings by their words beside ASCII, "" if only typography."""
    if b" " not in data and data.count(b"@") > _EBCDIC_SPACES * len(data):
        return {}
    sample = b"\n".join(line for line in data.splitlines() if not line.isascii())[:_SAMPLE]
    readings: dict[str, str] = {}
    for encoding in dict.fromkeys([*filter(None, [stated]), *_LEGACY]):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if encoding == stated or not _CONTROLS.search(text):
                letters = _TYPOGRAPHY.sub(" ", sample.decode(encoding, "ignore"))
                readings.setdefault(" ".join(_ACCENTED_WORD.findall(letters)), encoding)
    return readings


def _is_doubtful(best: str, readings: dict[str, str], scores: dict[str, float]) -> bool:
    others = [text for text in readings if text != best]
    lead = scores[best] - max(map(scores.__getitem__, others), default=0.0)
    if lead * len(best.encode()) < _CERTAIN:
        return True
    shares = {text: _share(readings[text], readings[best]) for text in others}
    return any(fluency(text) > share * fluency(best) for text, share in shares.items())


def _share(other: str, best: str) -> float:
    """Return the share of the best fluency with which another encoding makes it uncertain."""
    seldom_fits = other in _MULTIBYTE and best not in _MULTIBYTE
    return _SIMILAR if seldom_fits or {other, best} == _TWINS else _CLEAR


def _doubt(encoding: str, declared: str) -> Notice:
    if declared:
        return Notice.of(
            "it is declared as {declared} but was read as {encoding}; compare it with the original",
            declared=declared,
            encoding=encoding,
        )
    return Notice.of(
        "its encoding is uncertain; it was read as {encoding}. Compare its accented letters with "
        "the original, or save it as UTF-8",
        encoding=encoding,
    )


def _codec(declared: str) -> str:
    """Return Python's name of a declared encoding that is not UTF-8, or ""."""
    with suppress(LookupError):
        name = codecs.lookup(re.sub(r"^windows-(?=\d)", "cp", declared)).name
        return "" if name.startswith("utf") else _BROWSERS.get(name, name)
    return ""
