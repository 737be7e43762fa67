"""A research and a quick answer in a process of its own: ``python -m tests.support.same_answer``.

Prints what counts as evidence and answer as one JSON object; the home is the argument.
"""

import json
import sys
from pathlib import Path
from typing import Any

from agent.client import Client
from agent.models import RunOptions
from tests.support.desk import QUESTION, open_desk, until_ended

COMPARED = (
    "answer",
    "sentences",
    "evidence",
    "dropped",
    "references",
    "gaps",
    "quotes",
    "retrieval_history",
    "todo",
    "findings",
    "citations",
)


def what_counts(report: Any) -> dict[str, Any]:
    """A report without times and ids of the run."""
    return {name: report[name] for name in COMPARED if name in report}


def answered(
    client: Client, question: str, collections: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """Both answers to a question; their threads are gone afterwards."""
    options = RunOptions(clarify=False, approve_plan=False)
    thread = client.start(question, collections=collections, options=options)
    until_ended(client, thread)
    asked = client.ask(question, collections=collections)
    until_ended(client, asked.thread_id)
    found = {
        "research": what_counts(client.report(thread)),
        "ask": what_counts(client.turns(asked.thread_id)[0]),
    }
    for each in (thread, asked.thread_id):
        client.delete_run(each)
    return found


def main() -> None:
    with open_desk(Path(sys.argv[1])) as client:
        print(json.dumps(answered(client, QUESTION), sort_keys=True))


if __name__ == "__main__":
    main()
