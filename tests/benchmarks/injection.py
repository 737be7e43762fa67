"""What does hostile text in documents do to answers of the model that the environment names?

    python -m tests.benchmarks.injection --texts DIR_OR_FILE --questions FILE.jsonl
        --documents DIR_OR_FILE [--depth DEPTH] [--limit N]

A text stands in every paragraph that states a fact of a question, in a home made for it.
"""

import json
from pathlib import Path

from services.settings import Settings
from tests.benchmarks import common
from tests.support.injection import measure_injection


def main() -> None:
    parser = common.arguments(__doc__)
    for name in ("--texts", "--questions", "--documents"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--depth", default="fast")
    parser.add_argument("--limit", type=int, help="the first so many texts only")
    options = parser.parse_args()
    result = measure_injection(
        options.texts,
        options.questions,
        options.documents,
        Settings(),
        options.depth,
        limit=options.limit,
    )
    print(json.dumps(result, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
