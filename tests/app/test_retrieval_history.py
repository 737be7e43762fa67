"""The retrieval history of a report: its searches, and what was dropped and is restored."""

import json

from services.models.base import ChatRequest
from tests.app.test_report_page import opened, turn_to
from tests.support.desk import until_ended
from tests.support.house import SHAKEN, House
from tests.support.pages import read, texts_of
from tests.support.reading_rules import grade_reply

OFF_TOPIC = "Das fragt niemand."


def drops_the_last(request: ChatRequest) -> str:
    """Grades the last finding as off the question, the others as its answers."""
    reply = json.loads(grade_reply(request.messages[-1].content))
    reply["grades"][-1] |= {"grade": 1, "why": OFF_TOPIC}
    return json.dumps(reply)


def test_dropped_evidence_is_restored_and_the_answer_written_again(house: House) -> None:
    house.play(grade=drops_the_last)
    thread, _ = house.started("approved")
    assert until_ended(house.engine, thread) == "done"
    before = house.engine.threads.research_report(thread)
    assert before is not None
    (first,) = before.dropped
    at = turn_to(opened(house, thread), "history")
    label = at.checkbox(key=f"restore-{first.chunk_id}").label.replace("\\", "")
    assert label == f"Verworfen: {first.text}" and first.text == SHAKEN
    assert OFF_TOPIC in texts_of(at) and "1 von 10 Punkten" in texts_of(at)
    (passage,) = [each for each in at.expander if each.label == "Textstelle lesen"]
    assert SHAKEN in read(passage), "its words, before it is restored"
    submit = next(each for each in at.button if "restore" in (each.proto.form_id or ""))
    submit.click().run()
    assert house.engine.threads.run(thread).status == "done", "nothing was ticked"
    at.checkbox(key=f"restore-{first.chunk_id}").check()
    next(each for each in at.button if "restore" in (each.proto.form_id or "")).click().run()
    assert until_ended(house.engine, thread) == "done"
    after = house.engine.threads.research_report(thread)
    assert after is not None
    assert [each.chunk_id for each in after.evidence if each.restored] == [first.chunk_id]
    house.play()


def test_the_history_has_every_search_with_what_was_used_and_what_was_dropped(house: House) -> None:
    house.play(grade=drops_the_last)
    thread, _ = house.started("approved")
    assert until_ended(house.engine, thread) == "done"
    house.play()
    report = house.engine.threads.research_report(thread)
    assert report is not None
    shown = texts_of(turn_to(opened(house, thread), "history"))
    for task in report.tasks:
        assert task.task in shown and task.searches
        for search in task.searches:
            assert (
                f"{search.query} :gray[:small[Treffer: {search.hits}, neu: {search.new}]]" in shown
            )
    used, dropped = (task.searches[0] for task in report.tasks)
    (line,) = [line for line in shown.splitlines() if line.startswith(f"- {used.query} ")]
    below = shown[shown.index(line) :].splitlines()[1]
    assert "Im Bericht: [LaermG § 2](/document?doc=" in below
    assert shown.index(dropped.query) < shown.index(OFF_TOPIC)


def test_each_dropped_passage_of_a_section_has_its_reason(house: House) -> None:
    kept = house.report()
    place = {"document": "LaermG.txt", "section": "§ 2", "score": 0.1}
    reasons = {f"c{n}": f"Grund {n}" for n in (1, 2)}
    kept["dropped"] = [
        {**place, "chunk_id": name, "reason": {"message": why}} for name, why in reasons.items()
    ]
    shown = texts_of(turn_to(opened(house, house.keep(**kept)), "history"))
    assert all(why in shown for why in reasons.values())
