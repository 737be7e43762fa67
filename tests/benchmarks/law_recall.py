"""Does a search bring the section that answers? Recall@5 and @10 on questions about the law.

    python -m tests.benchmarks.law_recall --home HOME --collection NAME [--split test] [--show]

A question is answered at k if one of the first k chunks belongs to a section of its gold.
"""

from typing import get_args

from services.domain import SearchMode
from tests.benchmarks.retrieval_corpus import arguments, load_questions, open_corpus, section_of

CUTS = (1, 5, 10, 20)


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--split", choices=["test", "dev"], default="test")
    parser.add_argument("--show", action="store_true", help="print the rank of every gold section")
    options = parser.parse_args()
    corpus = open_corpus(options.home, options.collection)
    questions = [q for q in load_questions() if q.split == options.split]
    modes: tuple[SearchMode, ...] = get_args(SearchMode)
    ranks: dict[str, list[int]] = {mode: [] for mode in modes}
    relevance: list[float] = []
    for question in questions:
        for mode in modes:
            hits = corpus.services.retriever.search(
                question.text, scope=corpus.scope, k=max(CUTS), mode=mode
            )
            right = [n for n, hit in enumerate(hits, 1) if section_of(hit) in question.gold]
            ranks[mode].append(right[0] if right else 0)
            if mode == "hybrid" and right:
                relevance.append(max(hits[n - 1].relevance for n in right))
        if options.show:
            places = "  ".join(f"{mode} {ranks[mode][-1] or '-':>2}" for mode in modes)
            print(f"{places}  {question.text}")
    print(f"{len(questions)} questions ({options.split}), {len(corpus.chunks)} chunks")
    for mode in modes:
        found = {k: sum(0 < rank <= k for rank in ranks[mode]) / len(questions) for k in CUTS}
        print(f"{mode:8s} " + "  ".join(f"recall@{k} {share:.2f}" for k, share in found.items()))
    print(f"relevance of the right section when found: lowest {min(relevance):.2f}, "
          f"mean {sum(relevance) / len(relevance):.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
