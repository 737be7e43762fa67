"""Question sets in the format of BEIR (Thakur et al., NeurIPS 2021).

A folder with ``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``,
``text``) and ``qrels/test.tsv`` (query id, corpus id, score; a header line is passed over).
"""

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from services.domain.errors import InvalidInput

SAMPLE_SEED = 1

Judgements = Mapping[str, Mapping[str, int]]
"""Score of each judged record by query; above 0 it is relevant."""


@dataclass(frozen=True)
class Record:
    """An entry of the corpus; ``title`` may be empty."""

    record_id: str
    title: str
    text: str


@dataclass(frozen=True)
class QuestionSet:
    """Questions on one line each, with their judgements; every one has a relevant record."""

    queries: Mapping[str, str]
    judgements: Judgements

    def sample(self, limit: int | None) -> "QuestionSet":
        """At most ``limit`` questions, drawn at random and always the same."""
        if limit is None or limit >= len(self.queries):
            return self
        drawn = random.Random(SAMPLE_SEED).sample(sorted(self.queries), limit)
        return QuestionSet(
            queries={query: self.queries[query] for query in drawn},
            judgements={query: self.judgements[query] for query in drawn},
        )


def read_corpus(folder: Path) -> Iterator[Record]:
    """The records of ``corpus.jsonl``, one at a time.

    Raises:
        InvalidInput: the file is missing, or a line is not a record.
    """
    for row in _rows(folder / "corpus.jsonl"):
        yield Record(row["_id"], row.get("title", ""), row["text"])


def read_questions(folder: Path) -> QuestionSet:
    """The questions that have a relevant record, in the order of ``queries.jsonl``.

    Raises:
        InvalidInput: a file is missing or malformed, or no question has a relevant record.
    """
    judgements = _read_judgements(folder / "qrels" / "test.tsv")
    judged = {query for query, scores in judgements.items() if max(scores.values()) > 0}
    rows = _rows(folder / "queries.jsonl")
    texts = {row["_id"]: " ".join(row["text"].split()) for row in rows}
    queries = {query: text for query, text in texts.items() if query in judged and text}
    if not queries:
        raise InvalidInput(
            f"{folder} has no question with a relevant record: the first column of "
            "qrels/test.tsv must hold ids of queries.jsonl, the third a score above 0."
        )
    return QuestionSet(queries, {query: judgements[query] for query in queries})


def _rows(path: Path) -> Iterator[dict[str, str]]:
    """Objects of a JSON-lines file, reduced to their texts; ``_id`` and ``text`` are there."""
    for number, line in _lines(path):
        try:
            row = json.loads(line)
            found = {key: str(row[key]) for key in ("_id", "text")}
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"{path}, line {number}: not a JSON object with _id and text ({error!r}). "
                "Correct the line; BEIR sets have one object a line."
            ) from error
        yield found | {"title": str(row.get("title") or "")}


def _read_judgements(path: Path) -> dict[str, dict[str, int]]:
    judgements: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        try:
            query, record, score = line.rstrip("\n").split("\t")
            if number == 1 and score == "score":
                continue
            judgements.setdefault(query, {})[record] = int(score)
        except ValueError as error:
            raise InvalidInput(
                f"{path}, line {number}: not a query id, a corpus id and a whole number, "
                "separated by tabs. Correct the line."
            ) from error
    return judgements


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    try:
        with path.open(encoding="utf-8") as file:
            yield from ((n, line) for n, line in enumerate(file, start=1) if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"{path} cannot be read ({error}). A BEIR folder holds corpus.jsonl, queries.jsonl "
            "and qrels/test.tsv, all in UTF-8."
        ) from error
