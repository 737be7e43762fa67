"""What the second reading by the model of ``RABBITHOLE_LLM`` leaves of a large model's sentences.

    python -m tests.benchmarks.second_reading [--limit N]

One call for the sentences of a question. A sentence is false to both readers or to one
(``data/readings``); told are the sentences from each bound of the judge on, before and after.
"""

import asyncio
from collections.abc import Iterable, Sequence
from itertools import groupby

from agent.second_reading import ReadAgain, ReadingInput

from services.domain import Citation, CitedSentence
from services.models.factory import make_model
from services.models.tasks import TaskRunner
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row

SENTENCES = common.DATA / "readings" / "sentences.jsonl"
SAID = ("in other words", "words", "not said")
"""What the judge found, where numbers, labels and other places do not stand against it."""
BOUNDS = (0.9, 0.8, 0.7, 0.5)


def cited(row: Row) -> CitedSentence:
    place = Citation(
        document="",
        document_id="",
        page=None,
        section=row["place"],
        start=0,
        end=len(row["quote"]),
        quote=row["quote"],
        verified=True,
    )
    return CitedSentence(text=row["claim"], supported=True, standing="follows", citations=(place,))


async def left(tasks: TaskRunner, rows: Sequence[Row]) -> list[Row]:
    """Those in whose places the model misses nothing; what it did not read is not left."""
    inp = ReadingInput(language=rows[0]["lang"], claims=tuple(map(cited, rows)))
    read = (await tasks.run(ReadAgain(), inp)).value
    return [row for number, row in enumerate(rows, start=1) if read.get(number) == ""]


def counted(rows: Iterable[Row], bound: float) -> str:
    found = [row for row in rows if row["found"] in SAID and row["says"] >= bound]
    both = sum(not any(row["true"]) for row in found)
    one = sum(not all(row["true"]) for row in found)
    return f"{len(found)}: {both} false to both, {one} to one, {len(found) - one} true"


async def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--limit", type=int, help="so many questions")
    given = parser.parse_args()
    settings = Settings()
    model = await make_model(settings)
    assert model is not None, "RABBITHOLE_LLM names no model"
    tasks = TaskRunner(model, deadline_s=settings.call_deadline_s)
    of_question = groupby(common.read_lines(SENTENCES), lambda row: (row["set"], row["question"]))
    groups = [list(rows) for _, rows in of_question][: given.limit]
    try:
        kept = [row for rows in groups for row in await left(tasks, rows)]
    finally:
        await model.close()
    for name in ("fresh", "unseen"):
        for bound in BOUNDS:
            before, after = (
                counted((row for row in some if row["set"] == name), bound)
                for some in ([row for rows in groups for row in rows], kept)
            )
            print(f"{name}, says {bound} or more: {before}; left {after}")


if __name__ == "__main__":
    asyncio.run(main())
