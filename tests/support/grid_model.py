"""A scripted model for grids and sweeps, which answers by patterns of what texts say."""

import json
import re
from pathlib import Path
from typing import Any

from services.models.base import ChatRequest
from tests.support.scripted_model import Answer, Rule

NOTICE, DEPOSIT = "Wie lang ist die Kündigungsfrist?", "Wie hoch ist die Kaution?"
BEGIN = "Wann beginnt der Vertrag?"
PERIODS = {
    f"Wie lang ist die Frist {x}?": rf"Die Frist {x} beträgt ([^.]+)\." for x in "ABCDEFGHIJ"
}
ANSWERS = {
    NOTICE: r"Die Kündigungsfrist beträgt ([^.]+)\.",
    DEPOSIT: r"Die Kaution beträgt (.+)\.",
    BEGIN: r"Der Vertrag beginnt am (\d+\. \w+ \d+)",
    **PERIODS,
}
"""What answers a question, the value in a group."""
ANY_PERIOD = r"Die (?:Kündigungsfrist|Frist [A-J]) beträgt ([^.]+)\."


def prompt_of(request: ChatRequest) -> str:
    """The message with the passages, which a request for a repair repeats."""
    return next(message.content for message in request.messages if message.role == "user")


def filled_in(request: ChatRequest) -> str:
    passages, questions = prompt_of(request).split("Fragen:\n")
    cells = [
        {"question": int(n), "values": values_in(passages, ANSWERS[asked])}
        for n, asked in re.findall(r"(?m)^(\d+)\. (.*) \(.*\)$", questions)
    ]
    return json.dumps({"cells": cells}, ensure_ascii=False)


def looked_through(request: ChatRequest) -> str:
    """Every passage of the prompt with a period, and the numbers of the others."""
    passages = prompt_of(request)
    items = values_in(passages, ANY_PERIOD)
    named = {source["passage"] for item in items for source in item["sources"]}
    numbers = {int(n) for n in re.findall(r"(?m)^\[(\d+)\]", passages)}
    nothing_in = sorted(numbers - named)
    return json.dumps({"items": items, "nothing_in": nothing_in}, ensure_ascii=False)


def values_in(passages: str, pattern: str) -> list[dict[str, Any]]:
    return [
        {
            "value": match[1],
            "claim": match[0],
            "sources": [{"passage": passage_at(passages, match.start()), "quote": match[0]}],
        }
        for match in re.finditer(pattern, passages)
    ]


def passage_at(passages: str, position: int) -> int:
    return int(re.findall(r"(?m)^\[(\d+)\]", passages[:position])[-1])


def verified(request: ChatRequest) -> str:
    statements = prompt_of(request).split("Aussagen, jede mit ihren Passagen:")[1]
    numbers = re.findall(r"(?m)^(\d+)\. ", statements)
    return json.dumps({"readings": [{"number": int(n), "missing": ""} for n in numbers]})


def grouped(request: ChatRequest) -> str:
    statements = re.findall(r"(?m)^(\d+)\. (.*)$", prompt_of(request))
    by_text: dict[str, list[int]] = {}
    for n, text in statements:
        by_text.setdefault(text, []).append(int(n))
    groups = [
        {"value": text.split(":")[0], "numbers": numbers} for text, numbers in by_text.items()
    ]
    return json.dumps({"groups": groups}, ensure_ascii=False)


TASKS: dict[str, Answer] = {
    "fill_in": filled_in,
    "what_counts": {"counts": "Jede Frist mit einer Zahl."},
    "look_through": looked_through,
    "verify": verified,
    "group": grouped,
    "contradict": {"pairs": []},
}


def grid_rules() -> list[Rule]:
    return [(f"^{name}$", said) for name, said in TASKS.items()]


def contract(number: int) -> str:
    """A contract with ten sections, of which nine or eight name a period."""
    sections = (
        f"## § {n} Punkt {x}\n\nDie Frist {x} beträgt {(7 * number + n) % 30 + 1} Tage.\n"
        if (number + n) % 7
        else f"## § {n} Punkt {x}\n\nDazu ist nichts vereinbart.\n"
        for n, x in enumerate("ABCDEFGHIJ", start=1)
    )
    return "\n".join((f"# Vertrag {number}\n", *sections))


def write_contracts(folder: Path, count: int) -> None:
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"vertrag-{number:05}.md").write_text(contract(number), encoding="utf-8")
