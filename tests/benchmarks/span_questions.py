"""Questions whose gold is a passage: a verbatim quote, located in the extracted text.

Each line of ``data/span_questions.jsonl`` has ``id``, ``lang``, ``kind`` (``near`` the wording,
``paraphrased``, or ``indirect``: the answer stands in a definition, table, annex, exception or
example), ``question`` and ``gold``, the passages of which each alone answers it.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

QUESTIONS = Path(__file__).parent / "data" / "span_questions.jsonl"

Kind = Literal["near", "paraphrased", "indirect"]


@dataclass(frozen=True)
class Passage:
    """A quote from the extracted text of a document; one space stands for any white space."""

    document: str
    quote: str

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where the quote stands in ``text``, as (start, end) in characters."""
        pattern = r"\s+".join(map(re.escape, self.quote.split()))
        return [found.span() for found in re.finditer(pattern, text)]


@dataclass(frozen=True)
class SpanQuestion:
    question_id: str
    language: Literal["de", "en"]
    kind: Kind
    text: str
    gold: tuple[Passage, ...]


def load_span_questions(path: Path = QUESTIONS) -> list[SpanQuestion]:
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [
        SpanQuestion(
            question_id=row["id"],
            language=row["lang"],
            kind=row["kind"],
            text=row["question"],
            gold=tuple(Passage(**passage) for passage in row["gold"]),
        )
        for row in rows
    ]
