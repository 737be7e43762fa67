"""Scores what the systems said and what it cost; prints the table of README.md.

    python -m tests.benchmarks.peers.compare [ANSWERS.jsonl] [--files DIR] [--calls CALLS.jsonl]
        [--questions FILE] [--scores SCORES.jsonl]

``data/peers`` holds the rows of the day, with what each answer cost; of new ones the log of the
model server tells it. With the documents, the cited section is looked for too, or, of a question
that keeps the words which answer it, those: a citation hits if half of the shorter of the two lies
in the other. ``--scores`` keeps a line an answer, without a word of it or of the documents.
"""

import argparse
import json
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from services.evaluation.answers import groups_found, refuses
from tests.benchmarks import common

DATA = common.DATA / "peers"
Row = Mapping[str, Any]


def facts(row: Row, question: Row) -> float | None:
    """Share of the facts that an answer states; where it repeats the question it states none."""
    found = groups_found(str(row["answer"]).replace(question["q"], " "), question["must"])
    return sum(found) / len(found) if found else None


def files_cited(row: Row, question: Row) -> float | None:
    """Share of the gold documents that some sentence cites."""
    cited = {Path(c["file"]).stem for said in row["sentences"] for c in said["citations"]}
    gold = gold_files(question)
    return sum(name in cited for name in gold) / len(gold) if gold else None


def gold_files(question: Row) -> list[str]:
    """Stems of the documents that answer a question; none where nothing does."""
    named = question.get("documents", question["gold"]) if question["gold"] else ()
    return [Path(name).stem for name in named]


def gold_places(question: Row, texts: Mapping[str, str]) -> list[tuple[str, tuple[int, int]]]:
    """File and place of each section, or of each piece of the words, that answers a question."""
    files = gold_files(question)
    if "answer_sentence" not in question:
        pairs = zip(files, question["heading"], strict=True)
        return [(name, section(texts[name], heading)) for name, heading in pairs]
    pieces = question["answer_sentence"].split("[…]") if files else ()
    placed = [[(name, place_of(piece, texts[name])) for name in files] for piece in pieces]
    return [max(places, key=lambda each: each[1]) for places in placed]


def sections_cited(row: Row, question: Row, texts: Mapping[str, str]) -> float | None:
    """Share of the gold places that some cited words lie in; none where files alone are cited.

    None where a gold document is no plain text: what its words are each reads differently.
    """
    if not texts.keys() >= set(gold_files(question)):
        return None
    places = [
        (name, place_of(c["text"], texts[name]))
        for said in row["sentences"]
        for c in said["citations"]
        if c["text"].strip() and (name := Path(c["file"]).stem) in texts
    ]
    hits = [
        any(name == file and overlaps(place, gold) for file, place in places)
        for name, gold in gold_places(question, texts)
    ]
    return sum(hits) / len(hits) if hits else None


def section(text: str, heading: str) -> tuple[int, int]:
    """Where the last section of this heading begins and ends, in text without white space.

    What stands below a heading under it is part of it.
    """
    at, level, found = 0, 0, (0, 0)
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip("#"))
        if depth and line.lstrip("# ").strip() == heading:
            level, found = depth, (at, at)
        elif 0 < depth <= level:
            level = 0
        at += len("".join(line.split()))
        if level:
            found = (found[0], at)
    return found


def place_of(words: str, text: str) -> tuple[int, int]:
    """Where cited words stand, in text without white space; nowhere: an empty place."""
    bare, whole = "".join(words.split()), "".join(text.split())
    at = whole.find(bare)
    return (at, at + len(bare)) if at >= 0 else (0, 0)


def overlaps(one: tuple[int, int], other: tuple[int, int]) -> bool:
    shared = min(one[1], other[1]) - max(one[0], other[0])
    shorter = min(one[1] - one[0], other[1] - other[0])
    return shorter > 0 and shared >= shorter / 2


def refused(row: Row) -> bool:
    """By hand where the answers were read, else what the system says of itself, else its words."""
    if "refused" in row:
        return bool(row["refused"])
    if row.get("certainty"):
        return bool(row["certainty"] == "refused")
    return refuses(row["answer"])


def spent(row: Row, calls: Iterable[Row]) -> dict[str, float]:
    """Calls within an answer's time, their tokens, and when the last spoke first."""
    within = [c for c in calls if row["begun"] <= c["begun"] <= row["ended"]]
    chats = [c for c in within if c["kind"] == "chat" and c.get("completion_tokens")]
    said = {
        "calls": len(chats),
        "prompt": sum(c.get("prompt_tokens", 0) for c in chats),
        "written": sum(c.get("completion_tokens", 0) for c in chats),
        "embedded": sum(c["prompt_tokens"] for c in within if c["kind"] == "embedding"),
    }
    if chats and chats[-1]["first_s"] is not None:
        said["first"] = chats[-1]["begun"] + chats[-1]["first_s"] - row["begun"]
    return said


def table(rows: Sequence[Row], questions: Mapping[str, Row], texts: Mapping[str, str]) -> str:
    """One line a system: of each question the last answer, of ingestions the first."""
    by_system: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        if row["id"] != "ingestion" or row["id"] not in by_system[row["system"]]:
            by_system[row["system"]][row["id"]] = row
    lines = [
        "| system | asked | failed | facts | file | section | refused | false refusals "
        "| first s | last s | calls | prompt tokens | written | ingestion s |",
        "|---|" + "---|" * 13,
    ]
    return "\n".join(
        [*lines, *(line(n, [*had.values()], questions, texts) for n, had in by_system.items())]
    )


def line(
    name: str, rows: Sequence[Row], questions: Mapping[str, Row], texts: Mapping[str, str]
) -> str:
    answers = [row for row in rows if row["id"] != "ingestion"]
    known = [(row, questions[row["id"]]) for row in answers]
    answerable = [(row, q) for row, q in known if q["gold"]]
    empty = [row for row, q in known if not q["gold"]]
    ok = [row for row in answers if "error" not in row]
    false = sum("error" not in r and refused(r) and not facts(r, q) for r, q in answerable)
    cells = [
        name,
        str(len(answers)),
        str(len(answers) - len(ok)),
        mean([facts(*pair) for pair in answerable], percent),
        mean([files_cited(*pair) for pair in answerable], percent),
        mean([sections_cited(*pair, texts) for pair in answerable], percent) if texts else "",
        f"{sum('error' not in row and refused(row) for row in empty)} of {len(empty)}",
        f"{false} of {len(answerable)}",
        middle([row.get("first_s") or row["spent"].get("first") for row in ok]),
        middle([row["last_s"] for row in ok]),
        *(middle([row["spent"][kind] for row in ok]) for kind in ("calls", "prompt", "written")),
        middle([row["last_s"] for row in rows if row["id"] == "ingestion"][:1]),
    ]
    return "| " + " | ".join(cells) + " |"


def score(row: Row, question: Row, texts: Mapping[str, str]) -> dict[str, Any]:
    """What one answer came to."""
    told = {name: row.get(name) for name in ("system", "id", "certainty", "first_s", "last_s")}
    said = {"facts": facts(row, question), "file": files_cited(row, question)}
    said["section"] = sections_cited(row, question, texts) if texts else None
    return {**told, **said, "refused": refused(row), "error": row.get("error"), **row["spent"]}


def mean(values: Sequence[float | None], shown: Callable[[float], str]) -> str:
    known = [value for value in values if value is not None]
    return shown(statistics.mean(known)) if known else "–"


def percent(value: float) -> str:
    return f"{value:.0%}"


def middle(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{statistics.median(known):,.0f}" if known else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("answers", type=Path, nargs="?", default=DATA / "answers.jsonl")
    parser.add_argument("--files", type=Path, help="the documents")
    parser.add_argument("--calls", type=Path, help="log of the model server")
    parser.add_argument("--questions", type=Path, default=DATA / "questions.jsonl")
    parser.add_argument("--only", nargs="*", help="ids of questions")
    parser.add_argument("--scores", type=Path, help="to write")
    given = parser.parse_args()
    questions = {each["id"]: each for each in common.read_lines(given.questions)}
    texts = {
        path.stem: path.read_text(encoding="utf-8")
        for path in (given.files.iterdir() if given.files else ())
        if path.suffix in (".md", ".txt")
    }
    kept = {"ingestion", *(given.only or questions)}
    rows = [row for row in common.read_lines(given.answers) if row["id"] in kept]
    if given.calls:
        calls = list(common.read_lines(given.calls))
        rows = [{**row, "spent": spent(row, calls)} for row in rows]
    print(table(rows, questions, texts))
    if given.scores:
        answers = [row for row in rows if row["id"] != "ingestion"]
        lines = [json.dumps(score(row, questions[row["id"]], texts)) for row in answers]
        given.scores.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
