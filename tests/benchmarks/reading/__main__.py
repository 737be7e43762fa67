"""Ask a question set through the product, with models behind any OpenAI-compatible servers.

    python -m tests.benchmarks.reading --questions Q.jsonl --home HOME --collection C --depth fast \
        --words URL --reading URL --verify URL --out FOLDER

Every call is kept in FOLDER/calls.jsonl and answered from there when it comes again; an answered
question is not asked again. ``python -m tests.benchmarks.reading.score`` says what it is worth.
"""

from pathlib import Path

from tests.benchmarks import common
from tests.benchmarks.reading.proxy import add_servers, proxied
from tests.benchmarks.reading.run import ANSWERS, Asker, ask_all, settings_for


def main() -> None:
    parser = common.arguments(__doc__, "home", "collection", "out")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--depth", choices=("fast", "enhanced"), default="fast")
    parser.add_argument("--at-once", type=int, default=20, help="questions asked at once")
    parser.add_argument("--limit", type=int, help="the first so many questions only")
    add_servers(parser)
    options = parser.parse_args()
    questions = list(common.read_lines(options.questions))[: options.limit]
    with proxied(options, questions) as url:
        settings = settings_for(options.home, url, options.at_once)
        asker = Asker.open(settings, options.collection, options.depth)
        with asker.engine:
            ask_all(asker.ask, questions, options.out / ANSWERS, options.at_once)


if __name__ == "__main__":
    main()
