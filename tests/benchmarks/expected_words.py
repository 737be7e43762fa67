"""What documents might say, searched with: how much more of what answers is shown.

    python -m tests.benchmarks.expected_words --home HOME [--half locked] COLLECTION...

Asks half of the fresh questions without a model, and then with one that says for
each what ``data/expected`` has and writes no answer. Prints the share of the answering words that
are shown, of questions with all of them, and how certain the turns are.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator

from agent.engine.engine import Engine, connect_to
from agent.examination import keep_result
from agent.prompts import words_of
from services.build import Services
from services.domain import Principal
from services.domain.model_checks import Examination
from services.models.base import ChatRequest
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row
from tests.support.research import STRAIGHT, report_of, researched
from tests.support.scripted_model import ScriptedModel, prompt_of


def plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


def shown_of(record: Row, turn: Row) -> float:
    """The share of the groups of answering words of which one is shown, 0-1."""
    shown = plain(" ".join(each["text"] for each in turn["sentences"]))
    groups = [any(plain(word) in shown for word in group) for group in record["must"]]
    return sum(groups) / len(groups)


def scripted(records: list[Row], said: dict[str, str]) -> ScriptedModel:
    """Says what documents might say, and that nothing answers."""

    def expected(request: ChatRequest) -> str:
        prompt = prompt_of(request)  # a part of a question has no mark at its end
        texts = (said[each["id"]] for each in records if each["q"].rstrip("?.! ") in prompt)
        return json.dumps({"passage": next(texts, "")})

    declining = [(words_of("answer", each)["system"][:40], each) for each in ("de", "en")]
    answers = [(re.escape(begin), words_of("answer", lang)["none"]) for begin, lang in declining]
    return ScriptedModel([("^expect$", expected), *answers], default="")


def asked(client: Engine, records: list[Row], depth: str) -> Iterator[tuple[Row, Row]]:
    for record in records:
        question, collection = record["q"], record["collection"]
        if depth == "research":
            thread = researched(client, question, STRAIGHT, [collection])
            yield record, report_of(client, thread)
        else:
            yield record, common.ask(client, question, collection, depth)[0]


def main() -> None:
    parser = common.arguments(__doc__, "home")
    parser.add_argument("collections", nargs="+")
    parser.add_argument("--depth", default="fast")
    parser.add_argument("--half", choices=("dev", "locked"), default="dev")
    options = parser.parse_args()
    rows, guesses = (
        common.read_lines(common.DATA / data / f"{options.half}.jsonl")
        for data in ("fresh", "expected")
    )
    records = [row for row in rows if row["collection"] in options.collections]
    said = {each["id"]: each["p"] for each in guesses}
    for name, model in (("without", None), ("with", scripted(records, said))):

        async def chat_model(model: ScriptedModel | None = model) -> ScriptedModel | None:
            return model

        services = Services(Settings(home=options.home, llm="none"), chat_model=chat_model)
        if model is not None:
            known = Examination(model=model.name, passed=True)
            keep_result(services.catalog, known)
        with connect_to(services, Principal()) as client:
            turns = list(asked(client, records, options.depth))
        known = [shown_of(record, turn) for record, turn in turns if record["gold"]]
        sure = Counter((turn["certainty"], bool(record["gold"])) for record, turn in turns)
        whole = sum(each == 1.0 for each in known) / len(known)
        print(f"{name}: {len(known)} answerable, {sum(known) / len(known):.3f}, all {whole:.3f}")
        print(*(f"  {c}, {'has' if has else 'no'} answer: {n}" for (c, has), n in sure.items()))


if __name__ == "__main__":
    main()
