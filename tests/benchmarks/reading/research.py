"""Research the questions of a set, with models behind any OpenAI-compatible servers.

    python -m tests.benchmarks.reading.research --home HOME --out FOLDER \
        --words URL --reading URL --verify URL [--only ID ...]

What a person would say stands with each question: ``answers`` is said where the run asks back, the
plan is approved as it is proposed. FOLDER/reports.jsonl has the reports with their events,
FOLDER/sheet.md what is needed to judge them by hand: the facts that a good report holds, and each
sentence with its sections.
"""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Final

from agent.engine.engine import Engine, connect_to
from agent.models import RunOptions
from services.build import Services
from services.domain import Principal
from tests.benchmarks import common
from tests.benchmarks.common import Row
from tests.benchmarks.reading.proxy import add_servers, proxied
from tests.benchmarks.reading.run import ask_all, settings_for

QUESTIONS: Final = common.DATA / "research_questions.jsonl"
REPORTS: Final = "reports.jsonl"


def researched(engine: Engine, question: Row) -> Row:
    """The report of a question with what the person was asked."""
    threads = engine.threads
    options = RunOptions()
    thread = threads.start(question["q"], collections=[question["collection"]], options=options)
    asked: list[Row] = []
    while True:
        for _ in threads.follow(thread):
            pass
        run = threads.run(thread)
        if run.pending is None:
            break
        asked.append(run.pending.model_dump(mode="json"))
        if run.pending.interrupt == "clarification":
            threads.answer(thread, run.pending.interrupt_id, question["answers"])
        else:
            threads.approve(thread, run.pending.interrupt_id)
    events = [record.event.model_dump(mode="json") for record in threads.events(thread)]
    return {
        "id": question["id"],
        "status": run.status,
        "asked": asked,
        "report": threads.report(thread),
        "events": events,
    }


def sheet(questions: Iterable[Row], reports: Iterable[Row]) -> str:
    """What is needed to judge the reports by hand."""
    by_id = {each["id"]: each for each in questions}
    lines = []
    for row in reports:
        question, report = by_id[row["id"]], row["report"]
        lines += [f"# {row['id']}: {question['q']}", "", "Facts:", ""]
        lines += [
            f"- {'VITAL' if fact['vital'] else 'other'}: {fact['fact']}"
            for fact in question["facts"]
        ]
        lines += ["", "Report:", "", report["answer"] if report else row["status"], ""]
    return "\n".join(lines)


def main() -> None:
    parser = common.arguments(__doc__, "home", "out")
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--at-once", type=int, default=8, help="questions researched at once")
    parser.add_argument("--only", nargs="*", help="ids of questions")
    add_servers(parser)
    options = parser.parse_args()
    questions = [
        each
        for each in common.read_lines(options.questions)
        if not options.only or each["id"] in options.only
    ]
    with proxied(options, questions) as url:
        settings = settings_for(options.home, url, 4 * options.at_once)
        with connect_to(Services(settings), Principal()) as engine:
            path = options.out / REPORTS
            ask_all(partial(researched, engine), questions, path, options.at_once)
    reports = list(common.read_lines(options.out / REPORTS))
    (options.out / "sheet.md").write_text(sheet(questions, reports), encoding="utf-8")


if __name__ == "__main__":
    main()
