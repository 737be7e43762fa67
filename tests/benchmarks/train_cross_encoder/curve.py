"""Points of the learning curve: how well held-out groups are judged."""

import random

import numpy as np
import torch

from tests.benchmarks.train_cross_encoder.data import Example, Pool, Target, Words, targets
from tests.benchmarks.train_cross_encoder.network import Network, batched, score

MOST = 120


def point(network: Network, words: Words, questions: Pool) -> dict[str, float]:
    """Passage AUC, share of passages whose best sentence answers, by language."""
    rng = random.Random(7)
    found: dict[str, float] = {}
    for lang in ("de", "en"):
        held = _sample(
            [e for es in questions.held.values() for e in es if f"/{lang}" in e.source], rng
        )
        if held:
            found |= {f"{k}_{lang}": v for k, v in _questions(network, words, held).items()}
    return found


def _sample(examples: list[Example], rng: random.Random) -> list[Example]:
    return rng.sample(examples, min(MOST, len(examples)))


def _scored(network: Network, items: list[Target], words: Words) -> list[tuple]:
    order = sorted(range(len(items)), key=lambda n: len(items[n].tokens.ids))
    out: dict[int, tuple] = {}
    for start in range(0, len(order), 16):
        part = order[start : start + 16]
        with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
            passages, sentences = score(network, batched([items[n].tokens for n in part], words))
        for row, n in enumerate(part):
            out[n] = float(passages[row]), sentences[row].float().numpy()
    return [out[n] for n in range(len(items))]


def _questions(network: Network, words: Words, held: list[Example]) -> dict[str, float]:
    rows = targets(held, words, random.Random(3), augment=False)
    scored = iter(_scored(network, [item for row in rows for item in row], words))
    yes, no, hits, firsts = [], [], [], []
    for row in rows:
        read = [(item.gold, *next(scored)) for item in row]
        yes += [passage for gold, passage, _ in read if gold]
        no += [passage for gold, passage, _ in read if not gold]
        known = [(gold, logits) for gold, _, logits in read if gold and gold != (-1,)]
        hits += [int(np.argmax(logits)) in gold for gold, logits in known if len(logits) > 1]
        if known and len(row) > 1:
            gold, _, logits = max(read, key=lambda each: each[2].max())
            firsts.append(int(np.argmax(logits)) in gold)
    shares = {"hit": hits, "first": firsts}
    found = {name: round(sum(each) / len(each), 3) for name, each in shares.items() if each}
    return {"auc": round(auc(yes, no), 3), **found} if yes and no else found


def auc(yes: list[float], no: list[float]) -> float:
    """Chance that one of `yes` is above one of `no`, equal ones counting half."""
    a, b = np.asarray(yes)[:, None], np.asarray(no)[None]
    return float((a > b).mean() + 0.5 * (a == b).mean())
