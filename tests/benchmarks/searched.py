"""How many questions that passages answer are taken for ones about a word or the documents.

    python -m tests.benchmarks.searched QUESTIONS.jsonl ... [--most 300]

Each line has the question as ``q``, ``text`` or ``input``, such as CLAPNQ's, XQuAD's, or those of
``data/fresh``. None of these asks where a word stands, so all but ``search`` is wrong; ``beside``
is a search with a count beside its answer.
"""

import random
from collections import Counter
from pathlib import Path

from services.language.query.heads import QuestionReader
from services.language.query.understand import understand
from services.retrieval.embedders.bundled import BundledEmbedder
from tests.benchmarks import common


def way(question: str, reader: QuestionReader) -> str:
    found = understand(question, reader=reader)
    if found.about_database:
        return "catalog"
    if found.scan is None:
        return "search"
    return "scan" if found.scan.sure and found.scan.term is not None else "beside"


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--most", type=int, default=300, help="questions of each file, drawn")
    given = parser.parse_args()
    reader = QuestionReader(BundledEmbedder().embed_query)
    for path in given.files:
        rows = list(common.read_lines(path))
        random.Random(1).shuffle(rows)
        asked = [row.get("q") or row.get("text") or row["input"] for row in rows[: given.most]]
        print(path, len(asked), dict(Counter(way(each, reader) for each in asked)), flush=True)


if __name__ == "__main__":
    main()
