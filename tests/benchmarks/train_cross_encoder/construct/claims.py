"""Claims about quotes with a label known by construction.

    python -m tests.benchmarks.train_cross_encoder.construct.claims \\
        --texts pairs.jsonl.gz laws/ --lang de --out claims-de.jsonl.gz --dev claims-dev-de.jsonl.gz
"""

import argparse
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.benchmarks.common import write_lines
from tests.benchmarks.train_cross_encoder.construct import (
    against_de,
    against_en,
    beyond_de,
    beyond_en,
    contexts,
    says_de,
    says_en,
)
from tests.benchmarks.train_cross_encoder.construct.choose import Row, auc, choose
from tests.benchmarks.train_cross_encoder.construct.lexicon import LEXICONS
from tests.benchmarks.train_cross_encoder.construct.passages import Passage, read
from tests.benchmarks.train_cross_encoder.construct.places import Made, Near, base, fit

MOST = 700
RULES = {"law", "faq", "md", "contractnli", "policyqa"}
HELD_OUT = 0.05


def sentence_edits(lang: str) -> dict[str, dict[str, Any]]:
    if lang == "de":
        return {
            "says": says_de.SAYS,
            "contradicts": against_de.CONTRADICTS,
            "not": beyond_de.NOT,
        }
    return {"says": says_en.SAYS, "contradicts": against_en.CONTRADICTS, "not": beyond_en.NOT}


def quote_around(passage: Passage, made: Made, rng: Random) -> str | None:
    """One to four sentences that hold what the claim is about, perhaps after the heading."""
    if made.quote:
        text = made.quote
    else:
        first, last = widen(passage, made.first, made.last, rng)
        text = " ".join(passage.sentences[first : last + 1])
    if passage.heading and rng.random() < 0.35:
        text = f"{passage.heading.rstrip('.')}. {text}"
    return text if len(text) <= MOST else None


def widen(passage: Passage, first: int, last: int, rng: Random) -> tuple[int, int]:
    """The sentences with some neighbours, at random."""
    wanted = rng.choice([1, 1, 2, 2, 3, 4])
    while last - first + 1 < wanted:
        if first > 0 and (rng.random() < 0.5 or last + 1 >= len(passage.sentences)):
            first -= 1
        elif last + 1 < len(passage.sentences):
            last += 1
        else:
            break
        if sum(map(len, passage.sentences[first : last + 1])) > MOST - 80:
            break
    return first, last


def neutral(sentence: str, lang: str, rng: Random, share: float) -> str:
    """The sentence with a change of wording now and then that changes nothing else."""
    if rng.random() >= share:
        return sentence
    edits = sentence_edits(lang)["says"]
    order = ["synonym"] * (rng.random() < 0.5) + rng.sample(sorted(edits), len(edits))
    return next((changed for how in order if (changed := edits[how](sentence, rng))), sentence)


def of_sentence(passage: Passage, index: int, rng: Random) -> Iterator[tuple[str, str, Made]]:
    """All claims that edits of one sentence give."""
    sentence = base(passage, index)
    if not fit(sentence):
        return
    yield "says", "verbatim", Made(sentence, index, index)
    for label, edits in sentence_edits(passage.lang).items():
        for how, edit in edits.items():
            if how in beyond_de.RULES_ONLY and passage.src not in RULES:
                continue
            before = neutral(sentence, passage.lang, rng, 0.5)
            changed = edit(before, rng)
            if changed and label == "says":
                changed = neutral(changed, passage.lang, rng, 0.5)
            if changed and changed != sentence:
                yield label, how, Made(changed, index, index)


def of_context(passage: Passage, index: int, rng: Random) -> Iterator[tuple[str, str, Made]]:
    """All claims that need the neighbourhood of a sentence."""
    kinds = {"says": contexts.SAYS, "not": contexts.NOT, "contradicts": contexts.CONTRADICTS}
    for label, makers in kinds.items():
        for how, make in makers.items():
            if made := make(passage, index, rng):
                yield label, how, made


def rows_of(passage: Passage, near: Near, rng: Random) -> Iterator[Row]:
    for index in range(len(passage.sentences)):
        found = [*of_sentence(passage, index, rng), *of_context(passage, index, rng)]
        if fit(base(passage, index)) and rng.random() < 0.25 and (claim := near.to(passage, index)):
            found.append(("not", "near place", Made(claim, index, index)))
        for label, how, made in found:
            quote = quote_around(passage, made, rng)
            if quote and 20 < len(made.claim) < 400:
                yield {
                    "claim": made.claim,
                    "quote": quote,
                    "label": label,
                    "src": passage.src,
                    "lang": passage.lang,
                    "grp": passage.grp,
                    "how": how,
                    "at": base(passage, index),
                }


def all_rows(passages: list[Passage], seed: int, most: int) -> list[Row]:
    """Rows of every passage; long documents give a sample so that none outweighs the rest."""
    rng = Random(seed)
    near = Near(passages)
    for passage in passages:
        LEXICONS[passage.lang].learn(passage.sentences)
    used: Counter[str] = Counter()
    rows: list[Row] = []
    for passage in rng.sample(passages, len(passages)):
        if used[passage.grp] < most:
            used[passage.grp] += len(passage.sentences)
            rows += rows_of(passage, near, rng)
    return rows


def held_out(grp: str, share: float) -> bool:
    """Whether a document is for the check; by its name, so that other texts change nothing."""
    return zlib.crc32(grp.encode()) % 1000 < 1000 * share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, nargs="+", required=True)
    parser.add_argument("--lang", choices=("de", "en"), required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dev", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=25_000)
    parser.add_argument("--per-document", type=int, default=60, help="sentences of one document")
    given = parser.parse_args()
    passages = [passage for path in given.texts for passage in read(path, given.lang)]
    share = HELD_OUT if given.dev else 0.0
    dev = [passage for passage in passages if held_out(passage.grp, share)]
    train = [passage for passage in passages if not held_out(passage.grp, share)]
    for part, path, limit in ((train, given.out, given.limit), (dev, given.dev, 500)):
        if path:
            rows = choose(all_rows(part, given.seed, given.per_document), limit, Random(given.seed))
            write_lines(path, ({key: row[key] for key in row if key != "at"} for row in rows))
            print(
                path,
                len(rows),
                Counter(row["label"] for row in rows),
                f"overlap AUC {auc(rows):.3f}",
            )
            print(sorted(Counter((row["label"], row["how"]) for row in rows).items()))


if __name__ == "__main__":
    main()
