"""A scripted model that answers from the gold, or nothing: it tests the sets and the scoring.

python -m tests.benchmarks.grids.oracle [--nothing]
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from tests.benchmarks.common import Row, arguments
from tests.benchmarks.grids.gold import plain, states, units
from tests.support.openai_server import OpenAIServer

Body = dict[str, Any]
NO_REPLY: Final = "{}"
"""To what no set asks for, such as summaries of documents."""


class Oracle:
    """Replies to the tasks of grids and sweeps as the gold has it; ``knows`` nothing if False."""

    def __init__(self, sets: Sequence[str], *, knows: bool = True) -> None:
        self._units = {set_: units(set_) if knows else [] for set_ in sets}

    def reply(self, body: Body) -> str:
        prompt = next(str(m["content"]) for m in body["messages"] if m["role"] == "user")
        form = body.get("response_format") or {}
        properties = form.get("json_schema", {}).get("schema", {}).get("properties", {})
        tasks: dict[str, Callable[[str], Row]] = {
            "cells": self._row,
            "items": self._items,
            "readings": _verified,
            "groups": _groups,
            "pairs": self._pairs,
        }
        task = tasks.get(next(iter(properties), ""))
        return json.dumps(task(prompt), ensure_ascii=False) if task else NO_REPLY

    def _row(self, prompt: str) -> Row:
        subject, questions = _questions(prompt)
        passages = _passages(prompt)
        gold = {
            (row["document"], question): cell
            for unit in self._units.get("grid", ())
            for row in unit.rows
            for (question, _), cell in zip(unit.columns, row["cells"], strict=True)
        }
        return {
            "cells": [
                {"question": n, "values": list(_values(gold.get((subject, text)), passages))}
                for n, text in questions
            ]
        }

    def _items(self, prompt: str) -> Row:
        passages = _passages(prompt)
        items, named = [], set()
        for unit in self._units.get("sweep", ()):
            if unit.rows[0]["question"] in prompt:
                for gold in unit.rows[0]["sections"]:
                    for source in _sources(gold["words"], passages, gold["section"])[:1]:
                        value = gold["section"]
                        items.append(
                            {"value": value, "claim": source["quote"], "sources": [source]}
                        )
                        named.add(source["passage"])
        return {"items": items, "nothing_in": [n for n in passages if n not in named]}

    def _pairs(self, prompt: str) -> Row:
        numbers = dict(_numbered_statements(prompt))
        pairs = []
        for unit in self._units.get("contradictions", ()):
            for row in unit.rows:
                if row.get("relation"):
                    sides = [numbers.get(plain(row[side]["claim"])) for side in ("first", "second")]
                    if None not in sides:
                        relation = row["relation"]
                        pair = {"first": sides[0], "second": sides[1], "relation": relation}
                        pairs.append({**pair, "why": row["id"]})
        return {"pairs": pairs}


def _questions(prompt: str) -> tuple[str, list[tuple[int, str]]]:
    tail = prompt.rsplit("\n\n", 2)[1:]
    subject = tail[0].partition(": ")[2].strip()
    found = re.findall(r"(?m)^(\d+)\. (.*?)(?: \([^()]*\))$", tail[1])
    return subject, [(int(n), text) for n, text in found]


def _passages(prompt: str) -> dict[int, str]:
    """Return the passages of a prompt by their numbers."""
    parts = re.split(r"(?m)^\[(\d+)\] ", prompt)
    return {int(n): text for n, text in zip(parts[1::2], parts[2::2], strict=True)}


def _values(gold: Row | None, passages: dict[int, str]) -> Iterator[Row]:
    for item in (gold.get("items") or [gold]) if gold else ():
        sources = _sources(item["decide"], passages)
        quote = " ".join(source["quote"] for source in sources)
        yield {"value": item["values"][0], "claim": quote, "sources": sources}


def _sources(words: Sequence[Any], passages: dict[int, str], label: str = "") -> list[Row]:
    """Return the lines with the words, of the first passage that has all."""
    for number, text in passages.items():
        titles = " ".join(text.splitlines()[:2])
        if states(text, words) and re.search(rf"(?<!\w){re.escape(label)}(?!\w)", titles):
            body = text.partition("\n")[2]
            lines = [line for line in body.split("\n") if any(states(line, [w]) for w in words)]
            whole = next((line for line in lines if states(line, words)), None)
            chosen = [whole] if whole else lines
            return [{"passage": number, "quote": line.strip()} for line in chosen]
    return []


def _numbered_statements(prompt: str) -> Iterator[tuple[str, int]]:
    for n, claim in re.findall(r"(?m)^(\d+)\. (.*) \([^()]*\)$", prompt):
        yield plain(claim), int(n)


def _verified(prompt: str) -> Row:
    numbers = re.findall(r"(?m)^(\d+)\. ", prompt.rsplit("\n\n", 1)[-1])
    return {
        "readings": [{"number": int(n), "missing": "", "why": "", "better": ""} for n in numbers]
    }


def _groups(prompt: str) -> Row:
    numbers = re.findall(r"(?m)^(\d+)\. ", prompt.rsplit("\n\n", 1)[-1])
    return {"groups": [{"value": "", "numbers": [int(n)]} for n in numbers]}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--nothing", action="store_true", help="answer nothing")
    options = parser.parse_args()
    oracle = Oracle(("grid", "sweep", "contradictions"), knows=not options.nothing)
    with OpenAIServer(oracle.reply) as server:
        print(server.base_url, flush=True)
        while True:
            time.sleep(60)


if __name__ == "__main__":
    main()
