"""The structured route written out, for reading: what was needed, found, said and missing.

    python -m tests.benchmarks.structured_transcript --home HOME --out FOLDER [--ask FILE.json]

Asks the questions of ``data/structured_questions.json``, five of each type, in the collections that
it names, with the model of ``RABBITHOLE_LLM``, and writes one document a collection. ``--ask``
names another file of the same shape. The first question of each collection is asked once before,
to warm up, unless ``--cold``.

``data/structured_judgements.json`` has what a reader made of each answer. A judgement counts only
for the answer that was read: its text is known by its hash.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.engine.engine import connect
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import DATA, Row, spread

PHASES: Final = ("decomposition", "retrieval", "critique", "synthesis", "total")
LONGEST_QUOTE: Final = 260
MOST_SHOWN: Final = 4


@dataclass(frozen=True)
class Asked:
    """An answered question: its place among all (from 1), and the type that it is meant to be."""

    position: int
    collection: str
    wanted: str
    turn: Row


def written(asked: Asked, judgements: Mapping[str, Row]) -> str:
    """A turn as Markdown, long quotes cut."""
    turn = asked.turn
    head = f"### {asked.position}. {turn['question']}"
    told = turn["question_type"]
    other = "" if told == asked.wanted else f", meant as {asked.wanted}"
    times = ", ".join(f"{phase} {turn['timings_ms'][phase]:.0f}" for phase in PHASES)
    usage = turn["usage"]
    again = [each["target_info"] for each in turn["sub_queries"] if each["gap"]]
    facts = [
        f"- type: **{told}**{other}; confidence {turn['confidence']:.2f}; "
        f"{usage['model_calls']} calls, {usage['repairs']} repairs"
        + ("; refused" if turn["refused"] else ""),
        *(_required(each) for each in turn["required_info"]),
        *(_search(each) for each in turn["sub_queries"]),
        f"- looked for again: {_listed(again)}; gaps in the end: {_listed(turn['gaps'])}",
        f"- entities: {_entities(turn)}; temporal coverage: {turn['temporal_coverage'] or 'none'}",
        f"- ms: {times}",
        *(f"- degraded: {each}" for each in turn["degraded"]),
    ]
    answer = "\n".join(f"> {_cut(line)}" for line in turn["answer"].splitlines() if line.strip())
    places = "; ".join(f"[{each['number']}] {each['place']}" for each in turn["citations"])
    parts = [head, "\n".join(facts), answer, places and f"Places: {places}"]
    return "\n\n".join([*(part for part in parts if part), _judged(turn, judgements)])


def _required(info: Row) -> str:
    places = dict.fromkeys(f"{e['document']} {e['section']}".strip() for e in info["evidence"])
    shown = "; ".join(list(places)[:MOST_SHOWN]) or "nothing"
    return f"- **{info['status']}**: {info['item']} ({shown})"


def _search(search: Row) -> str:
    found = ", ".join(f"{name} {count}" for name, count in search["found"].items())
    return f"- searched{' again' if search['gap'] else ''}: `{search['query']}` ({found})"


def _entities(turn: Row) -> str:
    found = [f"{each['name']} {each['passages']}" for each in turn["entities"] if each["passages"]]
    return ", ".join(found[:MOST_SHOWN]) or "none"


def _listed(items: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(items)) or "nothing"


def _cut(line: str) -> str:
    """A line of the answer; of a long quote the beginning, and the numbers of its places."""
    if len(line) <= LONGEST_QUOTE or not line.startswith(">"):
        return line
    text, mark, numbers = line.rpartition(" [")
    return f"{text[:LONGEST_QUOTE]} …{mark}{numbers}"


def digest(turn: Row) -> str:
    """By which an answer and its items are known again."""
    items = [(each["item"], each["status"]) for each in turn["required_info"]]
    text = json.dumps([turn["question_type"], items, turn["answer"]])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _judged(turn: Row, judgements: Mapping[str, Row]) -> str:
    made = judgements.get(turn["question"])
    if made is None or made["answer"] != digest(turn):
        return f"Not read in this form ({digest(turn)})."
    kind = "right" if made["type"] else "wrong"
    useful = {2: "useful", 1: "useful in part", 0: "of no use"}[made["useful"]]
    items = f"{made['items']} of {len(turn['required_info'])} items rightly judged"
    return f"Read: type {kind}, {items}, {useful}. {made['note']}".rstrip()


def counted(asked: Sequence[Asked], judgements: Mapping[str, Row]) -> str:
    """What the reader's judgements come to, of the answers that were read in this form."""
    pairs = [(each.turn, judgements.get(each.turn["question"])) for each in asked]
    made = [(turn, said) for turn, said in pairs if said and said["answer"] == digest(turn)]
    if not made:
        return f"{len(asked)} questions, none read in this form."
    right = sum(said["type"] for _, said in made)
    items = sum(said["items"] for _, said in made)
    of = sum(len(turn["required_info"]) for turn, _ in made)
    useful = [said["useful"] for _, said in made]
    return (
        f"{len(made)} of {len(asked)} read: type right {right}, items rightly judged {items} of "
        f"{of}, useful {useful.count(2)}, in part {useful.count(1)}, of no use {useful.count(0)}."
    )


def summary(asked: Sequence[Asked], judgements: Mapping[str, Row]) -> str:
    """Coverage, times and the reader's counts of all."""
    turns = [each.turn for each in asked]
    items = [info["status"] for turn in turns for info in turn["required_info"]]
    counts = ", ".join(f"{items.count(name)} {name}" for name in ("covered", "partial", "missing"))
    times = "; ".join(
        f"{phase} {spread([turn['timings_ms'][phase] for turn in turns])}" for phase in PHASES
    )
    odd = [each for each in asked if each.position % 2]
    even = [each for each in asked if not each.position % 2]
    return "\n".join(
        [
            f"- {len(turns)} questions, {len(items)} items: {counts}.",
            f"- Milliseconds, median (least-most): {times}.",
            f"- Odd positions: {counted(odd, judgements)}",
            f"- Even positions: {counted(even, judgements)}",
        ]
    )


def document(collection: str, asked: Sequence[Asked], judgements: Mapping[str, Row]) -> str:
    """The transcripts of a collection."""
    model = asked[0].turn["usage"]["model"]
    parts = [
        f"# The structured route on `{collection}`",
        f"{common.load()}; model: {model}. Quotes of more than {LONGEST_QUOTE} characters are cut.",
        summary(asked, judgements),
    ]
    kind = ""
    for each in asked:
        if each.wanted != kind:
            kind = each.wanted
            parts.append(f"## {kind.capitalize()}")
        parts.append(written(each, judgements))
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = common.arguments(__doc__, "home", "out")
    parser.add_argument("--ask", type=Path, default=DATA / "structured_questions.json")
    parser.add_argument("--cold", action="store_true", help="ask nothing before the first question")
    options = parser.parse_args()
    judgements = common.read_json(DATA / "structured_judgements.json")
    options.out.mkdir(parents=True, exist_ok=True)
    position = 0
    with connect(Settings(home=options.home)) as client:
        for collection, by_type in common.read_json(options.ask).items():
            if not options.cold:
                common.ask(client, next(iter(by_type.values()))[0], collection, "structured")
            asked = []
            for kind, texts in by_type.items():
                for text in texts:
                    position += 1
                    turn, _ = common.ask(client, text, collection, "structured")
                    asked.append(Asked(position, collection, kind, turn))
                    print(position, kind, text, flush=True)
            file = options.out / f"structured-{collection}.md"
            file.write_text(document(collection, asked, judgements), encoding="utf-8")
            print(summary(asked, judgements))


if __name__ == "__main__":
    main()
