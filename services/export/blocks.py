"""What stands around an answer, as lists and tables."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from services.domain.events import total_seconds
from services.export.clean import one_line
from services.export.coverage import coverage_table, nearness
from services.export.words import Words

Row = Mapping[str, Any]
COLUMNS = 3
"""Documents with a column of their own in a table that is read or printed."""


@dataclass(frozen=True)
class Items:
    """A list under a title."""

    title: str
    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table under a title; every row has as many cells as the header."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Items | Table


def behind_the_answer(report: Row, words: Words) -> tuple[Block, ...]:
    """How the answer came about: coverage, searches, evidence, what was dropped, quality, cost."""
    return (
        *coverage(report, words),
        *_history(report, words),
        *_evidence(report["evidence"], words),
        *_dropped(report["dropped"], words),
        *_quality(report["quality"], words),
        *cost(report["usage"], words),
    )


def items_of(title: str, items: Iterable[str]) -> tuple[Block, ...]:
    """A list of what is not empty, none where all is."""
    lines = tuple(line for line in map(one_line, items) if line)
    return (Items(title, lines),) if lines else ()


def coverage(report: Row, words: Words) -> Iterable[Block]:
    """What was needed by documents; a page has room for few."""
    table = coverage_table(report, words.language, COLUMNS)
    rows = tuple((row.item, row.word, *map(str, row.cells)) for row in table.rows)
    if rows:
        yield Table(table.title, (*table.header, *table.documents), rows)


def _evidence(evidence: Iterable[Row], words: Words) -> Iterable[Block]:
    """One table a tier."""
    header = (words.document, words.section, words.page.format("").strip(), words.relevance)
    tiers: dict[int, list[tuple[str, ...]]] = {}
    for item in evidence:
        page = item.get("page")
        row = (
            *_place(item),
            "" if page is None else str(page),
            words.number(nearness(item), 2),
            _how_found(item, words),
        )
        tiers.setdefault(item["tier"], []).append(row)
    for tier, rows in sorted(tiers.items()):
        yield Table(words.tiers.get(str(tier), str(tier)), (*header, words.found_by), tuple(rows))


def _place(item: Row) -> tuple[str, str]:
    return one_line(item.get("document", "")), one_line(item.get("section", ""))


def _how_found(item: Row, words: Words) -> str:
    """``Suche``, ``Verweis, Tiefe 2`` or ``Wissensgraph, Tiefe 1: § 78 › § 79``."""
    found = words.how_found.get(item["source_type"], one_line(item["source_type"]))
    shown = f"{found}, {words.depth.format(item['depth'])}" if item["depth"] else found
    way = one_line(item.get("way", ""))
    return f"{shown}: {way}" if way else shown


def _history(report: Row, words: Words) -> Iterable[Block]:
    """Every search of the clarification and of each task, with its hits and what was new."""
    rounds = (
        (words.round.format(each["iteration"] + 1), "; ".join(each["queries"]), each)
        for each in report.get("retrieval_history", ())
    )
    made = (
        (task["task"], search["query"], search)
        for task in report.get("tasks", ())
        for search in task["searches"]
    )
    rows = tuple(
        (one_line(part), one_line(query), str(counts["hits"]), str(counts["new"]))
        for part, query, counts in (*rounds, *made)
    )
    if rows:
        header = (words.required, words.searched, words.hits, words.new)
        yield Table(words.history, header, rows)


def _dropped(dropped: Iterable[Row], words: Words) -> Iterable[Block]:
    rows = tuple(
        (
            one_line(item.get("text") or ""),
            " ".join(_place(item)),
            "" if item["score"] is None else words.number(item["score"], 2),
            one_line(item["reason"] or ""),
        )
        for item in dropped
    )
    if rows:
        header = (words.finding, words.section, words.relevance, words.reason)
        yield Table(words.dropped, header, rows)


def _quality(quality: Row | None, words: Words) -> tuple[Block, ...]:
    if quality is None:
        return ()
    figures = [f"{name}: {words.number(quality[key])}" for key, name in words.dimensions.items()]
    revised = [_revision(quality, words)] if quality["revised"] else []
    total = words.total.format(words.number(quality["total"]))
    return items_of(words.quality, [total, *figures, *revised, *quality["remarks"]])


def _revision(quality: Row, words: Words) -> str:
    """That it was written once more, and what came of it."""
    if not quality.get("before"):
        return str(words.revised)
    text = words.revised_better if quality["revision_helped"] else words.revised_in_vain
    totals = (words.number(quality[name]["total"]) for name in ("before", "after"))
    return str(text.format(*totals))


def _times(usage: Row, words: Words) -> Iterator[str]:
    """How long it took, and how much work that was where steps ran side by side."""
    clock = total_seconds(usage["seconds"])
    work = total_seconds(usage.get("work_seconds") or {})
    yield words.duration.format(words.number(clock, 1))
    if work > clock:
        yield words.side_by_side.format(words.number(work, 1))


def cost(usage: Row, words: Words) -> tuple[Block, ...]:
    """What a model was asked, and how long all took."""
    number = words.number
    tokens = number(usage["prompt_tokens"]), number(usage["completion_tokens"])
    return items_of(
        words.cost,
        [
            words.calls.format(number(usage["model_calls"])),
            words.tokens.format(*tokens),
            *_times(usage, words),
        ],
    )
