"""Writes measured answers as Markdown, for reading: how each was found, what it says, and where.

rabbithole eval answers --questions Q.jsonl --depth DEPTH --out R.json
python -m tests.benchmarks.transcript R.json --out FILE.md
"""

from pathlib import Path

from tests.benchmarks import common
from tests.benchmarks.common import Row

SHOWN = 260
"""Characters of a quote, an observation or a thought."""


def written(row: Row) -> str:
    """An answer as Markdown."""
    report = row["report"]
    calls = report["usage"].get("model_calls", 0)
    facts = [
        f"{report.get('certainty', 'report')}, {calls} calls, {row['seconds']:.1f} s",
        *(f"{each['status']}: {each['item']}" for each in report.get("required_info", ())),
        *(line for step in report.get("agent_steps", ()) for line in of_step(step)),
        *(f"degraded: {short(each)}" for each in report.get("degraded", ())),
    ]
    return "\n\n".join(
        [
            f"## {row['id']}. {row['question']}",
            "\n".join(f"- {fact}" for fact in facts),
            "\n".join(f"> {short(line)}" for line in report["answer"].splitlines() if line.strip()),
            "\n".join(sentence_line(each) for each in report["sentences"]),
        ]
    )


def of_step(step: Row) -> list[str]:
    """What the agent thought in a step, and what it did."""
    actions = (
        f"{each['tool']} {'; '.join(each['arguments'].values())}" for each in step["actions"]
    )
    return [f"step {step['number']}: {short(step['thought'])}", *map(short, actions)]


def sentence_line(sentence: Row) -> str:
    """The standing of a sentence and the places that it cites."""
    places = "; ".join(f"{c['document']} {c['section']}".strip() for c in sentence["citations"])
    return f"- {sentence['standing']}: {short(sentence['text'])} ({places or 'no place'})"


def short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= SHOWN else f"{plain[: SHOWN - 1]}…"


def main() -> None:
    parser = common.arguments(__doc__, "out")
    parser.add_argument("result", type=Path)
    options = parser.parse_args()
    result = common.read_json(options.result)
    head = f"# Answers at depth {result['depth']}, models: {', '.join(result['models']) or 'none'}"
    parts = [head, *(written(row) for row in result["rows"] if row.get("report"))]
    options.out.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
