"""The page for quick answers, without a browser."""

from streamlit.testing.v1 import AppTest

from app.texts import ask as words
from services.errors import AlreadyAnswered
from tests.support import played_turn
from tests.support.fake_client import FakeClient
from tests.support.pages import button, open_app, texts_of

QUESTION = "Welcher Grenzwert gilt für beruflich exponierte Personen?"


def asked(fake: FakeClient, question: str = QUESTION) -> AppTest:
    at = open_app(fake, page="ask")
    return at.chat_input(key="ask-question").set_value(question).run()


def test_a_question_is_answered_with_its_place_and_what_it_took() -> None:
    at = asked(FakeClient())
    shown = texts_of(at)
    assert QUESTION in shown and played_turn.PROSE in shown
    assert at.button(key="mark-1-0-0-0-1").label == "1"
    assert "schnell · Faktenfrage · Wertung 0,08 · 2,5 s · 940 Token" in shown
    assert at.query_params["thread"] == "a1"


def test_depth_and_collections_go_with_the_question() -> None:
    fake = FakeClient()
    at = open_app(fake, page="ask")
    at.segmented_control(key="ask-depth").set_value("enhanced")
    at.multiselect(key="ask-collections").set_value(["strahlenschutz"])
    at.chat_input(key="ask-question").set_value(QUESTION).run()
    assert fake.calls[-1] == ("ask", QUESTION, None, ("strahlenschutz",), "enhanced")


def test_a_follow_up_stays_in_the_thread_and_says_how_it_was_understood() -> None:
    fake = FakeClient()
    at = asked(fake)
    at.chat_input(key="ask-question").set_value("und für Jugendliche?").run()
    assert fake.calls[-1][:3] == ("ask", "und für Jugendliche?", "a1")
    assert "Verstanden als: und für Jugendliche? (Jugendliche)" in texts_of(at)


def test_each_turn_has_marks_of_its_own_and_one_proof_is_open() -> None:
    fake = FakeClient()
    at = asked(fake)
    at.chat_input(key="ask-question").set_value("und für Jugendliche?").run()
    at.button(key="mark-1-0-0-0-1").click().run()
    assert not at.exception
    assert (at.query_params["turn"], at.query_params["cite"]) == ("1", "1")
    assert len([each for each in at.button if each.key == "proof-close"]) == 1


def test_a_refusal_says_so_and_what_was_searched() -> None:
    shown = texts_of(asked(FakeClient(), "Wie backe ich Kuchen?"))
    assert played_turn.NOT_FOUND in shown
    assert "nicht in den Dokumenten" in shown and "Gesucht wurde: »Kuchen«." in shown


def test_a_count_lists_its_places() -> None:
    at = asked(FakeClient(), "Wie viele Paragraphen nennen die Freigrenze?")
    assert "34 von 586 Abschnitten" in texts_of(at)
    (places, _) = at.dataframe
    assert places.value.iloc[0, 0].startswith("StrlSchG § 78")
    assert places.value.iloc[0, 3] == "/document?doc=d1&page=49&span=100-" + str(
        played_turn.PLACE.end
    )


def test_a_thumb_is_kept_with_a_word() -> None:
    fake = FakeClient()
    at = asked(fake)
    at.feedback[0].set_value(1).run()
    assert fake.calls[-1] == ("vote", "a1", 1, True, "")
    at.text_input(key="vote-a1-1-word").set_value("genau richtig").run()
    assert fake.calls[-1] == ("vote", "a1", 1, True, "genau richtig")


def test_deeper_asks_the_same_question_with_more_passages() -> None:
    fake = FakeClient()
    asked(fake).button(key="deeper-1").click().run()
    assert fake.calls[-1] == ("ask", QUESTION, "a1", (), "enhanced")


def test_an_answer_becomes_a_research_session() -> None:
    fake = FakeClient()
    at = asked(fake)
    button(at, words.TO_RESEARCH.de).click().run()
    assert fake.calls[-1][:3] == ("start", QUESTION, ("strahlenschutz",))


def test_a_question_without_answer_can_be_asked_again() -> None:
    fake = FakeClient()
    asked(fake)
    fake.stop_with("a1", "failed", "The model does not answer.")
    at = open_app(fake, page="ask", thread="a1")
    assert "The model does not answer." in texts_of(at)
    at.button(key="again").click().run()
    assert fake.calls[-1] == ("resume", "a1")


def test_an_unknown_conversation_is_named_and_a_new_one_offered() -> None:
    at = open_app(FakeClient(), page="ask", thread="nowhere")
    assert words.UNKNOWN.de in texts_of(at)
    button(at, words.NEW.de).click().run()
    assert "thread" not in at.query_params


def test_an_error_of_asking_is_shown_and_the_page_stays() -> None:
    fake = FakeClient()
    at = asked(fake)
    fake.refuse_asking = AlreadyAnswered("Thread a1 is answering already. Wait for it.")
    at.chat_input(key="ask-question").set_value("noch eine").run()
    assert "Das Gespräch a1 antwortet gerade." in texts_of(at)


def test_without_documents_the_sample_is_offered() -> None:
    at = open_app(FakeClient(documents=False), page="ask")
    assert at.button(key="ingest-sample")
