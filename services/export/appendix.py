"""How an answer came about, as lists and tables: coverage, searches, evidence, quality, cost."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from services.domain.events import total_seconds
from services.domain.value import page_number
from services.export.blocks import Block, Paragraph, bullet_list, heading, titled_table
from services.export.coverage import coverage_table, relevance_of
from services.export.texts import Labels, one_line

Json = Mapping[str, Any]
COLUMNS = 3
"""Documents with a column of their own in a table that is read or printed."""


def of_report(report: Json, labels: Labels) -> Iterator[Block]:
    """Yield the tables and figures of a research."""
    yield from _coverage(report, labels)
    yield from _searches(report, labels)
    yield from _evidence(report["evidence"], labels)
    yield from _dropped(report["dropped"], labels)
    yield from _quality(report["quality"], labels)
    yield from _cost([report["usage"]], labels)


def of_turns(turns: Sequence[Json], labels: Labels) -> Iterator[Block]:
    """Yield the coverage of each answer of a conversation, and the cost of all."""
    yield from by_turn(turns, labels, lambda turn: _coverage(turn, labels))
    yield from _cost([turn["usage"] for turn in turns], labels)


def by_turn(
    turns: Sequence[Json], labels: Labels, blocks_of: Callable[[Json], Iterable[Block]]
) -> Iterator[Block]:
    """Yield the blocks of each answer; if there are several, headings name the question."""
    for number, turn in enumerate(turns, 1):
        for block in blocks_of(turn):
            if len(turns) > 1 and isinstance(block, Paragraph) and block.kind == "heading":
                yield heading(labels.question.format(number, block.text))
            else:
                yield block


def _coverage(answer: Json, labels: Labels) -> list[Block]:
    table = coverage_table(answer, labels.language, COLUMNS)
    rows = [(row.item, row.word, *map(str, row.cells)) for row in table.rows]
    return titled_table(table.title, (*table.header, *table.documents), rows)


def _searches(report: Json, labels: Labels) -> list[Block]:
    """Return every search of the clarification and of each task, with its hits."""
    rounds = [
        (labels.round.format(search["iteration"] + 1), "; ".join(search["queries"]), search)
        for search in report.get("retrieval_history", ())
    ]
    by_task = [
        (task["task"], search["query"], search)
        for task in report.get("tasks", ())
        for search in task["searches"]
    ]
    rows = [
        (one_line(purpose), one_line(query), str(search["hits"]), str(search["new"]))
        for purpose, query, search in (*rounds, *by_task)
    ]
    header = (labels.required, labels.searched, labels.hits, labels.new)
    return titled_table(labels.history, header, rows)


def _evidence(evidence: Iterable[Json], labels: Labels) -> Iterator[Block]:
    """Yield one table for each tier."""
    page = labels.page.format(page="").strip()
    header = (labels.document, labels.section, page, labels.relevance, labels.found_by)
    tiers: dict[int, list[tuple[str, ...]]] = {}
    for passage in evidence:
        row = (
            *_location(passage),
            page_number(passage.get("page"), passage.get("page_label", "")),
            labels.number(relevance_of(passage), 2),
            _found_by(passage, labels),
        )
        tiers.setdefault(passage["tier"], []).append(row)
    for tier, rows in sorted(tiers.items()):
        yield from titled_table(labels.tiers.get(str(tier), str(tier)), header, rows)


def _location(passage: Json) -> tuple[str, str]:
    return one_line(passage.get("document", "")), one_line(passage.get("section", ""))


def _found_by(passage: Json, labels: Labels) -> str:
    """Return ``Suche``, ``Verweis, Schritt 2`` or ``Wissensgraph, Schritt 1: § 78 › § 79``."""
    source = labels.how_found.get(passage["source_type"], one_line(passage["source_type"]))
    depth = f", {labels.depth.format(passage['depth'])}" if passage["depth"] else ""
    path = one_line(passage.get("way", ""))
    return f"{source}{depth}: {path}" if path else f"{source}{depth}"


def _dropped(dropped: Iterable[Json], labels: Labels) -> list[Block]:
    rows = [
        (
            one_line(passage.get("text") or ""),
            " ".join(_location(passage)),
            "" if passage["score"] is None else labels.number(passage["score"], 2),
            one_line(passage["reason"] or ""),
        )
        for passage in dropped
    ]
    header = (labels.finding, labels.section, labels.relevance, labels.reason)
    return titled_table(labels.dropped, header, rows)


def _quality(quality: Json | None, labels: Labels) -> list[Block]:
    if quality is None:
        return []
    total = labels.total.format(labels.number(quality["total"]))
    scores = [f"{name}: {labels.number(quality[key])}" for key, name in labels.dimensions.items()]
    revised = [_revision(quality, labels)] if quality["revised"] else []
    return bullet_list(labels.quality, [total, *scores, *revised, *quality["remarks"]])


def _revision(quality: Json, labels: Labels) -> str:
    """Say that the answer was revised once, with the scores before and after."""
    if not quality.get("before"):
        return str(labels.revised)
    text = labels.revised_better if quality["revision_helped"] else labels.revised_in_vain
    totals = (labels.number(quality[name]["total"]) for name in ("before", "after"))
    return str(text.format(*totals))


def _cost(usages: Sequence[Json], labels: Labels) -> list[Block]:
    """Return model calls, tokens and seconds; also the work, if steps ran side by side."""
    calls, prompt, completion = (
        labels.number(sum(usage[name] for usage in usages))
        for name in ("model_calls", "prompt_tokens", "completion_tokens")
    )
    seconds = [total_seconds(usage["seconds"]) for usage in usages]
    work = [total_seconds(usage.get("work_seconds") or usage["seconds"]) for usage in usages]
    texts = [
        labels.calls.format(calls),
        labels.tokens.format(prompt, completion),
        labels.duration.format(labels.number(sum(seconds), 1)),
    ]
    if sum(work) > sum(seconds):
        texts.append(labels.side_by_side.format(labels.number(sum(work), 1)))
    return bullet_list(labels.cost, texts)
