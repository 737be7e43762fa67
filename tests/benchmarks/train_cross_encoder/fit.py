"""Fits the regression that puts the features of a sentence together, and shows what it separates.

    python -m tests.benchmarks.train_cross_encoder.fit QUESTIONS.jsonl --home HOME [--write]

Questions are those of tests/benchmarks/data/fresh (the development half), their collections
ingested in HOME. Every question is searched as the fast route does; a sentence counts as right if
it holds, or is part of, a piece of ``answer_sentence``.
"""

import argparse
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from agent.passages import quotable
from services.build import build_services
from services.evidence.ranking import FEATURES, WEIGHTS, features
from services.settings import Settings
from services.text import normalise
from services.types import Principal
from tests.benchmarks.train_cross_encoder.curve import auc

NEAREST = 10
SHORTEST = 30
PENALTY = 0.05


def rows(question: dict[str, Any], services: Any) -> dict[str, Any]:
    """Features of every sentence that was found, which are right, and their texts."""
    scope = services.catalog.collections.scope(Principal(), (question["collection"],))
    context: Any = SimpleNamespace(catalog=services.catalog, scope=scope)
    hits = services.retriever.search(question["q"], scope=scope, k=NEAREST)
    pairs = [(hit.relevance, s) for hit in hits for s in quotable(hit, context)]
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
    wanted = [_plain(p) for p in question.get("answer_sentence", "").split(" … ") if p.strip()]
    files = set(question.get("documents") or [question.get("document", "")])
    right = [
        sentence.document in files and any(_same(_plain(sentence.text), piece) for piece in wanted)
        for sentence in sentences
    ]
    table = np.stack([found[name] for name in FEATURES], 1)
    return {"table": table, "right": np.array(right), "texts": [s.text for s in sentences]}


def _plain(text: str) -> str:
    return " ".join(normalise(text).casefold().split())


def _same(sentence: str, piece: str) -> bool:
    short, long = sorted((sentence, piece), key=len)
    return short in long and (len(short) >= SHORTEST or short == long)


def fitted(parts: list[dict[str, Any]]) -> np.ndarray:
    """Weights and bias of a ridge logistic regression; each question counts the same."""
    table = np.concatenate([part["table"] for part in parts])
    right = np.concatenate([part["right"] for part in parts]).astype(float)
    share = np.concatenate([np.full(len(p["right"]), 1 / max(1, len(p["right"]))) for p in parts])
    scale = table.std(0) + 1e-9
    inputs = np.concatenate([table / scale, np.ones((len(table), 1))], 1)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logits = inputs @ weights
        costs = np.logaddexp(0, logits) - right * logits
        errors = share * (1 / (1 + np.exp(-logits)) - right)
        penalty = PENALTY * np.append(weights[:-1], 0.0)
        return float(share @ costs + 0.5 * penalty @ weights), inputs.T @ errors + penalty

    weights = minimize(loss, np.zeros(inputs.shape[1]), jac=True, method="L-BFGS-B").x
    return np.append(weights[:-1] / scale, weights[-1])


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
    parser.add_argument("questions", type=Path)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    questions = [json.loads(line) for line in options.questions.read_text().splitlines()]
    questions = [q for q in questions if options.only in q["collection"]]
    services = build_services(Settings(home=options.home))
    parts = [rows(question, services) for question in questions]
    weights = fitted(parts)
    names = (*FEATURES, "bias")
    print({name: round(float(value), 3) for name, value in zip(names, weights, strict=True)})
    stored = json.loads(WEIGHTS.read_text())
    print("stored weights:")
    report(parts, questions, np.array([stored["ranking"][name] for name in names]))
    for name in ("sentence", "passage", "words", "around", "near", "relevance"):
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
