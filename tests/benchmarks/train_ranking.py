"""Fits the regression that puts the features of a sentence together, and shows what it separates.

    python -m tests.benchmarks.train_ranking QUESTIONS.jsonl… --home HOME [--write]

Questions are those of tests/benchmarks/data/fresh (the development half) and others with ``gold``
sections, their collections ingested in HOME. Every question is searched as the fast route does; a
sentence counts as right if it holds, or is part of, a piece of ``answer_sentence``.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from agent.passages import quotable_sentences
from services.build import Services
from services.domain import EvidenceSentence, Principal
from services.evidence.ranking import FEATURES, WEIGHTS, features
from services.language.text.normal import normalise
from services.settings import Settings
from tests.benchmarks.common import auc

NEAREST = 10
SHORTEST = 30
PENALTY = 0.02
_JOINED = re.compile(r"\s*(?:\[…\]|…)\s*")
_MARKS = re.compile(r"[*_`]")


def rows(question: dict[str, Any], services: Any) -> dict[str, Any]:
    """Features of every sentence that was found, which are right, and their texts."""
    scope = services.catalog.collections.scope(Principal(), (question["collection"],))
    hits = services.retriever.search(question["q"], scope=scope, k=NEAREST)
    pairs = [
        (hit.relevance, s)
        for hit in hits
        for s in quotable_sentences(hit, services.catalog.documents)
    ]
    sentences = [sentence for _, sentence in pairs]
    if not sentences:
        return {"table": np.zeros((0, len(FEATURES))), "right": np.zeros(0), "texts": []}
    found = features(
        question["q"],
        sentences,
        [r for r, _ in pairs],
        question["lang"],
        services.judge._encoder,
        services.similarity.log_odds,
    )
    right = [is_right(question, sentence) for sentence in sentences]
    table = np.stack([found[name] for name in FEATURES], 1)
    return {"table": table, "right": np.array(right), "texts": [s.quote for s in sentences]}


def is_right(question: dict[str, Any], sentence: EvidenceSentence) -> bool:
    """Whether a sentence is (part of) the answer; where only sections are known, in one of them."""
    if "answer_sentence" not in question:
        ends = {gold.split()[-1] for gold in question.get("gold", ())}
        return bool(sentence.section) and sentence.section.split()[-1] in ends
    files = set(question.get("documents") or [question.get("document", "")])
    pieces = [plain(piece) for piece in _JOINED.split(question["answer_sentence"])]
    text = plain(sentence.quote)
    return sentence.document in files and any(same(text, piece) for piece in pieces if piece)


def plain(text: str) -> str:
    return _MARKS.sub("", " ".join(normalise(text).casefold().split()))


def same(sentence: str, piece: str) -> bool:
    short, long = sorted((sentence, piece), key=len)
    return short in long and (len(short) >= SHORTEST or short == long)


def fitted(parts: list[dict[str, Any]]) -> np.ndarray:
    """Weights and bias: order by conditional logit, scale by how often the first is right."""
    found = [part for part in parts if len(part["table"])]
    weights = _order(found)
    scores = [part["table"] @ weights for part in found]
    best = np.array([each.max() for each in scores])
    right = np.array([p["right"][s.argmax()] for p, s in zip(found, scores, strict=True)])

    def loss(scale: np.ndarray) -> float:
        logits = scale[0] * best + scale[1]
        return float(np.mean(np.logaddexp(0, logits) - right * logits) + 0.005 * scale[0] ** 2)

    slope, bias = minimize(loss, np.array([1.0, 0.0])).x
    return np.append(slope * weights, bias)


def _order(parts: list[dict[str, Any]]) -> np.ndarray:
    """Weights under which the right sentence of a question stands out among all of it."""
    known = [part for part in parts if part["right"].any()]
    scale = np.concatenate([part["table"] for part in known]).std(0) + 1e-9

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        cost, slope = PENALTY * weights @ weights, 2 * PENALTY * weights
        for part in known:
            table = part["table"] / scale
            odds = np.exp(table @ weights - (table @ weights).max())
            right = odds * part["right"]
            cost -= np.log(right.sum() / odds.sum()) / len(known)
            slope -= (right / right.sum() - odds / odds.sum()) @ table / len(known)
        return float(cost), slope

    return minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B").x / scale


def scored(part: dict[str, Any], weights: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-(part["table"] @ weights[:-1] + weights[-1]))))


def report(parts: list[dict[str, Any]], questions: list[dict[str, Any]], weights: Any) -> None:
    """Share of questions whose best sentence is right, and what the best score separates."""
    best, hit, found, answerable = [], [], [], []
    for part, question in zip(parts, questions, strict=True):
        scores = scored(part, weights)
        best.append(float(scores.max(initial=0.0)))
        found.append(bool(part["right"].any()))
        hit.append(bool(len(scores) and part["right"][int(scores.argmax())]))
        answerable.append(question["type"] != "unanswerable")
    able = [n for n, each in enumerate(answerable) if each]
    never = [n for n, each in enumerate(answerable) if not each]
    print(
        f"found {np.mean([found[n] for n in able]):.3f} best right "
        f"{np.mean([hit[n] for n in able]):.3f} of {len(able)}; answerable AUC "
        f"{auc([best[n] for n in able], [best[n] for n in never]):.3f} ({len(never)} never)"
    )
    for least in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7):
        over = [n for n in range(len(best)) if best[n] >= least]
        print(
            f"  >= {least:.2f}: {len([n for n in over if answerable[n]])} answerable, of which "
            f"right {np.mean([hit[n] for n in over if answerable[n]] or [0]):.2f}; "
            f"{len([n for n in over if not answerable[n]])} of {len(never)} unanswerable"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path, nargs="+")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--without", nargs="*", default=[], help="collections left out")
    options = parser.parse_args()
    lines = [line for path in options.questions for line in path.read_text().splitlines()]
    questions = [
        q for line in lines if (q := json.loads(line))["collection"] not in options.without
    ]
    services = Services(Settings(home=options.home))
    parts = [rows(question, services) for question in questions]
    weights = fitted(parts)
    names = (*FEATURES, "bias")
    print({name: round(float(value), 3) for name, value in zip(names, weights, strict=True)})
    stored = json.loads(WEIGHTS.read_text())
    print("stored weights:")
    report(parts, questions, np.array([stored["ranking"][name] for name in names]))
    for name in FEATURES:
        alone = np.array([float(each == name) for each in FEATURES] + [0.0])
        hits = [
            p["right"][int((p["table"] @ alone[:-1]).argmax())]
            for p, q in zip(parts, questions, strict=True)
            if q["type"] != "unanswerable" and len(p["right"])
        ]
        print(f"{name} alone: best right {np.mean(hits):.3f}")
    print("fitted, crossed by half:")
    halves = [fitted(parts[0::2]), fitted(parts[1::2])]
    for start, weights_of in ((0, halves[1]), (1, halves[0])):
        report(parts[start::2], questions[start::2], weights_of)
    if options.write:
        stored["ranking"] = {n: round(float(v), 4) for n, v in zip(names, weights, strict=True)}
        WEIGHTS.write_text(json.dumps(stored, indent=2) + "\n")


if __name__ == "__main__":
    main()
