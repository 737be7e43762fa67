"""Answers of the agent written out, for reading: each step, what it took, and the answer.

    python -m tests.benchmarks.agent_transcript --home HOME --out FILE.md [--only 1,3]

Asks the questions of ``data/agent_questions.json`` with the model of ``RABBITHOLE_LLM``.
"""

import time

from agent.engine.engine import Engine, connect
from services.domain.events import AgentStart
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row

SHOWN = 240


def ask(client: Engine, question: str, collection: str) -> Row:
    """The answered turn with its wall-clock seconds, and what was said that it would take."""
    begin = time.monotonic()
    asked = client.answers.ask(question, collections=[collection], depth="agent")
    told = None
    for record in client.threads.follow(asked.thread_id, asked.after):
        if isinstance(record.event, AgentStart):
            told = record.event.usual_s
    if client.threads.run(asked.thread_id).status == "waiting":
        client.threads.cancel(asked.thread_id)
        return {"question": question, "seconds": time.monotonic() - begin, "waits": True}
    turn = client.answers.turns(asked.thread_id)[asked.turn - 1]
    return {**turn, "seconds": time.monotonic() - begin, "told_s": told}


def written(turn: Row, kind: str) -> str:
    """A turn as Markdown."""
    head = f"**{turn['question']}** ({kind})"
    if turn.get("waits"):
        return f"{head}\n\nasked back, {turn['seconds']:.0f} s"
    usage, trace = turn["usage"], turn["agent"]
    ended = [name.replace("_", " ") for name in ("reflection_concluded", "forced_conclusion")]
    said = [name for name in ended if trace[name.replace(" ", "_")]]
    told = f" (told: about {turn['told_s']:.0f})" if turn["told_s"] else ""
    facts = [
        f"{trace['steps']} steps, {usage['model_calls']} calls, {turn['seconds']:.0f} s{told}",
        f"prompts {usage['prompt_tokens']} tokens, written {usage['completion_tokens']}",
        *said,
        *(["refused"] if turn["refused"] else []),
    ]
    steps = [line for step in turn["agent_steps"] for line in of_step(step)]
    answer = "> " + "\n> ".join(turn["answer"].splitlines())
    cited = [f"- [{c['number']}] {c['place']}: {short(c['quote'])}" for c in turn["citations"]]
    cited += [f"- degraded: {short(each)}" for each in turn["degraded"]]
    blocks = [head, "; ".join(facts), "\n".join(steps), answer, "\n".join(cited)]
    return "\n\n".join(block for block in blocks if block)


def of_step(step: Row) -> list[str]:
    """Thought, actions and observations of a step as a list."""
    undone = ", undone" * step["discarded"]
    lines = [f"- step {step['number']} ({step['seconds']:.0f} s{undone}): {short(step['thought'])}"]
    observations = [*step["observations"], *[""] * len(step["actions"])]
    for action, seen in zip(step["actions"], observations, strict=False):
        arguments = "; ".join(action["arguments"].values())
        lines.append(f"  - {action['tool']}: {short(arguments)}")
        lines += [f"    - {short(seen)}"] if seen else []
    return [*lines, *([f"  - {short(step['reflection'])}"] if step["reflection"] else [])]


def short(text: str) -> str:
    plain = " ".join(text.split()).replace("|", "\\|")
    return plain if len(plain) <= SHOWN else f"{plain[: SHOWN - 1]}…"


def main() -> None:
    parser = common.arguments(__doc__, "home", "out")
    parser.add_argument("--only", default="", help="numbers of questions, from 1")
    options = parser.parse_args()
    only = {int(each) for each in options.only.split(",") if each}
    parts = ["# Answers of the agent, written out"]
    with connect(Settings(home=options.home)) as client:
        for number, row in enumerate(common.read_json(common.DATA / "agent_questions.json"), 1):
            if only and number not in only:
                continue
            turn = ask(client, row["question"], row["collection"])
            print(f"{turn['seconds']:6.1f} s  {row['question']}", flush=True)
            parts.append(written(turn, f"{row['kind']}; {common.load()}"))
            options.out.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
