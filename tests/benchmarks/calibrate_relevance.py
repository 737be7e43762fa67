"""Where related and unrelated pairs lie on the cosine axis, and the calibration that follows.

    python -m tests.benchmarks.calibrate_relevance --home HOME --collection NAME

Related: a question with the best chunk of a section that answers it, and a section's heading
with the best chunk of its own text. Unrelated: the same queries with random other chunks of the
collection. The curve is the logistic regression of related against unrelated, both classes
weighted alike; ``low`` and ``high`` are the cosines to which it gives 0.1 and 0.9.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from services.domain import Passage
from services.retrieval.embedders import Calibration, Embedder, Vectors
from tests.benchmarks import common

SEED = 7
HEADINGS = 80
RANDOM_CHUNKS = 50
OFF_TOPIC = (
    "Wie backe ich ein Sauerteigbrot?",
    "Wer gewann die Fußball-Weltmeisterschaft 1990?",
    "Wie hoch ist die Mehrwertsteuer auf Bücher?",
    "What is the capital of Australia?",
    "How do I train a neural network?",
)
LABEL = re.compile(r"^(§ ?\w+|Anlage \d+\w?)\s+")

Query = tuple[str, list[int]]
"""A text, and the rows of the chunks that are related to it."""


@dataclass
class Pairs:
    """Cosines of one kind of query with related, wrong (nearest) and random chunks."""

    related: list[float] = field(default_factory=list)
    nearest_wrong: list[float] = field(default_factory=list)
    unrelated: list[float] = field(default_factory=list)

    def add(self, cosines: Vectors, right: Sequence[int], rng: random.Random) -> None:
        wrong = sorted(set(range(len(cosines))) - set(right))
        self.related.append(float(cosines[list(right)].max()))
        self.nearest_wrong += sorted(map(float, cosines[wrong]))[-10:]
        self.unrelated += [float(cosines[i]) for i in rng.sample(wrong, RANDOM_CHUNKS)]


def queries(chunks: Sequence[Passage], rng: random.Random) -> dict[str, list[Query]]:
    """Questions with the chunks of their gold, and headings with those of their section."""
    sections: dict[common.Section, list[int]] = {}
    for row, chunk in enumerate(chunks):
        if chunk.section and chunk.heading_path:
            sections.setdefault(common.section_of(chunk), []).append(row)
    asked = [
        (question.text, [row for gold in sorted(question.gold) for row in sections.get(gold, [])])
        for question in common.load_questions()
    ]
    drawn = rng.sample(sorted(sections), min(HEADINGS, len(sections)))
    titles = [chunks[sections[each][0]].heading_path[-1] for each in drawn]
    headed = [(LABEL.sub("", t), sections[s]) for t, s in zip(titles, drawn, strict=True)]
    found = {"question": [each for each in asked if each[1]], "heading": headed}
    return {name: each for name, each in found.items() if each}


def fit(related: Sequence[float], unrelated: Sequence[float]) -> Calibration:
    """Logistic regression on one variable, both classes weighted alike."""
    # Cosines are centred and scaled so that the search is well conditioned.
    yes, no = ((np.array(each) - 0.85) * 100 for each in (related, unrelated))

    def loss(beta: Vectors) -> float:
        right = np.logaddexp(0, -(beta[0] + beta[1] * yes)).mean()
        return float(right + np.logaddexp(0, beta[0] + beta[1] * no).mean())

    start, slope = minimize(loss, np.zeros(2), tol=1e-10).x
    middle, half = 0.85 - start / slope / 100, np.log(9) / slope / 100
    return Calibration(low=float(middle - half), high=float(middle + half))


def report(kinds: dict[str, Pairs], vectors: Vectors, embedder: Embedder) -> Iterator[str]:
    """Mean and spread of the cosines, and the nearest chunk to what no document is about."""
    for name, pairs in kinds.items():
        groups = {"related": pairs.related, "nearest wrong": pairs.nearest_wrong}
        for group, cosines in {**groups, "random": pairs.unrelated}.items():
            yield f"{name}, {group}: {np.mean(cosines):.3f} ± {np.std(cosines):.3f}, {len(cosines)}"
    for query in OFF_TOPIC:
        yield f"off topic, nearest {(vectors @ embedder.embed_query(query)).max():.3f} {query}"


def main() -> None:
    options = common.arguments(__doc__, "home", "collection").parse_args()
    services, scope = common.open_scope(options.home, options.collection)
    ids, vectors = common.stored_vectors(services, scope.collections[0])
    known = services.catalog.chunks.get(ids, scope=scope)
    embedder, rng = services.embedder, random.Random(SEED)
    kinds = {}
    for name, asked in queries([known[each] for each in ids], rng).items():
        kinds[name] = Pairs()
        for text, right in asked:
            kinds[name].add(vectors @ embedder.embed_query(text), right, rng)
    fitted = fit(
        [cosine for pairs in kinds.values() for cosine in pairs.related],
        [cosine for pairs in kinds.values() for cosine in pairs.unrelated],
    )
    print(f"{embedder.fingerprint}, {len(ids)} chunks; fitted: {fitted!r}")
    print(f"stored: {embedder.calibration!r}")
    print("\n".join(report(kinds, vectors, embedder)))


if __name__ == "__main__":
    main()
