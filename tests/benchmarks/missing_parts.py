"""Is the half that the documents do not answer said to be missing, and no other?

    python -m tests.benchmarks.missing_parts --home HOME --collection NAME [--depth D] [--pairs N]

Joins questions of one collection of ``data/fresh``: one that its documents answer with one that
they do not, and two that they answer; and asks besides those that are answered and taken for
several. Prints how many name what is missing, rightly and wrongly. Without ``gold`` the documents
do not answer a question.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from agent.engine.engine import connect
from agent.prompts import say
from services.language.query.heads import QuestionReader
from services.language.query.understand import understand
from services.retrieval.embedders import BundledEmbedder
from services.retrieval.embedders.base import remembering
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row

KINDS = {
    (True, True): "both known",
    (True, False): "second missing",
    (False, True): "first missing",
    (True,): "taken for several",
}


def joined(records: list[Row], most: int) -> Iterator[list[Row]]:
    """Pairs of questions; in every other one what is missing stands first."""
    known = [each for each in records if each["gold"]]
    unknown = [each for each in records if not each["gold"]]
    pairs = [[one, none] for one, none in zip(known, unknown, strict=False)]
    rest = iter(known[len(pairs) :])
    pairs += [[*two] for two in zip(rest, rest, strict=False)][:most]
    for n, two in enumerate(pairs):
        yield two if n % 2 else two[::-1]


def missing_in(closing: str, language: str) -> str:
    """What an answer says it has nothing on."""
    begin = say(language, "not_found", "").partition(":")[0]
    return closing[closing.find(begin) :] if begin in closing else ""


def named(record: Row, told: str) -> bool:
    """Whether the end of a question, or all of it, is among what is told."""
    return record["q"].strip(" ?.!")[-30:].casefold() in told.casefold()


def fresh(collection: str, most: int) -> Iterator[tuple[str, list[Row]]]:
    """Joined questions, and those that are taken for several, each with its records."""
    rows = common.read_lines(common.DATA / "fresh" / "dev.jsonl")
    records = [row for row in rows if row["collection"] == collection]
    reader = QuestionReader(remembering(BundledEmbedder()))
    several = (
        [each]
        for each in records
        if each["gold"] and len(understand(each["q"], reader=reader).subquestions) > 1
    )
    for asked in chain(joined(records, most), several):
        yield " ".join(each["q"] for each in asked), asked


def main() -> None:
    parser = common.arguments(__doc__, "home")
    parser.add_argument("--collection", required=True)
    parser.add_argument("--depth", default="fast")
    parser.add_argument("--pairs", type=int, default=8, help="of two that are answered")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with connect(Settings(home=options.home, llm="none")) as client:
        for question, asked in fresh(options.collection, options.pairs):
            known = [bool(each["gold"]) for each in asked]
            kind = KINDS[tuple(known)]
            turn, _ = common.ask(client, question, options.collection, options.depth)
            told = missing_in(turn["closing"], turn["language"])
            rightly = any(named(each, told) for each in asked if not each["gold"])
            wrongly = any(named(each, told) for each in asked if each["gold"])
            counts.update([kind] + [f"{kind}: rightly"] * rightly + [f"{kind}: wrongly"] * wrongly)
            counts.update([f"{kind}: refused"] * turn["refused"])
            print(rightly, wrongly, turn["certainty"], question, told, sep="\t")
    print(*(f"{name}: {count}" for name, count in sorted(counts.items())), sep="\n")


if __name__ == "__main__":
    main()
