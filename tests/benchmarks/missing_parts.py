"""Is the half that the documents do not answer said to be missing, and no other?

    python -m tests.benchmarks.missing_parts --home HOME --collection NAME [--depth D] [--pairs N]

Joins questions of one collection of ``data/fresh`` in the order of their ids: one that its documents
answer with one that they do not, and two that they answer; asks besides what asks for several
things by itself. Prints how many name what is missing rightly and how many do so wrongly.
"""

from collections.abc import Iterator
from itertools import chain

from agent.engine.engine import connect
from agent.prompts import say
from agent.prompts.structured import quoted_items
from services.language.query.understand import understand
from services.settings import Settings
from services.structured.decomposition import decomposed
from tests.benchmarks import common
from tests.benchmarks.common import Row

Asked = tuple[str, str, str]
"""Kind, language and text of a question."""


def joined(records: list[Row], most: int) -> Iterator[Asked]:
    """Pairs of questions: what is missing stands first in every other one."""
    known = [each for each in records if each["type"] != "unanswerable"]
    unknown = [each for each in records if each["type"] == "unanswerable"]
    pairs = [("missing", one, other) for one, other in zip(known, unknown, strict=False)]
    rest = known[len(pairs) :]
    pairs += [("known", *two) for two in zip(rest[::2], rest[1::2], strict=False)][:most]
    for n, (kind, one, other) in enumerate(pairs):
        first, second = (one, other) if n % 2 else (other, one)
        yield kind, one["lang"], f"{first['q']} {second['q']}"


def missing_in(closing: str, language: str, parts: tuple[str, ...]) -> list[str]:
    """The parts that an answer says it has nothing on."""
    begin = say(language, "not_found", "").partition(":")[0]
    told = closing[closing.find(begin) :] if begin in closing else ""
    return [part for part in parts if quoted_items(language, (part,)) in told]


def main() -> None:
    parser = common.arguments(__doc__, "home", "collection")
    parser.add_argument("--depth", default="fast")
    parser.add_argument("--pairs", type=int, default=8, help="of two that are answered")
    options = parser.parse_args()
    rows = common.read_lines(common.DATA / "fresh" / "dev.jsonl")
    records = [row for row in rows if row["collection"] == options.collection]
    with connect(Settings(home=options.home, llm="none")) as client:
        alone = [("single", each["lang"], each["q"]) for each in records if each["gold"]]
        for kind, language, question in chain(joined(records, options.pairs), alone):
            plan = decomposed(understand(question, language=language)).required_info
            if kind == "single" and len(plan) == 1:
                continue
            turn, _ = common.ask(client, question, options.collection, options.depth)
            told = missing_in(turn["closing"], turn["language"], tuple(turn["subquestions"]))
            print(kind, turn["certainty"], len(turn["subquestions"]), told, question, sep="\t")


if __name__ == "__main__":
    main()
