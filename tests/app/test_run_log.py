"""Folding the event log into what the progress view shows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.engine.engine import Engine
from app.run_log import PAGE, LogReader, fold, fold_turn
from services.domain.events import (
    Event,
    EventKey,
    EventRecord,
    ExecutionStart,
    PhaseFinished,
    PhaseStarted,
    PlanApproved,
    PlanItem,
    QuestionsAsked,
    TaskFinished,
    TaskStarted,
    Warned,
    total_length,
)
from services.domain.notices import Notice
from tests.support.house import ASKED, QUESTION, REPLY, House

SPANS = st.lists(
    st.tuples(st.floats(0, 100), st.floats(0, 100)).map(lambda pair: tuple(sorted(pair)))
)


def record(seq: int, event: Event, second: int = 0) -> EventRecord:
    key = EventKey(thread_id="t", checkpoint=str(seq), n=0)
    return EventRecord(seq=seq, key=key, at=f"2026-11-21T22:00:{second:02d}+00:00", event=event)


def log_of(*told: tuple[Any, int]) -> Any:
    return fold(record(seq, event, second) for seq, (event, second) in enumerate(told))


def test_tasks_side_by_side_do_not_add_up_their_seconds() -> None:
    first, second = (PhaseFinished(phase="extract", seconds=each) for each in (10.0, 12.0))
    begin = PhaseStarted(phase="extract")
    both = log_of((begin, 0), (begin, 0), (first, 10), (second, 12)).phases["extract"]
    assert both.seconds == pytest.approx(12.0)
    one = log_of((begin, 0), (begin, 2), (first, 10)).phases["extract"]
    now = datetime.fromisoformat("2026-11-21T22:00:12+00:00").timestamp()
    assert one.elapsed(now) == pytest.approx(12.0)


def test_the_current_phase_is_the_one_begun_last() -> None:
    """A revision goes back from assessment to writing."""
    begun = [PhaseStarted(phase=name) for name in ("synthesize", "assess", "synthesize")]
    assert log_of(*((event, n) for n, event in enumerate(begun))).current == "synthesize"


def test_what_a_turn_waits_for_is_told_until_it_begins() -> None:
    told = Notice.of("A model is measured first.")
    events = [Warned(message=told), ExecutionStart(question=QUESTION, turn=1)]
    records = [record(seq, event) for seq, event in enumerate(events)]
    assert fold_turn(records[:1]).waiting == told
    assert fold_turn(records).waiting is None


class Told:
    """What an engine has of a thread: a list of records, and how often it was asked."""

    def __init__(self, records: Sequence[EventRecord]) -> None:
        self.records, self.asked = list(records), list[int]()
        self.threads = self

    def poll(self, _thread: str, after: int) -> tuple[None, list[EventRecord]]:
        self.asked.append(after)
        return None, [each for each in self.records if each.seq > after][:PAGE]


def test_a_long_log_is_read_to_its_end_and_then_what_is_new_replaces_what_is_told_anew() -> None:
    told = Told([record(n, TaskStarted(task_id=n, task="once")) for n in range(1, 1200)])
    reader, engine = LogReader("t"), cast(Engine, told)
    _, first = reader.read(engine)
    assert len(first.tasks) == 1199 and told.asked == [0, PAGE, 2 * PAGE]
    assert reader.read(engine)[1] is first, "nothing came, so nothing is worked out anew"
    again = {"seq": 1200, "event": TaskStarted(task_id=7, task="twice")}
    told.records.append(told.records[6].model_copy(update=again))
    _, second = reader.read(engine)
    assert told.asked[3:] == [1199, 1199] and len(reader.records) == 1199
    assert (first.tasks[7].task, second.tasks[7].task) == ("once", "twice")


def test_the_conversation_holds_question_questions_and_answers_in_order(house: House) -> None:
    _, log = LogReader(house.finished).read(house.engine)
    turns = [(turn.role, turn.lines) for turn in log.conversation(QUESTION)]
    assert turns == [("user", (QUESTION,)), ("assistant", (ASKED,)), ("user", (REPLY,))]
    log.questions.append(QuestionsAsked(iteration=1, questions=("Noch etwas?",), found=()))
    assert log.conversation(QUESTION)[-1].lines == ("Noch etwas?",)


@given(SPANS)
def test_covered_time_is_bounded(spans: list[tuple[float, float]]) -> None:
    lengths = [end - start for start, end in spans]
    total = total_length(spans)
    assert max(lengths, default=0.0) - 1e-9 <= total <= sum(lengths) + 1e-9
    assert total_length(list(reversed(spans))) == pytest.approx(total)
    assert total_length([*spans, *spans]) == pytest.approx(total)


def test_the_time_left_is_estimated_from_the_tasks_that_are_done() -> None:
    plan = tuple(PlanItem(id=n, task=str(n)) for n in range(4))
    begun: list[tuple[Any, int]] = [
        (PlanApproved(items=plan, changes=()), 0),
        (PhaseStarted(phase="extract"), 0),
        *((TaskStarted(task_id=n, task=str(n)), 0) for n in range(4)),
    ]
    done: list[tuple[Any, int]] = [
        (TaskFinished(task_id=0, seconds=10.0, evidence=1, quotes=1), 10),
        (PhaseFinished(phase="extract", seconds=10.0), 10),
    ]
    at = datetime.fromisoformat("2026-11-21T22:00:10+00:00").timestamp()
    assert log_of(*begun).seconds_left(at) is None, "unknown before the first"
    log = log_of(*begun, *done)
    assert log.tasks_done == (1, 4)
    assert log.seconds_left(at) == pytest.approx(30.0)
    assert log.seconds_left(at + 4) == pytest.approx(26.0)
    assert log.seconds_left(at + 20) == pytest.approx(30.0), "it takes longer than the first"
    assert log_of(*begun[:2]).tasks_done == (0, 4)
