"""What an answer needed and which documents cover it: required information by documents."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.export.texts import Labels, labels_for, with_count
from services.language.text.normal import one_line

Json = dict[str, Any]
Key = tuple[str, str]
"""File name and id of a document."""
SECTIONS_SHOWN: Final = 3
UNASSIGNED: Final = "beside"
"""The status of the row of evidence that belongs to no item."""
ENOUGH_TIER: Final = 2
"""Quotes of this tier or a better one answer a task; those of the third are context."""
NOTHING: Final = "–"


@dataclass(frozen=True)
class CoverageCell:
    """The evidence of a document for an item.

    ``places`` is ``§ 78, § 77, § 71 +2``, or a bullet if they have no names; ``figures`` count
    passages by tier, and quotes.
    """

    places: str = ""
    figures: tuple[str, ...] = ()
    quoted: bool = False

    def __str__(self) -> str:
        return "; ".join(filter(None, (self.places, *self.figures))) or NOTHING


@dataclass(frozen=True)
class CoverageRow:
    """An item of required information; ``status`` is a code, ``word`` its label for readers."""

    item: str
    status: str
    word: str
    cells: tuple[CoverageCell, ...]


@dataclass(frozen=True)
class CoverageTable:
    """Items in the order of plan or question, documents by amount of evidence, ties by name.

    The last row has the evidence that belongs to no item. ``header`` names the first two columns.
    """

    title: str
    header: tuple[str, str]
    documents: tuple[str, ...]
    rows: tuple[CoverageRow, ...]


def required_info(report: Mapping[str, Any]) -> list[Json]:
    """Return an item for each task of a research report, in the shape of a structured answer."""
    by_id = {passage["chunk_id"]: passage for passage in report["evidence"]}
    items = []
    for task in report["todo"]:
        passages = [passage for passage in by_id.values() if passage["task"] == task["id"]]
        quotes = Counter(
            quote["chunk_id"]
            for quote in report["quotes"]
            if quote["task_id"] == task["id"] and quote.get("chunk_id") in by_id
        )
        # A task may also quote passages that went to another one.
        evidence = _ranked([*passages, *(by_id[chunk_id] for chunk_id in quotes)], quotes)
        items.append(
            {
                "item": task["task"],
                "task": task["id"],
                "status": _status(evidence),
                "evidence": evidence,
            }
        )
    return items


def _ranked(passages: Iterable[Json], quotes: Mapping[str, int]) -> list[Json]:
    """Return each passage once, the best first, with its number of quotes."""
    unique = {passage["chunk_id"]: passage for passage in passages}
    fields = ("chunk_id", "document_id", "document", "section", "page", "page_label")
    return [
        {
            **{name: passage.get(name) for name in fields},
            "relevance": relevance_of(passage),
            "tier": passage["tier"],
            "quotes": quotes.get(passage["chunk_id"], 0),
        }
        for passage in sorted(
            unique.values(),
            key=lambda passage: (passage["tier"], -relevance_of(passage), passage["chunk_id"]),
        )
    ]


def _status(evidence: Sequence[Json]) -> str:
    if any(passage["quotes"] and passage["tier"] <= ENOUGH_TIER for passage in evidence):
        return "covered"
    return "partial" if evidence else "missing"


def relevance_of(passage: Mapping[str, Any]) -> float:
    """Return how relevant a passage is (0-1); its score, if an older report has nothing else."""
    relevance: float | None = passage.get("relevance")
    return float(passage["score"]) if relevance is None else relevance


def coverage_map(required: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the ids of the passages for each item; items of the same words share them."""
    ids: dict[str, dict[str, None]] = {}
    for item in required:
        passages = (passage["chunk_id"] for passage in item["evidence"])
        ids.setdefault(item["item"], {}).update(dict.fromkeys(passages))
    return {text: list(chunk_ids) for text, chunk_ids in ids.items()}


def coverage_table(
    answer: Mapping[str, Any], language: str, most: int | None = None
) -> CoverageTable:
    """Return the table of a turn or a report; without rows for a quick answer.

    An old report without ``required_info`` is read from its plan. ``most`` documents have a column
    of their own; all others share one more column.
    """
    labels = labels_for(language)
    required = _all_required(answer)
    counts = Counter(_document(passage) for item in required for passage in item["evidence"])
    names = _distinct_names(sorted(counts, key=lambda key: (-counts[key], key)))
    columns = list(names)[: most if most is not None and len(names) > most + 1 else None]
    others = [labels.others.format(len(names) - len(columns))] * (len(columns) < len(names))
    return CoverageTable(
        title=labels.coverage,
        header=(labels.required, labels.status),
        documents=(*(names[key] for key in columns), *others),
        rows=tuple(_row(item, columns, names, labels) for item in required),
    )


def _all_required(answer: Mapping[str, Any]) -> list[Json]:
    """Return all items, the last with evidence from the clarification or restored later."""
    required = answer.get("required_info")
    if required is None:
        required = required_info(answer) if "todo" in answer else []
    assigned = {passage["chunk_id"] for item in required for passage in item["evidence"]}
    others = [
        {**passage, "quotes": 0}
        for passage in answer.get("evidence", ())
        if passage["chunk_id"] not in assigned
    ]
    if required and others:
        return [*required, {"item": "", "status": UNASSIGNED, "evidence": others}]
    return list(required)


def _document(passage: Mapping[str, Any]) -> Key:
    return one_line(passage.get("document") or ""), passage.get("document_id") or ""


def _distinct_names(keys: Iterable[Key]) -> dict[Key, str]:
    """Name each document; equal file names are numbered."""
    counts: Counter[str] = Counter()
    names = {}
    for key in keys:
        counts[key[0]] += 1
        names[key] = key[0] if counts[key[0]] == 1 else f"{key[0]} ({counts[key[0]]})"
    return names


def _row(
    item: Mapping[str, Any], columns: Sequence[Key], names: Mapping[Key, str], labels: Labels
) -> CoverageRow:
    status, evidence = item["status"], item["evidence"]
    cells = [
        _cell([passage for passage in evidence if _document(passage) == key], labels)
        for key in columns
    ]
    if len(columns) < len(names):
        others = [
            {**passage, "section": names[_document(passage)]}
            for passage in evidence
            if _document(passage) not in columns
        ]
        cells.append(_cell(others, labels))
    text = labels.beside if status == UNASSIGNED else one_line(item["item"])
    return CoverageRow(text, status, labels.statuses.get(status, NOTHING), tuple(cells))


def _cell(evidence: Sequence[Mapping[str, Any]], labels: Labels) -> CoverageCell:
    """Return the evidence of one document; that of quick answers has no tiers and no quotes."""
    names = (one_line(passage.get("section") or "") for passage in evidence)
    sections = list(dict.fromkeys(filter(None, names)))
    more = len(sections) - SECTIONS_SHOWN
    section_list = ", ".join(sections[:SECTIONS_SHOWN]) + (f" +{more}" if more > 0 else "")
    counts = sorted(Counter(p["tier"] for p in evidence if "tier" in p).items())
    tiers = ", ".join(labels.tier.format(tier, count) for tier, count in counts)
    quotes = sum(passage.get("quotes", 0) for passage in evidence)
    return CoverageCell(
        places=section_list or "•" * bool(evidence),
        figures=tuple(filter(None, (tiers, with_count(labels.quotes, quotes) if quotes else ""))),
        quoted=quotes > 0,
    )
