"""Where related and unrelated pairs lie on the cosine axis, and the calibration that follows.

    python -m tests.benchmarks.calibrate_relevance --home HOME --collection NAME

Related: a question with the best chunk of a section that answers it, and a section's heading
with the best chunk of its own text. Unrelated: the same queries with random other chunks of the
collection. The curve is the logistic regression of related against unrelated, both classes
weighted alike; ``low`` and ``high`` are the cosines to which it gives 0.1 and 0.9.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from services.retrieval.embedders import Calibration, Vectors
from tests.benchmarks.retrieval_corpus import (
    Corpus,
    Question,
    Section,
    arguments,
    load_questions,
    open_corpus,
    section_of,
)

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

Floats = NDArray[np.float64]


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


def by_section(corpus: Corpus) -> dict[Section, list[int]]:
    sections: dict[Section, list[int]] = {}
    for row, chunk in enumerate(corpus.chunks):
        if chunk.section and chunk.heading_path:
            sections.setdefault(section_of(chunk), []).append(row)
    return sections


def question_pairs(corpus: Corpus, questions: Sequence[Question], rng: random.Random) -> Pairs:
    pairs, sections = Pairs(), by_section(corpus)
    for question in questions:
        right = [row for gold in sorted(question.gold) for row in sections.get(gold, [])]
        if right:
            query = corpus.services.embedder.embed_query(question.text)
            pairs.add(corpus.vectors @ query, right, rng)
    return pairs


def heading_pairs(corpus: Corpus, rng: random.Random) -> Pairs:
    pairs, sections = Pairs(), by_section(corpus)
    for section in rng.sample(sorted(sections), min(HEADINGS, len(sections))):
        rows = sections[section]
        heading = LABEL.sub("", corpus.chunks[rows[0]].heading_path[-1])
        query = corpus.services.embedder.embed_query(heading)
        pairs.add(corpus.vectors @ query, rows, rng)
    return pairs


def fit(related: Floats, unrelated: Floats) -> Calibration:
    """Logistic regression on one variable by Newton's method, classes weighted alike."""
    cosines = np.concatenate([related, unrelated])
    target = np.concatenate([np.ones(len(related)), np.zeros(len(unrelated))])
    weight = np.where(target == 1, 0.5 / len(related), 0.5 / len(unrelated))
    # Cosines are centred and scaled so that Newton's steps are well conditioned.
    design = np.stack([np.ones_like(cosines), (cosines - 0.85) * 100], axis=1)
    beta = np.zeros(2)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-design @ beta))
        gradient = design.T @ (weight * (target - chance))
        curvature = (design * (weight * chance * (1 - chance))[:, None]).T @ design
        beta = beta + np.linalg.solve(curvature + 1e-9 * np.eye(2), gradient)
    middle, half = 0.85 - beta[0] / beta[1] / 100, np.log(9) / beta[1] / 100
    return Calibration(low=float(middle - half), high=float(middle + half))


def describe(name: str, cosines: Sequence[float], calibration: Calibration) -> None:
    values = np.array(cosines)
    relevance = np.array([calibration.relevance(value) for value in cosines])
    shares = " ".join(f">{t:.1f} {np.mean(relevance > t):.2f}" for t in (0.3, 0.4, 0.5, 0.6))
    print(
        f"{name:32s} n={len(values):5d} cosine {values.mean():.3f} ± {values.std():.3f} "
        f"[p5 {np.quantile(values, 0.05):.3f}, p95 {np.quantile(values, 0.95):.3f}]  "
        f"relevance {relevance.mean():.3f}  {shares}"
    )


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    options = parser.parse_args()
    corpus, rng = open_corpus(options.home, options.collection), random.Random(SEED)
    kinds = {
        "question": question_pairs(corpus, load_questions(), rng),
        "heading": heading_pairs(corpus, rng),
    }
    kinds = {name: pairs for name, pairs in kinds.items() if pairs.related}
    embedder = corpus.services.embedder
    fitted = fit(
        np.concatenate([np.array(pairs.related) for pairs in kinds.values()]),
        np.concatenate([np.array(pairs.unrelated) for pairs in kinds.values()]),
    )
    print(f"{embedder.fingerprint}, {len(corpus.chunks)} chunks; fitted: {fitted!r}")
    for calibration in (embedder.calibration, fitted):
        print(f"\nwith {calibration!r}")
        for name, pairs in kinds.items():
            describe(f"{name}, right section", pairs.related, calibration)
            describe(f"{name}, ten nearest wrong", pairs.nearest_wrong, calibration)
            describe(f"{name}, random chunk", pairs.unrelated, calibration)
        for query in OFF_TOPIC:
            nearest = float((corpus.vectors @ embedder.embed_query(query)).max())
            print(f"off topic, nearest {nearest:.3f} {calibration.relevance(nearest):.3f} {query}")


if __name__ == "__main__":
    main()
