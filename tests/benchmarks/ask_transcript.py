"""Quick answers written out, for reading: what was asked, found, answered, and what it took.

    python -m tests.benchmarks.ask_transcript --home HOME --collection NAME --out FILE.md

Asks the questions of ``data/ask_questions.json`` with the model of ``RABBITHOLE_LLM``: some that
the two sample laws answer, some that they do not, and a conversation with follow-ups. The first
one warms the model up and is asked again.
"""

import time
from collections.abc import Sequence
from datetime import datetime

from agent.engine.engine import Engine, connect
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row, spread


def ask(client: Engine, question: str, collection: str, thread: str | None = None) -> Row:
    """The answered turn, with the seconds until the first word and until the end."""
    begin = time.time()
    turn, records = common.ask(client, question, collection, "auto", thread)
    words = (record for record in records if record.event.kind == "token_update")
    first = next((datetime.fromisoformat(each.at).timestamp() - begin for each in words), None)
    return {**turn, "first_s": first, "seconds": time.time() - begin}


def written(turn: Row) -> str:
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


def summary(name: str, turns: Sequence[Row]) -> str:
    """Medians and extremes of a group."""
    firsts = [turn["first_s"] for turn in turns if turn["first_s"]]
    tokens = [turn["usage"]["prompt_tokens"] for turn in turns]
    calls = [turn["usage"]["model_calls"] for turn in turns]
    refused = sum(turn["refused"] for turn in turns)
    first = f"first words {spread(firsts, 1)} s, " if firsts else ""
    return (
        f"{name}: {len(turns)} turns, {refused} refused, {first}whole "
        f"{spread([turn['seconds'] for turn in turns], 1)} s, prompts {spread(tokens)} tokens, "
        f"calls {spread(calls)}"
    )


def main() -> None:
    options = common.arguments(__doc__, "home", "collection", "out").parse_args()
    questions = common.read_json(common.DATA / "ask_questions.json")
    parts, heads = [], []
    with connect(Settings(home=options.home)) as client:
        ask(client, questions["answerable"][0] + " (0)", options.collection)
        for name in ("answerable", "unanswerable", "conversation"):
            turns: list[Row] = []
            for question in questions[name]:
                thread = turns[-1]["thread"] if turns and name == "conversation" else None
                turns.append(ask(client, question, options.collection, thread))
                print(f"{turns[-1]['seconds']:6.1f} s  {question}", flush=True)
            heads.append("- " + summary(name, turns))
            parts.append(f"## {name}\n\n" + "\n\n".join(written(turn) for turn in turns))
    head = f"# Quick answers, written out\n\n{common.load()}\n\n" + "\n".join(heads)
    options.out.write_text(head + "\n\n" + "\n\n".join(parts) + "\n", encoding="utf-8")
    print(head)


if __name__ == "__main__":
    main()
