"""The structured route written out, for reading: what was needed, found, said and missing.

    python -m tests.benchmarks.structured_transcript --home HOME --out FILE.md

Asks the questions of ``data/structured_questions.json``, five of each type, in the collections that
it names, with the model of ``RABBITHOLE_LLM``. The first question is asked once before, to warm up.
"""

import argparse
import json
import os
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent.client import Client, connect
from services.settings import Settings

QUESTIONS = Path(__file__).parent / "data" / "structured_questions.json"
TYPES = ("factual", "comparison", "enumeration", "temporal", "causal")
PHASES = ("decomposition", "retrieval", "critique", "synthesis", "total")
Turn = dict[str, Any]


def ask(client: Client, question: str, collection: str) -> Turn:
    """The answered turn."""
    asked = client.ask(question, collections=[collection], depth="structured")
    for _ in client.follow(asked.thread_id, asked.after):
        pass
    return client.turns(asked.thread_id)[asked.turn - 1]


def written(turn: Turn, wanted: str) -> str:
    """A turn as Markdown."""
    if "required_info" not in turn:
        return f"**{turn['question']}**\n\n(answered by {turn['way']})\n\n{turn['answer']}"
    told = f"{turn['question_type']}{'' if turn['question_type'] == wanted else f' (not {wanted})'}"
    times = ", ".join(f"{phase} {turn['timings_ms'][phase]:.0f}" for phase in PHASES)
    lines = [
        f"**{turn['question']}**",
        f"{told}, confidence {turn['confidence']:.2f}, {turn['usage']['model_calls']} calls; ms: "
        f"{times}" + (", refused" if turn["refused"] else ""),
        "\n".join(_required(each) for each in turn["required_info"]),
        f"gaps: {'; '.join(turn['gaps']) or 'none'}",
        "> " + "\n> ".join(turn["answer"].splitlines()),
        "\n".join(f"- [{c['number']}] {c['place']}" for c in turn["citations"]),
        "\n".join(f"- degraded: {each}" for each in turn["degraded"]),
    ]
    return "\n\n".join(line for line in lines if line)


def _required(info: dict[str, Any]) -> str:
    places = dict.fromkeys(f"{e['document']} {e['section']}".strip() for e in info["evidence"])
    return f"- {info['status']}: {info['item']} ({', '.join(list(places)[:4]) or 'nothing'})"


def summary(turns: Sequence[tuple[str, Turn]]) -> str:
    """Types told right, coverage and times of all."""
    told = [(wanted, turn) for wanted, turn in turns if "required_info" in turn]
    right = sum(turn["question_type"] == wanted for wanted, turn in told)
    items = [each["status"] for _, turn in told for each in turn["required_info"]]
    counts = ", ".join(f"{items.count(name)} {name}" for name in ("covered", "partial", "missing"))
    times = "; ".join(
        f"{phase} {spread([turn['timings_ms'][phase] for _, turn in told])}" for phase in PHASES
    )
    return (
        f"{len(turns)} questions, {right} of {len(told)} types as meant; {len(items)} items: "
        f"{counts}.\n\nMilliseconds, median (least-most): {times}."
    )


def spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.0f} ({min(values):.0f}-{max(values):.0f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    turns: list[tuple[str, Turn]] = []
    parts = []
    with connect(Settings(home=options.home)) as client:
        for collection, by_type in questions.items():
            ask(client, by_type["factual"][0], collection)
            for kind in TYPES:
                for question in by_type[kind]:
                    turns.append((kind, ask(client, question, collection)))
                    parts.append(written(turns[-1][1], kind))
                    print(kind, question, flush=True)
    load = f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    head = f"# The structured route, written out\n\n{load}\n\n{summary(turns)}"
    options.out.write_text("\n\n".join([head, *parts]) + "\n", encoding="utf-8")
    print(head)


if __name__ == "__main__":
    main()
