"""The page for quick answers, over a real engine."""

import copy
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from app.components.answer_details import observation_text
from app.components.conversation import DEEPER, RECENT
from app.labels import DEPTHS
from app.locale import translate
from app.run_log import PAGE
from app.samples import CONTRACTS
from services.domain.events import Event, EventKey, TokenUpdate, Warned
from services.domain.notices import Notice
from tests.support.catalogs import log_event
from tests.support.desk import until_ended, until_waiting
from tests.support.grid_house import long_text
from tests.support.house import (
    ANSWER,
    ASK_BACK,
    CLEAR,
    COMPARE,
    COUNT,
    PIECES,
    PROSE,
    SEARCH,
    UNANSWERABLE,
    House,
)
from tests.support.pages import keys, open_app, texts_of
from tests.support.played_session import HOSTILE

LIMIT = "85 Dezibel im Tagesmittel."
"""The law's own words, of which the question has none."""


def opened(house: House, thread: str = "", **where: str) -> AppTest:
    where |= {"thread": thread} if thread else {}
    at = open_app(house.engine, **where)
    assert not at.exception
    return at


def asked(house: House, question: str = CLEAR, depth: str = "auto") -> AppTest:
    """A question asked on the page, and its answer."""
    at = opened(house)
    at.segmented_control(key="box-depth").set_value(depth)
    at.chat_input(key="question").set_value(question).run()
    until_ended(house.engine, at.query_params["thread"])
    at.run()
    assert not at.exception
    return at


def changed(house: House, **other: Any) -> AppTest:
    """A conversation whose only turn is an answer with something else in it."""
    return opened(house, house.keep(turns=[{**copy.deepcopy(house.answered()), **other}]))


def opened_details(at: AppTest, turn: int = 1) -> AppTest:
    """The page with what is folded under an answer."""
    at.session_state[f"details-{at.query_params['thread']}-{turn}"] = True
    at.run()
    assert not at.exception
    return at


def is_refused(at: AppTest) -> bool:
    """Whether the sections that are nearest stand in the place of an answer."""
    return translate("de", "Nearest sections") in texts_of(at)


def test_a_question_is_answered_with_its_place_and_what_it_took(house: House) -> None:
    at = opened(house)
    at.segmented_control(key="box-depth").set_value("enhanced")
    at.chat_input(key="question").set_value(CLEAR).run()
    thread = at.query_params["thread"]
    assert until_ended(house.engine, thread) == "done"
    run, shown = house.engine.threads.run(thread), texts_of(at.run())
    assert (run.question, run.collections, run.options["depth"]) == (
        CLEAR,
        (CONTRACTS.collection,),
        "enhanced",
    )
    assert CLEAR in shown and LIMIT in shown and not is_refused(at)
    assert at.button(key="mark-1-0-0-0-1").label.startswith("1:gray[, §\u00a02 ")
    (turn,) = house.engine.answers.conversation(thread)
    name = translate("de", DEPTHS["enhanced"])
    assert turn.depth == "enhanced" and name not in "".join(text.value for text in at.caption)
    assert name in "".join(text.value for text in opened_details(at).caption)


def test_a_follow_up_stays_in_the_thread_and_one_proof_is_open(house: House) -> None:
    at = asked(house)
    thread = at.query_params["thread"]
    at.chat_input(key="question").set_value("und für Auszubildende?").run()
    until_ended(house.engine, thread)
    at.run()
    _first, second = house.engine.answers.conversation(thread)
    understood = second.question_rewritten
    assert understood and understood in texts_of(at) and "Beschäftigte" in understood
    at.button(key="mark-1-0-0-0-1").click().run()
    assert (at.query_params["turn"], at.query_params["cite"]) == ("1", "1")
    assert keys(at).count("proof-close") == 1


def test_a_refusal_says_so_and_what_was_searched(house: House) -> None:
    at = asked(house, UNANSWERABLE)
    (turn,) = house.engine.answers.conversation(at.query_params["thread"])
    assert turn.refused and turn.opening in texts_of(at) and is_refused(at)
    assert turn.found and turn.found.searches[0] in texts_of(opened_details(at))
    assert not [key for key in keys(at) if key.startswith(("mark-", "around-"))]
    assert turn.found and turn.found.nearest_at[0].section == "§ 2"


def test_passages_that_come_closest_are_cards_without_a_tick(house: House) -> None:
    (sentence,) = house.answered()["sentences"]
    quote = {**sentence, "standing": "quote", "decisive": ["Lärms"]}
    opening = "Das kommt am nächsten."
    at = changed(house, certainty="perhaps", sentences=[quote], opening=opening)
    assert opening in texts_of(at) and not is_refused(at)
    assert "des **Lärms** 85 Dezibel" in texts_of(at)
    at.button(key="mark-1-0-0-0-1").click().run()
    assert ":material/check:" not in texts_of(at) and "proof-close" in keys(at)


def test_what_has_no_room_at_first_sight_stands_in_a_fold(house: House) -> None:
    turn = house.answered()
    sentence = turn["sentences"][0] | {"standing": "quote"}
    (cited,) = sentence["citations"]
    other = {**cited, "start": 0, "end": 9, "quote": "Anderes " * 50}
    more = {**sentence, "text": other["quote"], "citations": [other]}
    text = f"{sentence['text']}\n\n{more['text']}"
    at = changed(house, certainty="perhaps", sentences=[sentence, more], answer=text)
    fold = next(each for each in at.expander if "(1)" in each.label)
    assert "Anderes" in str(fold.markdown[0].value)
    at.button(key="mark-1-1-0-0-2").click().run()
    assert "proof-close" in keys(at) and not at.exception


def test_a_count_lists_its_places(house: House) -> None:
    at = asked(house, COUNT)
    (turn,) = house.engine.answers.conversation(at.query_params["thread"])
    first = turn.sentences[0].citations[0]
    (places,) = at.dataframe
    assert turn.listed and len(places.value) == len(turn.sentences) > 1
    assert places.value.iloc[0, 0].startswith("LaermG § 1")
    address = f"/document?doc={first.document_id}&span={first.start}-{first.end}"
    assert places.value.iloc[0, 3] == address
    assert turn.coverage.statement is not None and turn.coverage.statement in texts_of(at)
    related = translate("de", "Related sections")
    assert related not in texts_of(opened_details(at)), "a list has no neighbourhood"


def test_a_thumb_is_kept_with_a_word(house: House) -> None:
    at = asked(house)
    thread = at.query_params["thread"]
    at.feedback[0].set_value(1).run()
    at.text_input(key=f"vote-{thread}-1-word").set_value("genau richtig").run()
    (vote,) = house.engine.answers.votes(thread)
    assert (vote.turn, vote.up, vote.text) == (1, True, "genau richtig")
    at = opened(house, thread)
    assert at.text_input(key=f"vote-{thread}-1-word").value == "genau richtig"
    at.feedback[0].set_value(0).run()
    (vote,) = house.engine.answers.votes(thread)
    assert (vote.up, vote.text) == (False, "genau richtig")


def test_deeper_asks_the_same_question_with_more_passages(house: House) -> None:
    at = asked(house)
    thread = at.query_params["thread"]
    at.button(key="deeper-enhanced-1").click().run()
    until_ended(house.engine, thread)
    turns = house.engine.answers.conversation(thread)
    assert [(turn.question, turn.depth) for turn in turns] == [(CLEAR, "fast"), (CLEAR, "enhanced")]


def test_what_was_left_open_is_proposed_as_a_follow_up(house: House) -> None:
    assert "follow-up-0" not in keys(changed(house))
    at = changed(house, missing="Frist der Messung")
    at.button(key="follow-up-0").click().run()
    thread = at.query_params["thread"]
    until_ended(house.engine, thread)
    assert house.engine.answers.turns(thread)[-1]["question"] == "Frist der Messung"


def test_an_answer_on_a_replaced_document_can_be_asked_again(house: House) -> None:
    assert "ask-again-1" not in keys(changed(house))
    newer = {"document": "LaermG.txt", "section": "§ 2", "by": "LaermG-2.txt"}
    at = changed(house, replaced=[newer])
    at.button(key="ask-again-1").click().run()
    until_ended(house.engine, at.query_params["thread"])
    assert LIMIT in texts_of(at.run()) and "ask-again-1" not in keys(at)


def test_earlier_turns_are_drawn_on_demand_or_if_the_address_names_one(house: House) -> None:
    count = 2 * RECENT + 5
    answer = house.answered()
    turns = [copy.deepcopy(answer) | {"turn": n + 1} for n in range(count)]
    thread = house.keep(turns=turns)

    def drawn(at: AppTest) -> int:
        return sum(key.startswith("research-") for key in keys(at))

    at = opened(house, thread)
    assert drawn(at) == RECENT and "mark-25-" not in " ".join(keys(at))
    at.button(key="earlier-turns").click().run()
    assert drawn(at) == 2 * RECENT
    at.button(key="earlier-turns").click().run()
    assert drawn(at) == count and "earlier-turns" not in keys(at)
    at = opened(house, thread, turn="3", cite="1")
    assert drawn(at) == count - 2
    at.query_params.clear()
    at.query_params["thread"] = thread
    assert drawn(at.run()) == count - 2, "closing a proof moves nothing away"


def test_a_question_for_the_agent_that_went_another_way_says_why_and_offers_it(
    house: House,
) -> None:
    why = Notice.of(
        "{reason}; the agent usually takes about {seconds:.0f} s with this model, so the depth "
        "“enhanced” was used instead",
        reason="Why",
        seconds=120.0,
    )
    at = changed(house, deeper=["structured", "agent"], reason=why.model_dump(), by_score="agent")
    assert "120 s" in texts_of(at) and str(why) not in texts_of(at)
    labels = {at.button(key=f"deeper-{depth}-1").label for depth in DEEPER}
    assert labels == {translate("de", text) for text in DEEPER.values()}


def test_quotes_in_place_of_a_model_that_does_not_read_say_so(house: House) -> None:
    usage, said = house.answered()["usage"], "scripted hat den Lesetest nicht bestanden"
    assert said in texts_of(changed(house, usage={**usage, "reads": "no"}))
    assert said not in texts_of(changed(house))


def test_an_answer_goes_deep_in_the_same_conversation(house: House) -> None:
    at = asked(house)
    talk = at.query_params["thread"]
    at.button(key="research-1").click().run()
    run = house.engine.threads.run(at.query_params["thread"])
    assert run.thread_id != talk and (run.kind, run.question) == ("research", CLEAR)
    assert run.collections == (CONTRACTS.collection,) and run.options["follows"] == talk
    assert LIMIT in texts_of(at.run()), "what was answered stands above"
    house.engine.threads.cancel(run.thread_id)
    assert f"lead-{run.thread_id}" in keys(opened(house, talk))


def test_another_click_on_going_deep_opens_what_the_first_began(house: House) -> None:
    at = asked(house)
    talk = at.query_params["thread"]

    def clicked() -> str:
        return opened(house, talk).button(key="research-1").click().run().query_params["thread"]

    first = clicked()
    assert clicked() == first != talk
    house.engine.threads.cancel(first)
    assert clicked() not in (first, talk), "what is over can be begun anew"


def test_a_question_without_answer_can_be_asked_again(house: House) -> None:
    house.disturb("break", "read")
    at = asked(house)
    thread = at.query_params["thread"]
    house.disturb(None)
    assert "the disk is full" in texts_of(at) and CLEAR in texts_of(at)
    at.button(key="again").click().run()
    assert until_ended(house.engine, thread) == "done" and LIMIT in texts_of(at.run())
    house.services.catalog.runs.update(thread, status="cancelled")
    assert "again" not in {each.key for each in at.run().button}, "it would be refused"


def begun(house: House, thread: str) -> None:
    """Another process has begun with a turn, which tells nothing yet."""
    catalog = house.services.catalog
    catalog.leases.acquire(thread, "another")
    catalog.runs.update(thread, status="running")


def told(house: House, thread: str, number: int, event: Event) -> None:
    key = EventKey(thread_id=thread, checkpoint="-", n=number)
    log_event(house.services.catalog, key, event)


def test_the_answer_before_is_not_shown_as_the_one_that_is_written(house: House) -> None:
    at = asked(house)
    thread = at.query_params["thread"]
    begun(house, thread)
    at.run()
    assert "stop" in keys(at) and texts_of(at).count(LIMIT) == 1 + 2, "it, and what Copy takes"
    told(house, thread, 1, TokenUpdate(part="answer", text="Ganz neu."))
    assert "Ganz neu." in texts_of(at.run())


def test_a_turn_is_seen_in_a_window_that_opens_a_very_long_conversation(house: House) -> None:
    thread = house.keep(turns=[house.answered()])
    begun(house, thread)
    why = Warned(message=Notice.of("the answer is checked"))
    for number in range(PAGE + 1):
        told(house, thread, number, why)
    told(house, thread, PAGE + 1, TokenUpdate(part="answer", text="Ganz neu."))
    assert "Ganz neu." in texts_of(opened(house, thread))


def test_an_error_of_asking_is_shown_and_the_page_stays(house: House) -> None:
    at = asked(house)
    thread = at.query_params["thread"]
    house.disturb("hang", "rewrite")
    house.engine.answers.ask("und in anderen Fällen?", thread_id=thread)
    at.button(key="deeper-enhanced-1").click().run()
    house.engine.threads.cancel(thread)
    assert len(at.error) == 1 and CLEAR in texts_of(at)


def test_a_question_of_the_agent_is_answered_on_the_page_or_left_unanswered(house: House) -> None:
    for reply in ("für Beschäftigte", "/end"):
        house.play(agent_think=[SEARCH, ASK_BACK, ANSWER])
        thread = house.engine.answers.ask(CLEAR, depth="agent").thread_id
        pending = until_waiting(house.engine, thread)
        at = opened(house, thread)
        assert "Für wen?" in texts_of(at) and "**suche**" in texts_of(at), "as text, no markup"
        if reply == "/end":
            at.button(key=f"end-{pending.interrupt_id}").click().run()
        else:
            at.chat_input(key=f"answer-{pending.interrupt_id}").set_value(reply).run()
        assert until_ended(house.engine, thread) == "done"
        (turn,) = house.engine.answers.conversation(thread)
        assert (reply in (turn.question_rewritten or "")) == (reply != "/end")


def test_the_agents_steps_are_seen_while_it_works_and_kept_under_the_answer(house: House) -> None:
    house.disturb("hang", "agent_think")
    thread = house.engine.answers.ask(CLEAR, depth="agent").thread_id
    for record in house.engine.threads.follow(thread):
        if record.event.kind == "agent_start":
            break
    at = opened(house, thread)
    assert f"{record.event.most_steps}" in texts_of(at) and "stop" in keys(at)
    at.button(key="stop").click().run()
    until_ended(house.engine, thread)
    house.play()
    at = asked(house, depth="agent")
    (steps,) = opened_details(at).expander
    shown = "\n".join(str(text.value) for text in steps.text)
    assert "**suche**" in shown and PROSE not in shown, "unchecked words are not shown"


def test_what_the_agent_saw_stands_under_its_places() -> None:
    seen = observation_text("=== LärmG, § 2 === 85 Dezibel. === LärmG, § 3 === Bußgeld *")
    assert seen.replace("\xa0", " ").split("  \n") == [
        "",
        "**LärmG, § 2**",
        "85 Dezibel.",
        "**LärmG, § 3**",
        "Bußgeld \\*",
    ]
    assert observation_text("Nichts gefunden") == "Nichts gefunden"


def test_a_structured_answer_shows_what_was_needed_and_others_do_not(house: House) -> None:
    at = opened_details(asked(house, COMPARE, "structured"))
    (turn,) = house.engine.answers.turns(at.query_params["thread"])
    (table,) = at.table
    assert [each["item"] for each in turn["required_info"]] == list(PIECES)
    signs = {"covered": "check_circle", "partial": "contrast", "missing": "circle"}
    assert [text.split(":")[1] for text in table.value.iloc[:, 1]] == [
        f"material/{signs[each['status']]}" for each in turn["required_info"]
    ]
    assert all(query["query"] in texts_of(at) for query in turn["sub_queries"])
    assert not opened_details(asked(house)).table
    for each in (*turn["required_info"], *turn["sub_queries"]):
        each |= {"item": HOSTILE} if "item" in each else {"query": HOSTILE, "target_info": HOSTILE}
    at = opened_details(opened(house, house.keep(turns=[turn])))
    for text in [str(at.table[0].value), *(each.value for each in at.caption)]:
        assert "](http" not in text and "<img" not in text.replace("\\<", "")


def test_a_question_for_all_is_offered_as_a_sweep(tmp_path: Path) -> None:
    house, question = House(tmp_path), "Nenne alle Pflichten der Behörde."
    with house.engine:
        assert not [b for b in asked(house, question).button if str(b.key).startswith("sweep-")]
        (tmp_path / "lang.md").write_text(long_text("Pflicht der Behörde"), encoding="utf-8")
        house.engine.library.ingest([tmp_path / "lang.md"], "lang")
        (offer,) = (b for b in asked(house, question).button if str(b.key).startswith("sweep-"))
        offer.click().run()
        (run,) = house.engine.grids.all()
        assert (run.kind, run.question, run.status) == ("sweep", question, "paused")
