"""Does the knowledge graph bring both of two sections that an answer joins, and what does it cost?

    python -m tests.benchmarks.multi_hop --home HOME --collection NAME [--split test] [--show]

The collection is the two sample laws, with a graph (``rabbithole graph build``). Each question is
searched for as quick answers do it: plain hybrid search, and the same with the graph. On questions
about one section (and on one passage) it measures what the places cost that the graph takes.

``data/multi_hop_questions.json`` was made by a rule: a heading, and "Was gilt dafür, und was steht
dort, worauf dabei verwiesen wird?", of each section that refers to one other section only. Those of
``multi_hop_by_hand.json`` were written from the law before any result was looked at, and nothing
is tuned on them; ``multi_hop_one_question.json`` has 25 to tune on and 18 to report. Neither names
a section. A line of ``span_questions.jsonl`` has the passages of which each alone answers it.
"""

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from agent.ask.graph_passages import with_graph
from agent.context import Context
from services.build import Services
from services.domain import Hit, Principal, Scope, SearchFilter
from services.evaluation.statistics import mean_interval
from services.language.query.understand import understand
from services.models.tasks import TaskRunner
from services.references.registry import Registry
from tests.benchmarks import common
from tests.benchmarks.common import DATA, Question, Row, load_questions, section_of

BY_RULE = DATA / "multi_hop_questions.json"
BY_HAND = DATA / "multi_hop_by_hand.json"
ONE_QUESTION = DATA / "multi_hop_one_question.json"
SPANS = DATA / "span_questions.jsonl"
K = 10
LAWS = frozenset({"StrlSchG.pdf", "StrlSchV.pdf"})
Judge = Callable[[Sequence[Hit]], bool]


@dataclass(frozen=True)
class Case:
    """A question, and whether hits have all of its gold, or any of it."""

    text: str
    whole: Judge
    some: Judge


def main() -> None:
    parser = common.arguments(__doc__, "home", "collection")
    parser.add_argument("--split", choices=["test", "dev"], default="test")
    parser.add_argument("--show", action="store_true", help="print every question")
    options = parser.parse_args()
    context = context_of(*common.open_scope(options.home, options.collection))
    single = [each for each in load_questions() if each.split == options.split]
    sets = {
        f"two sections, by rule ({options.split})": [
            sections(each) for each in load_questions(BY_RULE) if each.split == options.split
        ],
        "two sections, by hand": [sections(each) for each in load_questions(BY_HAND)],
        f"two sections, one question ({options.split})": [
            sections(each) for each in load_questions(ONE_QUESTION) if each.split == options.split
        ],
        f"one section ({options.split})": [sections(each) for each in single],
        "one passage": [passage(each) for each in common.read_lines(SPANS) if of_laws(each)],
    }
    seconds: list[float] = []
    for name, cases in sets.items():
        report(name, cases, context, seconds, show=options.show)
    times = 1000 * np.array(seconds)
    print(f"beyond the search: median {np.median(times):.0f} ms, slowest {times.max():.0f} ms")


def context_of(services: Services, scope: Scope) -> Context:
    registry = Registry(services.catalog.references.aliases(scope))
    tasks = TaskRunner(None, deadline_s=60.0)
    return Context(services, Principal(), registry, tasks, scope, graph=services.graph)


def sections(question: Question) -> Case:
    def found(hits: Sequence[Hit]) -> set[tuple[str, str]]:
        return {section_of(hit) for hit in hits}

    return Case(
        question.text,
        whole=lambda hits: question.gold <= found(hits),
        some=lambda hits: bool(question.gold & found(hits)),
    )


def places(quote: str, text: str) -> list[tuple[int, int]]:
    """Where a quote stands in a text; one space stands for any white space."""
    pattern = r"\s+".join(map(re.escape, quote.split()))
    return [match.span() for match in re.finditer(pattern, text)]


def passage(question: Row) -> Case:
    def found(hits: Sequence[Hit]) -> bool:
        return any(places(gold["quote"], hit.text) for hit in hits for gold in question["gold"])

    return Case(question["question"], whole=found, some=found)


def of_laws(question: Row) -> bool:
    return all(gold["document"] in LAWS for gold in question["gold"])


def report(
    name: str, cases: Sequence[Case], context: Context, seconds: list[float], *, show: bool
) -> None:
    asked = 0
    results = np.zeros((2, 2, len(cases)))
    for n, case in enumerate(cases):
        plain = context.retriever.search(case.text, scope=context.scope, k=K)
        known = understand(case.text)
        begin = time.monotonic()
        fused, use = asyncio.run(with_graph(known, plain, SearchFilter(), context))
        seconds.append(time.monotonic() - begin)
        asked += bool(use and use.asked)
        assert len(fused) == len(plain)
        for row, hits in enumerate((plain, fused)):
            results[row, :, n] = case.whole(hits), case.some(hits)
        if show:
            print(f"  {results[:, 0, n]} {known.classification.type:12} {case.text}")
            for way in use.ways if use else ():
                print(f"      + {way.section}: {way.path}")
    print(f"{name}: {len(cases)} questions, the graph asked for {asked}")
    for column, what in enumerate(("all of the gold", "any of the gold")):
        plain_, fused_ = results[:, column]
        print(
            f"  recall@{K} of {what}: plain {plain_.mean():.3f}, with the graph "
            f"{fused_.mean():.3f}, difference {common.shown(mean_interval(fused_ - plain_))}"
        )


if __name__ == "__main__":
    main()
