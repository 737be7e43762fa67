"""A session that dies by SIGKILL at a named point of a node. Imported before any graph.

``python -m tests.support.fault_points HOME SESSION [NODE WHEN]``: ``SESSION`` is ``research`` or a
depth of quick answers, begun in a new home and taken up where it stopped in another; ``WHEN`` is
``start``, ``middle`` (as the node records something) or ``commit`` (it has returned, and nothing of
that is kept). Prints what counts of the report and which points were passed.
"""

import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from agent import step as steps

passed: list[str] = []
fatal: list[str] = sys.argv[3:5]


def reach(node: str, when: str) -> None:
    passed.append(f"{node} {when}")
    if fatal == [node, when]:
        os.kill(os.getpid(), signal.SIGKILL)


in_graph, emit = steps.in_graph, steps.Step.emit


def deadly_in_graph(
    name: str, function: steps.Node, *kind: type[steps.Step]
) -> Callable[..., Awaitable[steps.Update]]:
    async def named(state: Any, step: Any) -> steps.Update:
        step.name = name
        reach(name, "start")
        update = await function(state, step)
        reach(name, "commit")
        return update

    return in_graph(name, named, *kind)


def deadly_emit(self: Any, event: Any) -> int:
    number = emit(self, event)
    reach(getattr(self, "name", "interrupt"), "middle")
    return number


steps.in_graph, steps.Step.emit = deadly_in_graph, deadly_emit  # type: ignore[method-assign]

from agent.engine.engine import Engine, connect_to  # noqa: E402
from agent.models import RunOptions  # noqa: E402
from services.domain import Principal  # noqa: E402
from services.retrieval.lexical import TantivyIndex  # noqa: E402
from services.retrieval.vector import ChromaIndex  # noqa: E402
from tests.support.desk import LAW, QUESTION, make_services, until_report  # noqa: E402
from tests.support.research import rules  # noqa: E402
from tests.support.same_answer import what_counts  # noqa: E402
from tests.support.scripted_model import ScriptedModel  # noqa: E402


def opened(home: Path, session: str) -> Engine:
    """A home with one law, its indexes in files; a model writes in a research alone."""
    services = make_services(
        home,
        ScriptedModel(rules()) if session == "research" else None,
        vectors=lambda: ChromaIndex(home / "vectors"),
        lexical=lambda: TantivyIndex(home / "keywords"),
    )
    client = connect_to(services, Principal())
    law = home / "LaermG.txt"
    if not law.exists():
        law.write_text(LAW, encoding="utf-8")
        client.library.ingest([law], "laerm")
    return client


def begun(client: Engine, session: str) -> str:
    known = client.threads.runs()
    for run in known:
        if run.status == "interrupted":
            client.threads.resume(run.thread_id)
        return run.thread_id
    if session == "research":
        return client.threads.start(QUESTION, options=RunOptions())
    return client.answers.ask(QUESTION, depth=session).thread_id


def main() -> None:
    home, session = Path(sys.argv[1]), sys.argv[2]
    with opened(home, session) as client:
        thread = begun(client, session)
        status = until_report(client, thread, "Für Auszubildende")
        assert status == "done", client.threads.run(thread).error
        report = (
            client.threads.report(thread)
            if session == "research"
            else client.answers.turns(thread)[-1]
        )
        found = {"status": status, "report": what_counts(report), "passed": passed}
    print(json.dumps(found, sort_keys=True))


if __name__ == "__main__":
    main()
