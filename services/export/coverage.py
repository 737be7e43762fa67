"""What an answer needed and where it was found: required information by documents."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.export.clean import one_line
from services.export.words import Words, numbered, words_for

Json = dict[str, Any]
Key = tuple[str, str]
"""File name and id of a document."""
SECTIONS_SHOWN: Final = 3
BESIDE: Final = "beside"
"""The status of the row of evidence that belongs to no piece."""
ENOUGH_TIER: Final = 2
"""Quotes of this tier or a better one answer a task; those of the third are context."""
NOTHING: Final = "–"


@dataclass(frozen=True)
class Cell:
    """What a document says to a piece of required information.

    ``places`` names the nearest sections and counts the others (``§ 78, § 77, § 71 +2``), or is a
    bullet where they have no names. ``figures`` count passages by tier, and quotes.
    """

    places: str = ""
    figures: tuple[str, ...] = ()
    quoted: bool = False

    def __str__(self) -> str:
        return "; ".join(filter(None, (self.places, *self.figures))) or NOTHING


@dataclass(frozen=True)
class Row:
    """A piece of required information; ``status`` is a code, ``word`` says it to a reader."""

    item: str
    status: str
    word: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class CoverageTable:
    """Pieces in the order of plan or question, documents by how much they say, ties by name.

    What was kept for none of the pieces has the last row. ``header`` names the first two columns,
    ``documents`` those of the cells.
    """

    title: str
    header: tuple[str, str]
    documents: tuple[str, ...]
    rows: tuple[Row, ...]


def required_info(report: Mapping[str, Any]) -> list[Json]:
    """What a research needed, a piece for each task, in the shape of a structured answer.

    Args:
        report: the JSON object "research report".
    """
    kept = {each["chunk_id"]: each for each in report["evidence"]}
    pieces = []
    for task in report["todo"]:
        passages = [each for each in kept.values() if each["task"] == task["id"]]
        quotes = [each for each in report["quotes"] if each["task_id"] == task["id"]]
        pieces.append(_required(task["task"], task["id"], passages, quotes, kept))
    return pieces


def coverage_map(required: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The ids of the passages that speak to each piece; pieces of the same words share them."""
    ids: dict[str, dict[str, None]] = {}
    for piece in required:
        speaking = (evidence["chunk_id"] for evidence in piece["evidence"])
        ids.setdefault(piece["item"], {}).update(dict.fromkeys(speaking))
    return {item: list(speaking) for item, speaking in ids.items()}


def coverage_table(
    value: Mapping[str, Any], language: str, most: int | None = None
) -> CoverageTable:
    """The table of a turn or a report; without rows for a quick answer.

    Args:
        value: a turn as ``ask --json`` prints it, or a research report; from one made before
            reports had ``required_info`` it is read off the plan.
        language: of its words, ``de`` or any other for English.
        most: documents with a column of their own; one more column takes all others.
    """
    words = words_for(language)
    required = _all_required(value)
    counts = Counter(_document(each) for piece in required for each in piece["evidence"])
    names = _distinct(sorted(counts, key=lambda key: (-counts[key], key)))
    own = list(names)[: most if most is not None and len(names) > most + 1 else None]
    others = len(names) - len(own)
    return CoverageTable(
        title=words.coverage,
        header=(words.required, words.status),
        documents=(*(names[key] for key in own), *([words.others.format(others)] * bool(others))),
        rows=tuple(_row(piece, own, names, words) for piece in required),
    )


def _all_required(value: Mapping[str, Any]) -> list[Json]:
    """All pieces; what was found while asking back, or restored, belongs to none of them."""
    required = value.get("required_info")
    if required is None:
        required = required_info(value) if "todo" in value else []
    met = {each["chunk_id"] for piece in required for each in piece["evidence"]}
    beside = [
        {**each, "quotes": 0} for each in value.get("evidence", ()) if each["chunk_id"] not in met
    ]
    if required and beside:
        return [*required, {"item": "", "status": BESIDE, "evidence": beside}]
    return list(required)


def _required(
    item: str,
    task: int | None,
    passages: Iterable[Json],
    quotes: Iterable[Json],
    kept: Mapping[str, Json],
) -> Json:
    """Passages of a task and those that it quotes, whichever task they went to."""
    quoted = Counter(each["chunk_id"] for each in quotes if each.get("chunk_id") in kept)
    unique = {each["chunk_id"]: each for each in (*passages, *(kept[name] for name in quoted))}
    best = sorted(
        unique.values(), key=lambda each: (each["tier"], -nearness(each), each["chunk_id"])
    )
    evidence = [
        {
            **{name: each.get(name) for name in ("chunk_id", "document_id", "document", "section")},
            "page": each.get("page"),
            "relevance": nearness(each),
            "tier": each["tier"],
            "quotes": quoted[each["chunk_id"]],
        }
        for each in best
    ]
    return {"item": item, "task": task, "status": _status(evidence), "evidence": evidence}


def _status(evidence: Sequence[Json]) -> str:
    if any(each["quotes"] and each["tier"] <= ENOUGH_TIER for each in evidence):
        return "covered"
    return "partial" if evidence else "missing"


def nearness(passage: Mapping[str, Any]) -> float:
    """How relevant a passage is; of a report that does not say so, its score."""
    relevance: float | None = passage.get("relevance")
    return float(passage["score"]) if relevance is None else relevance


def _document(evidence: Mapping[str, Any]) -> Key:
    return one_line(evidence.get("document") or ""), evidence.get("document_id") or ""


def _distinct(keys: Iterable[Key]) -> dict[Key, str]:
    """A name for each document; equal file names are numbered."""
    met: Counter[str] = Counter()
    names = {}
    for key in keys:
        met[key[0]] += 1
        names[key] = key[0] if met[key[0]] == 1 else f"{key[0]} ({met[key[0]]})"
    return names


def _row(
    piece: Mapping[str, Any], own: Sequence[Key], names: Mapping[Key, str], words: Words
) -> Row:
    status, evidence = piece["status"], piece["evidence"]
    cells = [_cell([each for each in evidence if _document(each) == key], words) for key in own]
    if len(own) < len(names):
        rest = [each for each in evidence if _document(each) not in own]
        cells.append(_cell([{**each, "section": names[_document(each)]} for each in rest], words))
    item = words.beside if status == BESIDE else one_line(piece["item"])
    return Row(item, status, words.statuses.get(status, NOTHING), tuple(cells))


def _cell(evidence: Sequence[Mapping[str, Any]], words: Words) -> Cell:
    """Evidence of quick answers has no tiers and no quotes."""
    labels = (one_line(each.get("section") or "") for each in evidence)
    sections = list(dict.fromkeys(filter(None, labels)))
    more = len(sections) - SECTIONS_SHOWN
    nearest = ", ".join(sections[:SECTIONS_SHOWN]) + (f" +{more}" if more > 0 else "")
    counts = sorted(Counter(each["tier"] for each in evidence if "tier" in each).items())
    tiers = ", ".join(words.tier.format(tier, count) for tier, count in counts)
    quotes = sum(each.get("quotes", 0) for each in evidence)
    return Cell(
        places=nearest or "•" * bool(evidence),
        figures=tuple(filter(None, (tiers, numbered(words.quotes, quotes) if quotes else ""))),
        quoted=quotes > 0,
    )
