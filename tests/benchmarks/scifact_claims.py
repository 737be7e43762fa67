"""SciFact's claims beside the sentences of abstracts that decide them, for ``eval claims``.

    python -m tests.benchmarks.scifact_claims DIR OUT.jsonl
    rabbithole eval claims --pairs OUT.jsonl

DIR holds ``claims_validation.csv`` and ``beir/corpus.jsonl``. Evidence is named by the number of a
sentence; abstracts are split here again, so that a few numbers may be off by one. A claim without
evidence stands beside the first two sentences of the abstract that it was written for.
"""

import csv
import json
import re
from pathlib import Path

from services.language.text import sentences
from tests.benchmarks import common

LABELS = {"SUPPORT": "says", "CONTRADICT": "contradicts", "": "not"}


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    folder, out = options.folder, options.out
    with (folder / "beir" / "corpus.jsonl").open(encoding="utf-8") as lines:
        abstracts = {str(record["_id"]): record["text"] for record in map(json.loads, lines)}
    with (folder / "claims_validation.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with out.open("w", encoding="utf-8") as pairs:
        for number, row in enumerate(rows):
            document = row["evidence_doc_id"] or re.findall(r"\d+", row["cited_doc_ids"])[0]
            chosen = [int(n) for n in re.findall(r"\d+", row["evidence_sentences"])] or [0, 1]
            text = abstracts[document]
            parts = [text[start:end] for start, end in sentences(text)]
            pair = {
                "id": f"scifact-{number}",
                "lang": "en",
                "claim": row["claim"],
                "quote": " ".join(parts[n] for n in chosen if n < len(parts)) or parts[-1],
                "label": LABELS[row["evidence_label"]],
            }
            pairs.write(json.dumps(pair, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
