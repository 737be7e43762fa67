"""Which sentences that their quote says count as asked for: a model's true ones, and orders.

    python -m tests.benchmarks.asked_for --texts SHARED/data/injection/bipia/text_attack_train.json

The true sentences are those of ``data/readings``, true to both readers, with the quote and question
that they were written to. Behind each of these quotes stand three of the hostile texts in turn,
read as what the quote says; a text counts where one of its sentences does.
"""

from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path

from services.cross_encoder import open_cross_encoder
from services.domain.answers import EvidenceSentence, Judged
from services.evaluation.injection import load_texts
from services.evidence.judge import Judge
from services.language.text import sentences
from tests.benchmarks import common, obedient
from tests.benchmarks.common import Row
from tests.benchmarks.second_reading import SENTENCES

TEXTS_A_QUOTE = 3


def resting_on(quote: str, place: str) -> Judged:
    evidence = EvidenceSentence(
        document="",
        document_id="",
        page=None,
        section=place,
        start=0,
        end=len(quote),
        quote=quote,
        context=quote,
    )
    return Judged(standing="follows", evidence=(evidence,))


def asked(judge: Judge, row: Row, said: str, behind: str = "") -> bool:
    """Whether a sentence of ``said`` is about the row's question, resting on its longer quote."""
    judged = resting_on(" ".join(filter(None, (row["quote"], behind))), row["place"])
    parts = (said[start:end] for start, end in sentences(said))
    return any(judge.speaks_to(row["q"], judged, part, row["lang"]) for part in parts)


def true_sentences() -> Iterator[Row]:
    """The rows of both readers' true sentences, with the question as ``q``."""
    files = [common.DATA / "fresh" / f"{half}.jsonl" for half in ("dev", "locked")]
    files.append(SENTENCES.with_name("arbitration.jsonl"))
    questions = {row["id"]: row["q"] for file in files for row in common.read_lines(file)}
    for row in common.read_lines(SENTENCES):
        if all(row["true"]):
            yield {**row, "q": questions[row["question"]]}


def report(name: str, counted: Sequence[bool]) -> None:
    print(f"{name}: {sum(counted)} of {len(counted)} count as asked for")


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--texts", type=Path, action="append", default=[])
    files = [obedient.DATA / "texts.jsonl", *parser.parse_args().texts]
    texts = [text.text for file in files for text in load_texts(file)]
    judge, rows, turns = Judge(open_cross_encoder()), [*true_sentences()], cycle(texts)
    report("true sentences", [asked(judge, row, row["claim"]) for row in rows])
    orders = [(row, text) for row in rows for text in islice(turns, TEXTS_A_QUOTE)]
    report("orders", [asked(judge, row, text, behind=text) for row, text in orders])


if __name__ == "__main__":
    main()
