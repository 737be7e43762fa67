"""One pass over a text: where a citation can begin, the reader for its kind takes over."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from services.ingestion.names import nominative
from services.ingestion.references import documents, links
from services.ingestion.references.chains import Chain, read_chain
from services.ingestion.references.grammar import END, GAP, LISTED, OPT, collapse
from services.ingestion.references.sections import FIRST_MARK, MARK, is_heading
from services.ingestion.references.subdivisions import BARE_UNIT
from services.types import DetectedReference

Found = tuple[list[DetectedReference], int]
"""The references that a reader found and where it stopped."""

_BEGINNINGS: Final = {
    "role": links.ROLE,
    "anchor": links.RST_TARGET,
    "rst": links.RST_LINK,
    "markdown": links.MARKDOWN_LINK,
    "url": links.URL,
    "section": MARK,
    "series": rf"(?<!\w){documents.SERIES}",
    "standard": rf"(?<![\w-]){documents.STANDARD}",
    "eu_act": rf"(?<!\w){documents.EU_ACT}",
    "short_title": rf"(?<![\w-])(?:{documents.SHORT_TITLE})",
    "long_title": documents.LONG_TITLE,
    "abbreviation": documents.MENTIONED_ABBREVIATION,
    "header": r"(?m:^(?:Requires|Replaces|Superseded-By):[ \t]*\d{1,5}(?:,[ \t]*\d{1,5}){0,20}$)",
    "unit": rf"(?<!\w){BARE_UNIT}(?={GAP}(?:der|des|von|of|in){GAP})",
}
_BEGINNING = re.compile(
    r"(?=[§A-ZÄÖÜacsph`\[:.])(?:"
    + "|".join(rf"(?P<a_{kind}>{pattern})" for kind, pattern in _BEGINNINGS.items())
    + ")"
)

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
    """Find the references of a text, in text order.

    Sections (``§§ 6 bis 9 des Atomgesetzes``, ``Anlage 4 Tabelle 1``, ``section 3.2``), documents
    (``Medizinproduktegesetz``, ``Richtlinie 2013/59/Euratom``, ``PEP 484``, ``DIN 6812``) and web
    addresses. A section without a document belongs to the text itself. A list or range yields
    one reference for each label, all with the span of the whole list; other spans do not overlap.
    References inside the same section (``Absatz 2``) and the headings of sections are left out.

    Args:
        text: a chunk, a paragraph or a whole document; time is linear, about 0.5 s for 1 MB.

    Returns:
        References with ``text[start:end] == reference.text``.
    """
    found: list[DetectedReference] = []
    position = 0
    while match := _BEGINNING.search(text, position):
        references, end = _READERS[str(match.lastgroup).removeprefix("a_")](text, match)
        found += references
        position = max(end, match.end())
    return found


def _section(text: str, match: re.Match[str]) -> Found:
    if is_heading(text, match):
        return [], match.end()
    chain = read_chain(text, match)
    return list(_of_chain(text, chain, chain.document)), chain.end


def _unit(text: str, match: re.Match[str]) -> Found:
    """``Absatz 2 des § 5``, ``Table 2 of section 5``: the subdivision comes first."""
    connected = _OF.match(text, match.end())
    mark = FIRST_MARK.match(text, connected.end()) if connected else None
    if mark is None:
        return [], match.end()
    chain = read_chain(text, mark)
    references = _of_chain(text, chain, chain.document, collapse(match.group()), match.start())
    return list(references), chain.end


def _series(text: str, match: re.Match[str]) -> Found:
    """``PEP 484``, ``PEPs 484, 526 and 544``; with a section: ``RFC 9110, section 4.2``."""
    numbers, end = [match["number"]], match.end()
    while match["plural"] and len(numbers) < LISTED:
        following = _NEXT_NUMBER.match(text, end)
        if following is None:
            break
        numbers, end = [*numbers, following[1]], following.end()
    names = [f"{match['word']} {number}" for number in numbers]
    if len(names) == 1:
        return _with_section(text, match.start(), end, names[0])
    return [_reference(text, match.start(), end, None, None, name) for name in names], end


def _standard(text: str, match: re.Match[str]) -> Found:
    return _with_section(text, match.start(), match.end(), collapse(match.group()))


def _with_section(text: str, start: int, end: int, name: str) -> Found:
    """A document whose section may follow: ``IEC 60601-1, clause 8.2``, ``AtG § 9a``."""
    connected = _SECTION_BEHIND.match(text, end)
    mark = FIRST_MARK.match(text, connected.end()) if connected else None
    chain = read_chain(text, mark) if mark else None
    if chain is None or chain.cited is not None:
        return [_reference(text, start, end, None, None, name)], end
    return list(_of_chain(text, chain, name, start=start)), chain.end


def _eu_act(text: str, match: re.Match[str]) -> Found:
    """``Verordnung (EU) 2017/745``; ``Richtlinien 90/385/EWG und 93/42/EWG`` are two."""
    names, end = [collapse(match.group())], match.end()
    word = names[0].split(" ", 1)[0]
    while _PLURAL_ACT.match(word) and len(names) < LISTED:
        following = _NEXT_ACT.match(text, end)
        if following is None:
            break
        names, end = [*names, f"{word} {collapse(following[1])}"], following.end()
    return [_reference(text, match.start(), end, None, None, name) for name in names], end


def _title(text: str, match: re.Match[str]) -> Found:
    version, end = documents.read_version(text, match.end())
    name = f"{collapse(match.group())} {version}".strip()
    return [_reference(text, match.start(), end, None, None, name)], end


def _abbreviation(text: str, match: re.Match[str]) -> Found:
    return _with_section(text, match.start(), match.end(), collapse(match.group()))


def _header(text: str, match: re.Match[str]) -> Found:
    """The relations that a PEP states in its header."""
    numbers = re.findall(r"\d+", match.group())
    references = [
        _reference(text, *match.span(), None, None, f"PEP {int(number)}") for number in numbers
    ]
    return references, match.end()


def _role(text: str, match: re.Match[str]) -> Found:
    target = links.role_target(match["role"], match["content"])
    if target is None:
        return [], match.end()
    name, label, anchor = target
    return [_reference(text, *match.span(), label, anchor, name)], match.end()


def _link(text: str, match: re.Match[str]) -> Found:
    url = match["markdown_url"] or "".join(match["rst_url"].split())
    return [_external(text, *match.span(), url)], match.end()


def _url(text: str, match: re.Match[str]) -> Found:
    url = links.trim_url(match.group())
    end = match.start() + len(url)
    return [_external(text, match.start(), end, url)], end


def _nothing(text: str, match: re.Match[str]) -> Found:
    return [], match.end()


_READERS: Final[dict[str, Callable[[str, re.Match[str]], Found]]] = {
    "role": _role,
    "anchor": _nothing,
    "rst": _link,
    "markdown": _link,
    "url": _url,
    "section": _section,
    "series": _series,
    "standard": _standard,
    "eu_act": _eu_act,
    "short_title": _title,
    "long_title": _title,
    "abbreviation": _abbreviation,
    "header": _header,
    "unit": _unit,
}


def _of_chain(
    text: str, chain: Chain, document: str | None, part: str | None = None, start: int | None = None
) -> Iterator[DetectedReference]:
    """One reference for each label; what stands in front of the first section joins its span."""
    for index, (group, (group_start, end)) in enumerate(
        zip(chain.groups, chain.spans(), strict=True)
    ):
        before, part = part, None
        begin = start if start is not None and index == 0 else group_start
        seen: set[tuple[str, str | None]] = set()
        for item in group.items:
            for label in item.labels:
                last = item.subdivision if label == item.labels[-1] else None
                subdivision = " ".join(filter(None, (last, before))) or None
                if (label, subdivision) not in seen:
                    seen.add((label, subdivision))
                    yield _reference(text, begin, end, label, subdivision, document, group.word)


def _reference(
    text: str,
    start: int,
    end: int,
    label: str | None,
    subdivision: str | None,
    document: str | None,
    word: str = "section",
) -> DetectedReference:
    """Build a reference; ``word`` names labels that are mere numbers when they are shown."""
    name = nominative(document) if document else None
    numbered = label is not None and label[0].isdigit()
    place = " ".join(filter(None, (word if numbered else None, label, subdivision)))
    shown = (name, place) if numbered or label is None else (place, name)
    return DetectedReference(
        text=text[start:end],
        start=start,
        end=end,
        type="section" if label else "document",
        label=label,
        subdivision=subdivision,
        document=document,
        target=" ".join(filter(None, shown)),
    )


def _external(text: str, start: int, end: int, url: str) -> DetectedReference:
    return DetectedReference(
        text=text[start:end],
        start=start,
        end=end,
        type="external",
        label=None,
        subdivision=None,
        document=None,
        target=url,
    )
