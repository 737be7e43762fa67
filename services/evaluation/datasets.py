"""Files of records, one JSON object a line, and question sets in the format of BEIR.

A BEIR set (Thakur et al., NeurIPS 2021) is a folder with ``corpus.jsonl`` (``_id``, ``title``,
``text``), ``queries.jsonl`` (``_id``, ``text``) and ``qrels/test.tsv`` (query id, corpus id,
score).
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self, TypeVar

from pydantic import ConfigDict, Field, ValidationError

from services.domain import Value
from services.domain.errors import InvalidInput

R = TypeVar("R", bound="Record")


class Record(Value):
    """A line of a file; unknown keys are ignored. ``what`` names the kind of record in errors."""

    model_config = ConfigDict(extra="ignore")
    what: ClassVar[str] = "record"

    @classmethod
    def load(cls, path: Path) -> list[Self]:
        """Return all records of a file; raise InvalidInput if it has none, as ``read_records``."""
        records = list(read_records(path, cls))
        if not records:
            raise InvalidInput(f"{path} holds no {cls.what}.")
        return records


def read_records(path: Path, kind: type[R]) -> Iterator[R]:
    """Yield the records of a file, one at a time; raise InvalidInput for any other line."""
    for number, line in read_lines(path):
        try:
            yield kind.model_validate_json(line)
        except ValidationError as error:
            wrong = error.errors()[0]
            location = ".".join(map(str, wrong["loc"])) or "the line"
            needed = (
                field.validation_alias or name
                for name, field in kind.model_fields.items()
                if field.is_required()
            )
            raise InvalidInput(
                f"{path.name}, line {number}: not a record ({location}: {wrong['msg']}). Correct "
                f"the line; it is a JSON object with {', '.join(map(str, needed))}."
            ) from None


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines with their numbers; raise InvalidInput if it is no text."""
    try:
        with path.open(encoding="utf-8") as file:
            yield from ((n, line) for n, line in enumerate(file, start=1) if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        cause = getattr(error, "strerror", None) or error
        raise InvalidInput(f"{path} cannot be read as text ({cause}). Name another.") from error


SAMPLE_SEED = 1

Judgements = Mapping[str, Mapping[str, int]]
"""The score of each judged record, by query; scores above 0 are relevant."""


class CorpusRecord(Record):
    """An entry of the corpus, or a question; ``title`` may be empty."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    record_id: str = Field(validation_alias="_id")
    title: str | None = None
    text: str


@dataclass(frozen=True)
class QuestionSet:
    """Questions by id with their judgements; each has a relevant record."""

    queries: Mapping[str, str]
    judgements: Judgements

    def sample(self, limit: int | None) -> "QuestionSet":
        """Return at most ``limit`` questions, a fixed random sample."""
        if limit is None or limit >= len(self.queries):
            return self
        drawn = random.Random(SAMPLE_SEED).sample(sorted(self.queries), limit)
        return QuestionSet(
            queries={query: self.queries[query] for query in drawn},
            judgements={query: self.judgements[query] for query in drawn},
        )


def read_corpus(folder: Path) -> Iterator[CorpusRecord]:
    return read_records(folder / "corpus.jsonl", CorpusRecord)


def read_questions(folder: Path) -> QuestionSet:
    """Return the questions with a relevant record, in the order of ``queries.jsonl``.

    Raise InvalidInput if a file is missing or malformed, or no question has a relevant record.
    """
    judgements = _read_judgements(folder / "qrels" / "test.tsv")
    relevant = {query for query, scores in judgements.items() if max(scores.values()) > 0}
    records = read_records(folder / "queries.jsonl", CorpusRecord)
    texts = {record.record_id: " ".join(record.text.split()) for record in records}
    queries = {query: text for query, text in texts.items() if query in relevant and text}
    if not queries:
        raise InvalidInput(
            f"{folder} has no question with a relevant record: the first column of "
            "qrels/test.tsv must hold ids of queries.jsonl, the third a score above 0."
        )
    return QuestionSet(queries, {query: judgements[query] for query in queries})


def _read_judgements(path: Path) -> dict[str, dict[str, int]]:
    judgements: dict[str, dict[str, int]] = {}
    for number, line in read_lines(path):
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
