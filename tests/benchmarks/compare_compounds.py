"""What relatives of a word (compounds and their parts) add to search in German.

    python -m tests.benchmarks.compare_compounds --home HOME --collection NAME

Asks the 30 questions of ``law_questions.json`` (gold: sections) and the 30 German ones of
``span_questions.jsonl`` (gold: passages) with relatives and without, in keyword and hybrid mode.
HOME holds StrlSchG.pdf and StrlSchV.pdf under NAME. Intervals are 95 % percentile bootstrap over
the questions; differences are paired.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from services.domain import Hit, SearchMode
from services.evaluation.statistics import Values, difference_interval, mean_interval
from services.retrieval.lexical import LexicalIndex
from services.retrieval.named import named_sections
from services.retrieval.retriever import Retriever
from tests.benchmarks.compare_chunking import located, place_of, shown, texts_of
from tests.benchmarks.coverage import Place, is_covered
from tests.benchmarks.retrieval_corpus import (
    Corpus,
    Section,
    arguments,
    load_questions,
    open_corpus,
    section_of,
)
from tests.benchmarks.span_questions import load_span_questions

CUTS = (5, 10, 20)
MODES: tuple[SearchMode, ...] = ("keyword", "hybrid")

Rated = Callable[[Sequence[Hit]], bool]


class WithoutRelatives(LexicalIndex):
    """The same index, asked for the words of the question alone."""

    def _search(self, view: Any, *request: Any) -> list[tuple[str, float]]:
        return super()._search(replace(view, vocabularies={}), *request)


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    corpus = open_corpus(options.home, options.collection)
    retrievers = {
        "with": retriever(corpus, corpus.services.lexical),
        "without": retriever(corpus, WithoutRelatives(options.home / "keywords")),
    }
    for name, questions in question_sets(corpus, options.collection).items():
        for mode in MODES:
            print(f"\n{name}, {mode}, n = {len(questions)}")
            recalls = {
                kind: recall(questions, each, corpus, mode) for kind, each in retrievers.items()
            }
            for k in CUTS:
                gain = difference_interval(recalls["with"][k], recalls["without"][k])
                print(
                    f"recall@{k:<3d} without {shown(mean_interval(recalls['without'][k]))}  "
                    f"with {shown(mean_interval(recalls['with'][k]))}  "
                    f"gain {shown(gain, sign='+')}"
                )


def retriever(corpus: Corpus, lexical: LexicalIndex) -> Retriever:
    services = corpus.services
    return Retriever(
        services.catalog,
        services.embedder,
        services.vectors,
        lexical,
        resolve_labels=partial(named_sections, catalog=services.catalog),
    )


def question_sets(corpus: Corpus, collection: str) -> dict[str, dict[str, Rated]]:
    """By set and question: whether hits answer it."""
    texts = texts_of(corpus.services, collection)
    german = [question for question in load_span_questions() if question.language == "de"]
    sections: dict[str, Rated] = {
        question.text: partial(holds_section, question.gold) for question in load_questions()
    }
    passages: dict[str, Rated] = {
        question.text: partial(holds_passage, located(question, texts)) for question in german
    }
    return {
        "sections (law_questions)": sections,
        "passages (span_questions)": passages,
        "both": sections | passages,
    }


def holds_section(gold: frozenset[Section], hits: Sequence[Hit]) -> bool:
    return any(section_of(hit) in gold for hit in hits)


def holds_passage(gold: Sequence[Place], hits: Sequence[Hit]) -> bool:
    return is_covered(gold, [place_of(hit) for hit in hits])


def recall(
    questions: Mapping[str, Rated], retriever: Retriever, corpus: Corpus, mode: SearchMode
) -> dict[int, Values]:
    """1 or 0 for each question, by number of hits."""
    found = {
        text: retriever.search(text, scope=corpus.scope, k=max(CUTS), mode=mode)
        for text in questions
    }
    return {
        k: np.array([float(rated(found[text][:k])) for text, rated in questions.items()])
        for k in CUTS
    }


if __name__ == "__main__":
    main()
