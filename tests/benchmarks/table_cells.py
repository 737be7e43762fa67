"""Does the answer quote the row and the column of the cell that was asked for?

    python -m tests.benchmarks.table_cells --home HOME --collection NAME QUESTIONS.jsonl...

Asks with depth fast, without a model. A line of QUESTIONS has ``document``, ``question``, the
``value`` of one cell, and the words that must stand in its row and above its column, ``row`` and
``column``. The result is *missed*; *passage*: a passage that was found has the row; *row*: a quote
has the row, and the heads name the cell; *marked*: the answer marks this cell in it; *first*: and
marks no other before it. Rows of ``cells_locked`` are not printed: nobody adapts the product to
them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from agent.engine.engine import connect
from services.evidence.highlighting import mark_query_words
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row

BETWEEN = " | "


def holds(text: str, words: str) -> bool:
    """Whether the words stand in a text, white space and dashes aside, not within longer ones."""
    pattern = r"\s+".join(map(re.escape, re.sub("[–—]", "-", words).split()))
    return re.search(rf"(?<![\w-]){pattern}(?![\w-])", re.sub("[–—]", "-", text), re.I) is not None


def asked_cells(line: str, row: Row) -> list[int]:
    """Return the cells of a line, by their numbers, that have the value under its heads."""
    if not all(holds(line, words) for words in row["row"]):
        return []
    value = re.escape(row["value"])
    found = []
    for number, cell in enumerate(line.split(BETWEEN)):
        match = re.fullmatch(rf"((?:.*: )?){value}(?![\w.,]*\w).*", cell)
        if match and all(holds(match[1], words) for words in row["column"]):
            found.append(number)
    return found


def marked_cells(quote: str, query: str) -> Iterator[tuple[str, int]]:
    """Yield the cells of a quote that an answer marks whole, with their heads: line and number."""
    marks = "".join(
        ("x" if run.marked else " ") * len(run.text) for run in mark_query_words(quote, query)
    )
    at = 0
    for line in quote.split("\n"):
        for number, cell in enumerate(line.split(BETWEEN)):
            if ": " in cell and " " not in marks[at : at + len(cell)]:
                yield line, number
            at += len(cell) + len(BETWEEN)
        at += 1 - len(BETWEEN)


def verdict(turn: Row, row: Row, passages: Iterable[str]) -> str:
    quotes = [each["quote"] for each in quotes_in(turn) if each["document"] == row["document"]]
    marked = [cell for quote in quotes for cell in marked_cells(quote, row["question"])]
    right = [number in asked_cells(line, row) for line, number in marked]
    if any(right):
        return "first" if right[0] else "marked"
    if any(asked_cells(line, row) for quote in quotes for line in quote.splitlines()):
        return "row"
    near = any(asked_cells(line, row) for passage in passages for line in passage.splitlines())
    return "passage" if near else "missed"


def quotes_in(value: Any) -> Iterator[Row]:
    """Every object with a quote, at any depth."""
    if isinstance(value, list):
        for item in value:
            yield from quotes_in(item)
    elif isinstance(value, dict):
        if {"quote", "document"} <= value.keys():
            yield value
        for item in value.values():
            yield from quotes_in(item)


def main() -> None:
    parser = common.arguments(__doc__, "home", "collection")
    parser.add_argument("questions", type=Path, nargs="+")
    options = parser.parse_args()
    questions = [(path, row) for path in options.questions for row in common.read_lines(path)]
    services, scope = common.open_scope(options.home, options.collection)
    passages = {
        row["id"]: [
            hit.text for hit in services.retriever.search(row["question"], scope=scope, k=10)
        ]
        for _, row in questions
    }
    del services
    counts: dict[str, Counter[str]] = {}
    with connect(Settings(home=options.home, llm="none")) as client:
        for path, row in questions:
            turn, _ = common.ask(client, row["question"], options.collection, "fast")
            judged = verdict(turn, row, passages[row["id"]])
            counts.setdefault(path.stem, Counter())[judged] += 1
            if path.stem != "cells_locked":
                quotes = [each["quote"][:160] for each in quotes_in(turn)][:1]
                print(row["id"], judged, row["question"], *quotes, sep="\t")
    for name, count in counts.items():
        print(name, dict(count), count.total())


if __name__ == "__main__":
    main()
