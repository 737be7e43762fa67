"""Folding the event log into what the progress view shows."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.run_log import PAGE, LogReader, covered, fold
from services.domain.events import EventKey, EventRecord, PhaseFinished, PhaseStarted, RunStarted
from tests.support import played_session
from tests.support.fake_client import FakeClient

SPANS = st.lists(
    st.tuples(st.floats(0, 100), st.floats(0, 100)).map(lambda pair: tuple(sorted(pair)))
)


def record(seq: int, event: object, second: int) -> EventRecord:
    return EventRecord.model_validate(
        {
            "seq": seq,
            "key": EventKey(thread_id="t", checkpoint=str(seq), n=0),
            "at": f"2026-11-21T22:00:{second:02d}+00:00",
            "event": event,
        }
    )


def test_tasks_side_by_side_do_not_add_up_their_seconds() -> None:
    events = [
        record(1, PhaseStarted(phase="extract"), 0),
        record(2, PhaseStarted(phase="extract"), 0),
        record(3, PhaseFinished(phase="extract", seconds=10.0), 10),
        record(4, PhaseFinished(phase="extract", seconds=12.0), 12),
    ]
    assert fold(events).phases["extract"].seconds == pytest.approx(12.0)


def test_a_task_at_work_beside_a_finished_one_counts_once() -> None:
    events = [
        record(1, PhaseStarted(phase="extract"), 0),
        record(2, PhaseStarted(phase="extract"), 2),
        record(3, PhaseFinished(phase="extract", seconds=10.0), 10),
    ]
    now = datetime.fromisoformat(events[-1].at).timestamp() + 2
    assert fold(events).phases["extract"].elapsed(now) == pytest.approx(12.0)


def test_the_current_phase_is_the_one_begun_last() -> None:
    """A revision goes back from assessment to writing."""
    names = ("synthesize", "assess", "synthesize")
    events = [record(n, PhaseStarted(phase=name), n) for n, name in enumerate(names)]
    assert fold(events).current == "synthesize"


def test_a_long_log_is_read_to_its_end() -> None:
    class Long(FakeClient):
        def events(self, thread_id: str, after: int = 0) -> list[EventRecord]:
            numbers = range(after + 1, min(after + PAGE, 1200) + 1)
            return [
                record(n, RunStarted(question=str(n - 1), model="m", collections=()), 0)
                for n in numbers
            ]

    fake = Long()
    fake.threads.start("?", thread_id="t")
    _, log = LogReader("t").read(fake)
    assert log.started is not None
    assert log.started.question == "1199"


def test_what_was_read_is_not_read_again_and_what_is_told_anew_replaces_it() -> None:
    log = [record(1, RunStarted(question="once", model="m", collections=()), 0)]
    asked: list[int] = []

    class Growing(FakeClient):
        def events(self, thread_id: str, after: int = 0) -> list[EventRecord]:
            asked.append(after)
            return [each for each in log if each.seq > after]

    fake = Growing(pace=0)
    fake.threads.start("?", thread_id="t")
    reader = LogReader("t")
    _, first = reader.read(fake)
    assert reader.read(fake)[1] is first, "nothing came, so nothing is worked out anew"
    again = log[0].model_copy(
        update={"seq": 2, "event": RunStarted(question="twice", model="m", collections=())}
    )
    log.append(again)
    _, second = reader.read(fake)
    assert asked == [0, 1, 1], "one look each time"
    assert first.started is not None and first.started.question == "once"
    assert second.started is not None and second.started.question == "twice"


def test_the_conversation_holds_question_questions_and_answers_in_order() -> None:
    fake = FakeClient()
    thread = fake.threads.start(played_session.QUESTION)
    fake.threads.run(thread)
    fake.threads.answer(thread, "ask-1", played_session.ANSWER)
    fake.threads.run(thread)
    _, log = LogReader(thread).read(fake)
    turns = log.conversation(played_session.QUESTION)
    assert [turn.role for turn in turns] == ["user", "assistant", "user", "assistant"]
    assert turns[2].lines == (played_session.ANSWER,)


@given(SPANS)
def test_covered_time_is_bounded(spans: list[tuple[float, float]]) -> None:
    lengths = [end - start for start, end in spans]
    total = covered(spans)
    assert max(lengths, default=0.0) - 1e-9 <= total <= sum(lengths) + 1e-9
    assert covered(list(reversed(spans))) == pytest.approx(total)
    assert covered([*spans, *spans]) == pytest.approx(total)
