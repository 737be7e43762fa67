"""Threads that an older version paused go on to a report, though their state says less."""

import asyncio
from pathlib import Path

from agent.engine.checkpoints import open_checkpoints
from agent.engine.driver import config_of
from agent.engine.engine import Engine
from agent.models import RunOptions
from agent.research.graph import build_research_graph
from services.settings import Settings
from tests.support.desk import QUESTION, open_desk, until_ended
from tests.support.research import (
    LIMIT,
    STRAIGHT,
    FaultyModel,
    planned,
    report_of,
    researched,
    rules,
)
from tests.support.scripted_model import ScriptedModel
from tests.support.waiting import until

NEW = ("findings", "readings", "reads", "hitl_matters")
"""Fields that an older version did not know."""


def made_older(home: Path, thread: str) -> set[str]:
    """Takes out of the last checkpoint what is new; which of that there was."""

    async def rewrite() -> set[str]:
        async with open_checkpoints(Settings(home=home)) as opened:
            saver = build_research_graph(opened).checkpointer
            saved = await saver.aget_tuple(config_of(thread))  # type: ignore[union-attr]
            assert saved is not None and saved.parent_config is not None
            values = saved.checkpoint["channel_values"]
            gone = {name for name in NEW if values.pop(name, None) is not None}
            for name in gone:
                del saved.checkpoint["channel_versions"][name]
            await saver.aput(  # type: ignore[union-attr]
                saved.parent_config, saved.checkpoint, saved.metadata, {}
            )
            return gone

    return asyncio.run(rewrite())


def paused(desk: Engine, model: FaultyModel, task: str) -> str:
    """A thread that is paused at a task of the model."""
    thread = desk.threads.start(QUESTION, options=RunOptions(**STRAIGHT.model_dump()))
    until(lambda: task in model.started)
    desk.threads.pause(thread)
    return thread


def test_a_thread_that_waits_for_its_plan_is_researched(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_desk(home, ScriptedModel(rules())) as desk:
        thread, pending = planned(desk)
    assert made_older(home, thread) >= {"reads"}
    with open_desk(home, ScriptedModel(rules())) as desk:
        desk.threads.approve(thread, pending.interrupt_id)
        assert until_ended(desk, thread) == "done", desk.threads.run(thread).error
        report = report_of(desk, thread)
    assert LIMIT in report["answer"] and report["certainty"] == "answered"


def test_a_thread_that_has_only_quotes_is_reported_with_them(tmp_path: Path) -> None:
    home, model = tmp_path / "home", FaultyModel("hang", task="grade")
    with open_desk(home, model) as desk:
        thread = paused(desk, model, "grade")
    assert made_older(home, thread) >= {"findings", "readings"}
    with open_desk(home, ScriptedModel(rules())) as desk:
        desk.threads.resume(thread)
        assert until_ended(desk, thread) == "done", desk.threads.run(thread).error
        report = report_of(desk, thread)
        text = desk.library.open_document(report["sources"][0]["document_id"]).parsed.text
    (sentence,) = report["sentences"]
    (cited,) = sentence["citations"]
    assert sentence["text"].startswith(LIMIT) and sentence["standing"] == "quote"
    assert text[cited["start"] : cited["end"]] == cited["quote"]
    assert report["certainty"] == "perhaps"


def test_a_thread_of_today_is_not_taken_for_an_older_one(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home", ScriptedModel(rules())) as desk:
        assert report_of(desk, researched(desk))["standings"] == {"follows": 2}
