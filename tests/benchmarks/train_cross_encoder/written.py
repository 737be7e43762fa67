"""Questions and claims that were written for single passages, as records to train on.

    python -m tests.benchmarks.train_cross_encoder.written DATA.jsonl.gz OUT [--source contrast]

A line of ``DATA`` is a passage: ``heading``, ``s`` (its sentences), ``lang``, ``repo``, ``path``,
``licence``, ``q`` (questions, each with the sentences that answer), ``n`` (questions that it does
not answer) and ``c`` (claims, each with the sentences quoted and ``s``, ``n`` or ``c``: said, not
said, contradicted). Each question is also put beside passages of other documents that are near it.
One passage of `HELD_BACK` of ``contrasts.jsonl.gz`` is left out wherever it stands.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from services.domain import CaseSpan, EvidenceSentence
from services.evidence.judge import CANDIDATES
from services.evidence.matching import nearest
from services.evidence.units import quotable_units
from services.retrieval.embedders import BundledEmbedder
from tests.benchmarks import common
from tests.benchmarks.common import Row
from tests.benchmarks.train_cross_encoder.fit import plain

NEAREST, TAKEN = 6, 2
"""Of so many nearest wrong passages, so many are taken: not all, for some may answer too."""
AROUND = 8
"""Passages of a source whose units a claim is also tried beside."""
WITH_HEADING = 0.6
"""Share of the quotes that are shown under their heading."""
HELD_BACK = 6
"""One passage of so many of the contrasts, by its text, is never trained on."""
CONTRASTS = Path(__file__).parents[1] / "data" / "written" / "contrasts.jsonl.gz"
MEANING = {"s": "says", "n": "not", "c": "contradicts"}


def held_back(passage: Row) -> bool:
    return int(hashlib.md5(" ".join(passage["s"]).encode()).hexdigest(), 16) % HELD_BACK == 0


def group(passage: Row) -> str:
    return f"written:{passage['repo']}:{passage['path']}"


def shown(passage: Row) -> list[str]:
    """The passage as it is read later: its heading is the first sentence."""
    return [passage["heading"] or "-", *passage["s"]]


def questions(passages: Sequence[Row], source: str) -> Iterator[Row]:
    for passage in passages:
        same = {"s": shown(passage), "lang": passage["lang"], "grp": group(passage)}
        for text, gold in passage.get("q", ()):
            yield {"q": text, "g": [number + 1 for number in gold], "src": source, **same}
        for text in passage.get("n", ()):
            yield {"q": text, "g": [], "src": f"{source}-miss", **same}


def near_misses(passages: Sequence[Row], rng: random.Random, source: str) -> Iterator[Row]:
    """Questions beside the passages of other documents that the embedder finds for them."""
    embedder = BundledEmbedder()
    vectors = embedder.embed_passages(["\n".join(shown(each))[:1_500] for each in passages])
    groups = [group(each) for each in passages]
    for passage in passages:
        for text, _ in passage.get("q", ()):
            order = np.argsort(-(vectors @ embedder.embed_query(text)))
            others = [n for n in order[: 3 * NEAREST] if groups[n] != group(passage)]
            for n in rng.sample(others[:NEAREST], min(TAKEN, len(others))):
                same = {"s": shown(passages[n]), "lang": passage["lang"], "grp": group(passage)}
                yield {"q": text, "g": [], "src": source, **same}


def claims(passages: Sequence[Row], rng: random.Random) -> Iterator[Row]:
    for passage in passages:
        for text, quoted, meaning in passage.get("c", ()):
            quote = " ".join(passage["s"][number] for number in sorted(set(quoted)))
            if passage["heading"] and rng.random() < WITH_HEADING:
                quote = f"{passage['heading']}\n{quote}"
            yield {
                "claim": text,
                "quote": quote,
                "label": MEANING[meaning],
                "src": "written-claims",
                "lang": passage["lang"],
                "grp": group(passage),
            }


def beside(passages: Sequence[Row], rng: random.Random) -> Iterator[Row]:
    """Claims beside the evidence that the product would try, within some passages of a source.

    Where all quoted sentences stand in it the meaning is theirs; of anything else a false claim is
    not said, and neither is a true one by what shares no sentence with its quote.
    """
    by_source: dict[str, list[Row]] = {}
    for passage in passages:
        by_source.setdefault(f"{passage['repo']} {passage['lang']}", []).append(passage)
    for passage in passages:
        others = by_source[f"{passage['repo']} {passage['lang']}"]
        near = [each for each in rng.sample(others, min(AROUND, len(others))) if each != passage]
        pool = [unit for each in (passage, *near) for unit in units_of(each)]
        for text, quoted, meaning in passage.get("c", ()):
            quote = [plain(passage["s"][number]) for number in set(quoted)]
            for item in nearest(text, pool, passage["lang"], CANDIDATES):
                tried = item.premise
                held = [sentence in plain(tried) for sentence in quote]
                if meaning == "s" and any(held) and not all(held):
                    continue
                label = MEANING[meaning] if all(held) else "not"
                yield {
                    "claim": text,
                    "quote": tried,
                    "label": label,
                    "src": "beside",
                    "lang": passage["lang"],
                    "grp": group(passage),
                }


def units_of(passage: Row) -> list[EvidenceSentence]:
    """What of a passage can be quoted."""
    text = "\n".join(passage["s"])
    return [
        EvidenceSentence(
            document_id=passage["path"],
            document=passage["path"],
            section="",
            page=None,
            start=unit.start,
            end=unit.end,
            quote=text[unit.start : unit.end],
            context=text,
            heading=passage["heading"],
            case=CaseSpan(text=text[slice(*unit.case)], start=unit.case[0], end=unit.case[1])
            if unit.case
            else None,
        )
        for unit in quotable_units(text, 0, len(text), (0, len(text)))
    ]


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--source", default="written")
    options = parser.parse_args()
    rng, source = random.Random(3), options.source
    never = {tuple(each["s"]) for each in common.read_lines(CONTRASTS) if held_back(each)}
    passages = [each for each in common.read_lines(options.data) if tuple(each["s"]) not in never]
    options.out.mkdir(parents=True, exist_ok=True)
    near = near_misses(passages, rng, f"{source}-near" if source == "written" else source)
    common.write_lines(options.out / f"{source}.jsonl.gz", [*questions(passages, source), *near])
    if any(each.get("c") for each in passages):
        common.write_lines(options.out / f"{source}-claims.jsonl.gz", claims(passages, rng))
        common.write_lines(options.out / "beside.jsonl.gz", beside(passages, rng))


if __name__ == "__main__":
    main()
