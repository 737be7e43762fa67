"""What a bound of relevance drops of questions that shrink to a few words, and what words save.

    python -m tests.benchmarks.few_words --beir DIR [--every 6]

DIR has paragraphs whose ``title`` names their article (XQuAD). A question is asked whole, and as
its one to three rarest words in its own order. ``kept`` is the share of questions whose answering
paragraph passes; ``absent`` the share where one of another article does, as if this one were not
there. Each once by the bound alone, and with paragraphs in which all words stand.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from services.retrieval.embedders import BundledEmbedder
from services.retrieval.embedding import moved

BOUND = 0.05


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rarest(question: str, texts: list[str], most: int) -> str:
    """The rarest words of a question that stand in a text, in the order of the question."""
    words = re.findall(r"\w+", question)
    counts = Counter({word: sum(word.casefold() in text for text in texts) for word in words})
    known = sorted((w for w in dict.fromkeys(words) if counts[w]), key=counts.__getitem__)[:most]
    return " ".join(word for word in words if word in known)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beir", type=Path, required=True)
    parser.add_argument("--every", type=int, default=6)
    args = parser.parse_args()
    embedder = BundledEmbedder()
    embed = moved(embedder.embed_query, embedder.fingerprint)
    relevance = np.vectorize(embedder.calibration.relevance)
    corpus = rows(args.beir / "corpus.jsonl")
    texts = [each["text"].casefold() for each in corpus]
    articles = np.array([each["title"] for each in corpus])
    place = {each["_id"]: n for n, each in enumerate(corpus)}
    (qrels,) = sorted((args.beir / "qrels").glob("*.tsv"))[:1]
    answering = {
        question: place[document]
        for question, document, _ in map(str.split, qrels.read_text().splitlines()[1:])
    }
    vectors = embedder.embed_passages([each["text"] for each in corpus])
    questions = [q for q in rows(args.beir / "queries.jsonl") if q["_id"] in answering]
    for most in (None, 3, 2, 1):
        found = []
        for question in questions[:: args.every]:
            text = question["text"] if most is None else rarest(question["text"], texts, most)
            near = relevance(vectors @ embed(text)) >= BOUND
            words = re.findall(r"\w+", text.casefold())
            worded = near | [bool(words) and all(w in each for w in words) for each in texts]
            gold = answering[question["_id"]]
            others = articles != articles[gold]
            found.append([near[gold], worded[gold], near[others].any(), worded[others].any()])
        kept, worded_kept, absent, worded_absent = np.mean(found, axis=0)
        print(
            f"{most or 'all'} words, {len(found)}: kept {kept:.3f} -> {worded_kept:.3f}, "
            f"absent {absent:.3f} -> {worded_absent:.3f}"
        )


if __name__ == "__main__":
    main()
