"""The searches of a research in one list, each passage with the search that found it first."""

import json
from pathlib import Path

from agent.engine.reports import read_report, search_history
from agent.models import RunOptions
from services.models.base import ChatRequest
from tests.support.desk import QUESTION, open_desk, until_ended
from tests.support.reading_rules import read_reply
from tests.support.research import LIMIT, SURVEY, plan_of, report_of, rules
from tests.support.scripted_model import ScriptedModel

TASK, GAP = "Grenzwert des Lärms", "Messung Stelle"


def test_a_gap_pass_is_told_and_what_each_search_brought_to_the_report(tmp_path: Path) -> None:

    def read(request: ChatRequest) -> str:
        reply = json.loads(read_reply(request.messages[-1].content, [LIMIT]))
        return json.dumps(reply | {"answered": "partly", "missing": "Messung", "searches": [GAP]})

    model = ScriptedModel(rules(plan=plan_of(TASK), read=read, look_over=SURVEY))
    with open_desk(tmp_path / "home", model) as desk:
        thread = desk.threads.start(QUESTION, options=RunOptions(approve_plan=False))
        assert until_ended(desk, thread) == "done"
        report = read_report(report_of(desk, thread))
    clarified, task = search_history(report)
    assert clarified.task is None and task.task is not None and task.task.task == TASK
    looked = [each.search.query for each in clarified.results if each.search]
    assert looked[0] == QUESTION and len(looked) == len(report.retrieval_history[0].queries)
    rounds = {each.search.query: each.search.round for each in task.results if each.search}
    assert rounds[TASK] == 1 and rounds[GAP] == 2
    placed = [
        entry.chunk_id for group in (clarified, task) for r in group.results for entry in r.used
    ]
    assert sorted(placed) == sorted({entry.chunk_id for entry in report.evidence}), "each once"
    assert all(not r.dropped for r in task.results)
