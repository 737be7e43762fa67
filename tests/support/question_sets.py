"""A small question set in BEIR's format."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

RECORDS = {
    "noise": ("Lärm", "Der Grenzwert für Lärm am Arbeitsplatz beträgt 85 Dezibel."),
    "dose": ("Dosis", "Die effektive Dosis darf 20 Millisievert im Jahr nicht überschreiten."),
    "cats": ("", "Katzen schlafen sechzehn Stunden am Tag."),
    "twin": ("", "Katzen schlafen sechzehn Stunden am Tag."),
    "blank": ("", "  "),
}
QUERIES = {
    "q1": "Welcher Grenzwert gilt für Lärm?",
    "q2": "Wie hoch darf die Dosis\n im Jahr sein?",
    "q3": "Wie lange schlafen Katzen am Tag?",
    "unjudged": "Was kostet das?",
}
JUDGEMENTS = {"q1": {"noise": 1, "dose": 0}, "q2": {"dose": 2}, "q3": {"twin": 1}}


def write_set(
    folder: Path,
    *,
    records: Mapping[str, tuple[str, str]] = RECORDS,
    queries: Mapping[str, str] = QUERIES,
    judgements: Mapping[str, Mapping[str, int]] = JUDGEMENTS,
) -> Path:
    """Writes the set into ``folder``, which is returned."""
    (folder / "qrels").mkdir(parents=True)
    write_lines(
        folder / "corpus.jsonl",
        [{"_id": key, "title": title, "text": text} for key, (title, text) in records.items()],
    )
    write_lines(
        folder / "queries.jsonl",
        [{"_id": key, "text": text, "answers": ["x"]} for key, text in queries.items()],
    )
    rows = [f"{q}\t{r}\t{score}" for q, of_q in judgements.items() for r, score in of_q.items()]
    lines = ["query-id\tcorpus-id\tscore", *rows, ""]
    (folder / "qrels" / "test.tsv").write_text("\n".join(lines), encoding="utf-8")
    return folder


def write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    """Writes a record a line; the file."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path
