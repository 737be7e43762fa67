"""Quick answers written out, for reading: what was asked, found, answered, and what it took.

    python -m tests.benchmarks.ask_transcript --home HOME --collection NAME --out FILE.md

Asks the questions of ``data/ask_questions.json`` with the model of ``RABBITHOLE_LLM``: some that
the two sample laws answer, some that they do not, and a conversation with follow-ups. The first
one warms the model up and is asked again.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent.engine.engine import Engine, connect
from services.settings import Settings

QUESTIONS = Path(__file__).parent / "data" / "ask_questions.json"
Turn = dict[str, Any]


def ask(client: Engine, question: str, collection: str, thread: str | None = None) -> Turn:
    """The answered turn, with the seconds until the first word and until the end."""
    begin = time.monotonic()
    asked = client.answers.ask(
        question, thread_id=thread, collections=None if thread else [collection]
    )
    first = None
    for record in client.threads.follow(asked.thread_id, asked.after):
        if first is None and record.event.kind == "token_update":
            first = time.monotonic() - begin
    turn = client.answers.turns(asked.thread_id)[asked.turn - 1]
    return {
        **turn,
        "thread": asked.thread_id,
        "first_s": first,
        "seconds": time.monotonic() - begin,
    }


def written(turn: Turn) -> str:
    """A turn as Markdown."""
    usage = turn["usage"]
    calls = usage["model_calls"]
    first = f"{turn['first_s']:.1f} s to the first words, " if turn["first_s"] else ""
    lines = [f"**{turn['question']}**"]
    if turn["question_rewritten"]:
        lines.append(f"understood as: {turn['question_rewritten']}")
    lines.append(
        f"{turn['classification']['type']}, {turn['depth']}, {calls} calls, "
        f"prompt {usage['prompt_tokens']} tokens, {first}{turn['seconds']:.1f} s in all"
        + (", refused" if turn["refused"] else "")
    )
    lines += ["> " + "\n> ".join(turn["answer"].splitlines())]
    lines += [f"- [{c['number']}] {c['place']}: {c['quote']}" for c in turn["citations"]]
    lines += [f"- degraded: {each}" for each in turn["degraded"]]
    return "\n\n".join(lines[:-1] if len(lines) < 4 else lines[:3]) + "\n\n" + "\n".join(lines[3:])


def summary(name: str, turns: Sequence[Turn]) -> str:
    """Medians and extremes of a group."""
    seconds = [turn["seconds"] for turn in turns]
    firsts = [turn["first_s"] for turn in turns if turn["first_s"]]
    tokens = [turn["usage"]["prompt_tokens"] for turn in turns]
    calls = [turn["usage"]["model_calls"] for turn in turns]
    refused = sum(turn["refused"] for turn in turns)
    first = f"first words {spread(firsts)} s, " if firsts else ""
    return (
        f"{name}: {len(turns)} turns, {refused} refused, {first}whole {spread(seconds)} s, "
        f"prompts {spread(tokens)} tokens, calls {spread(calls)}"
    )


def spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.1f} ({min(values):.1f}-{max(values):.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    parts, heads = [], []
    with connect(Settings(home=options.home)) as client:
        ask(client, questions["answerable"][0] + " (0)", options.collection)
        for name in ("answerable", "unanswerable", "conversation"):
            turns: list[Turn] = []
            for question in questions[name]:
                thread = turns[-1]["thread"] if turns and name == "conversation" else None
                turns.append(ask(client, question, options.collection, thread))
                print(f"{turns[-1]['seconds']:6.1f} s  {question}", flush=True)
            heads.append("- " + summary(name, turns))
            parts.append(f"## {name}\n\n" + "\n\n".join(written(turn) for turn in turns))
    load = f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    head = f"# Quick answers, written out\n\n{load}\n\n" + "\n".join(heads)
    options.out.write_text(head + "\n\n" + "\n\n".join(parts) + "\n", encoding="utf-8")
    print(head)


if __name__ == "__main__":
    main()
