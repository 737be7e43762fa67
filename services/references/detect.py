"""One pass over a text: where a citation can begin, the reader for its kind takes over."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from services.domain import DetectedReference
from services.references import documents
from services.references.grammar import END, GAP, LISTED, OPT, collapse
from services.references.names import nominative
from services.references.sections import BARE_UNIT, FIRST_MARK, MARK, Chain, is_heading, read_chain

References = Iterator[DetectedReference]
"""The references of one citation; the search goes on behind all of them."""

_ROLE: Final = r":(?P<role>pep|rfc):`(?P<content>[^`]{1,300})`"
_MARKDOWN_LINK: Final = (
    r"(?<!!)\[[^\[\]]{1,200}\]"
    r"\((?P<markdown_url>https?://[^\s()<>]{1,2000}+(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200}+){0,3})\)"
)
_RST_LINK: Final = r"`[^`<>]{0,200}<(?P<rst_url>https?://[^<>`\s]++(?:\s++[^<>`\s]++){0,3})>`__?"
_RST_TARGET: Final = r"`[^`<>]{0,200}<[^<>`]{1,200}_>`__?|(?m:^\.\. _[^:\n]{1,200}:)"
"""A link inside the document, or the anchor of one: their names cite nothing."""
_URL: Final = r"(?<![\w@])https?://[^\s<>\"`{}|\\^“”„»]+"
_PEP_HEADER: Final = (
    r"(?m:^(?:Requires|Replaces|Superseded-By):[ \t]*\d{1,5}(?:,[ \t]*\d{1,5}){0,20}$)"
)
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}
_TRAILING: Final = ".,;:!?'\"*_`“”’»"
_ROLE_TARGET = re.compile(
    r"(?:.*<)?\s*0*(?P<number>\d{1,5})(?:#(?P<anchor>[^>\s]+))?\s*>?", re.DOTALL
)
_RFC_SECTION = re.compile(r"(?:section|appendix)-([\w.]+)", re.IGNORECASE)
_OF = re.compile(rf"{GAP}(?:der|des|von|of|in){GAP}(?:the{GAP})?")
_NEXT_NUMBER = re.compile(
    rf"(?:{OPT},{OPT}(?:(?:und|and|or|oder){GAP})?|{GAP}(?:und|oder|and|or|&){GAP})"
    rf"(?:(?:{documents.SERIES_WORDS})[ -]?)?0*(\d{{1,5}}){END}"
)
_NEXT_ACT = re.compile(
    rf"(?:{OPT},{OPT}|{GAP}(?:und|oder|sowie|and|or){GAP})"
    r"((?:\([A-Za-z, ]{2,20}\) (?:N[ro]\.? ?)?)?\d{1,4}/\d{1,4}(?:/[A-Za-z]{2,8})?)(?![^\W_])"
)
_PLURAL_ACT = re.compile(r"Richtlinien|\w*[Vv]erordnungen|\w*[Bb]eschlüsse|\w+s\Z")
_SECTION_BEHIND = re.compile(rf"[\])]?,?{GAP}\(?")


def detect_references(text: str) -> list[DetectedReference]:
    """Find the references of a text, in text order, with ``text[start:end] == reference.text``.

    Sections (``§§ 6 bis 9 des Atomgesetzes``, ``section 3.2``), documents
    (``Medizinproduktegesetz``, ``Richtlinie 2013/59/Euratom``, ``PEP 484``, ``DIN 6812``) and web
    addresses. A section without a document belongs to the text itself. A list or range yields one
    reference for each label, all with the span of the whole list; other spans do not overlap.
    References inside the same section (``Absatz 2``) and the headings of sections are left out.
    Time is linear, about 0.5 s for 1 MB.
    """
    references: list[DetectedReference] = []
    position = 0
    while match := _BEGINNING.search(text, position):
        found_here = list(_BY_GROUP[str(match.lastgroup)](text, match))
        references += found_here
        position = max([match.end(), *(reference.end for reference in found_here)])
    return references


def _section(text: str, match: re.Match[str]) -> References:
    if not is_heading(text, match):
        chain = read_chain(text, match)
        yield from _of_chain(text, chain, chain.document)


def _unit(text: str, match: re.Match[str]) -> References:
    """Read ``Absatz 2 des § 5``, ``Table 2 of section 5``: the subdivision comes first."""
    if chain := _chain_behind(_OF, text, match.end()):
        yield from _of_chain(text, chain, chain.document, collapse(match.group()), match.start())


def _series(text: str, match: re.Match[str]) -> References:
    """Read ``PEP 484``, ``PEPs 484, 526 and 544``; with a section: ``RFC 9110, section 4.2``."""
    others, end = _others(_NEXT_NUMBER, text, match.end()) if match["plural"] else ([], match.end())
    names = [f"{match['word']} {number}" for number in (match["number"], *others)]
    if others:
        return _documents(text, match.start(), end, names)
    return _with_section(text, match, names[0])


def _eu_act(text: str, match: re.Match[str]) -> References:
    """Read ``Verordnung (EU) 2017/745``; ``Richtlinien 90/385/EWG und 93/42/EWG`` are two."""
    name = collapse(match.group())
    word = name.split(" ", 1)[0]
    plural = _PLURAL_ACT.match(word)
    others, end = _others(_NEXT_ACT, text, match.end()) if plural else ([], match.end())
    names = [name, *(f"{word} {collapse(number)}" for number in others)]
    return _documents(text, match.start(), end, names)


def _others(following: re.Pattern[str], text: str, end: int) -> tuple[list[str], int]:
    """Return the further numbers of a list, and where it ends."""
    numbers: list[str] = []
    while len(numbers) < LISTED - 1 and (match := following.match(text, end)):
        numbers.append(match[1])
        end = match.end()
    return numbers, end


def _title(text: str, match: re.Match[str]) -> References:
    name, end = documents.read_dated(text, match.group(), match.end())
    return _documents(text, match.start(), end, [name])


def _header(text: str, match: re.Match[str]) -> References:
    names = [f"PEP {int(number)}" for number in re.findall(r"\d+", match.group())]
    return _documents(text, *match.span(), names)


def _with_section(text: str, match: re.Match[str], name: str | None = None) -> References:
    """Read a document, with a section if one follows: ``IEC 60601-1, clause 8.2``, ``AtG § 9a``."""
    name = name or collapse(match.group())
    chain = _chain_behind(_SECTION_BEHIND, text, match.end())
    if chain is None or chain.cites:
        return _documents(text, *match.span(), [name])
    return _of_chain(text, chain, name, start=match.start())


def _chain_behind(connection: re.Pattern[str], text: str, end: int) -> Chain | None:
    connected = connection.match(text, end)
    mark = FIRST_MARK.match(text, connected.end()) if connected else None
    return read_chain(text, mark) if mark else None


def _role(text: str, match: re.Match[str]) -> References:
    """Read ``484`` or ``title <484#anchor>``; the anchor names a section or stays as it is."""
    if target := _ROLE_TARGET.fullmatch(match["content"]):
        name, anchor = f"{match['role'].upper()} {target['number']}", target["anchor"]
        section = _RFC_SECTION.fullmatch(anchor) if anchor and match["role"] == "rfc" else None
        label, subdivision = (section[1], None) if section else (None, anchor and f"#{anchor}")
        yield _reference(text, *match.span(), label, subdivision, name)


def _link(text: str, match: re.Match[str]) -> References:
    url = match["markdown_url"] or "".join(match["rst_url"].split())
    yield _reference(text, *match.span(), url=url)


def _url(text: str, match: re.Match[str]) -> References:
    """Read an address without the sentence's punctuation and closing brackets."""
    url = match.group()
    unclosed = {closer: url.count(closer) - url.count(opener) for closer, opener in _PAIRS.items()}
    end = len(url)
    while end and (url[end - 1] in _TRAILING or unclosed.get(url[end - 1], 0) > 0):
        end -= 1
        if url[end] in unclosed:
            unclosed[url[end]] -= 1
    yield _reference(text, match.start(), match.start() + end, url=url[:end])


_READERS: Final[dict[str, Callable[[str, re.Match[str]], References]]] = {
    _ROLE: _role,
    _RST_TARGET: lambda text, match: iter(()),
    _RST_LINK: _link,
    _MARKDOWN_LINK: _link,
    _URL: _url,
    MARK: _section,
    rf"(?<!\w){documents.SERIES}": _series,
    rf"(?<![\w-]){documents.STANDARD}": _with_section,
    rf"(?<!\w){documents.EU_ACT}": _eu_act,
    rf"(?<![\w-])(?:{documents.SHORT_TITLE})": _title,
    documents.LONG_TITLE: _title,
    documents.MENTIONED_ABBREVIATION: _with_section,
    _PEP_HEADER: _header,
    rf"(?<!\w){BARE_UNIT}(?={GAP}(?:der|des|von|of|in){GAP})": _unit,
}
"""By how each kind begins; of those that begin at the same place the first one counts."""
_BY_GROUP: Final = {f"k{number}": read for number, read in enumerate(_READERS.values())}
_BEGINNING = re.compile(
    r"(?=[§A-ZÄÖÜacsph`\[:.])(?:"
    + "|".join(f"(?P<k{number}>{beginning})" for number, beginning in enumerate(_READERS))
    + ")"
)


def _of_chain(
    text: str, chain: Chain, document: str | None, unit: str | None = None, start: int | None = None
) -> References:
    """Yield one reference for each label; the first includes what is before the first section."""
    for index, group in enumerate(chain.groups):
        begin = start if start is not None and index == 0 else group.start
        end = chain.end if group is chain.groups[-1] else group.end
        before = unit if index == 0 else None
        pairs = dict.fromkeys(
            (label, " ".join(filter(None, (last, before))) or None)
            for item in group.items
            for label in item.labels
            for last in [item.subdivision if label == item.labels[-1] else None]
        )
        for label, subdivision in pairs:
            yield _reference(text, begin, end, label, subdivision, document, group.word)


def _documents(text: str, start: int, end: int, names: list[str]) -> References:
    return (_reference(text, start, end, document=name) for name in names)


def _reference(
    text: str,
    start: int,
    end: int,
    label: str | None = None,
    subdivision: str | None = None,
    document: str | None = None,
    word: str = "section",
    url: str | None = None,
) -> DetectedReference:
    """Build a reference; ``word`` names labels that are mere numbers when they are shown."""
    name = nominative(document) if document else None
    numbered = label is not None and label[0].isdigit()
    section = " ".join(filter(None, (word if numbered else None, label, subdivision)))
    names = (name, section) if numbered or label is None else (section, name)
    return DetectedReference(
        text=text[start:end],
        start=start,
        end=end,
        type="external" if url else "section" if label else "document",
        label=label,
        subdivision=subdivision,
        document=document,
        target=url or " ".join(filter(None, names)),
    )
