"""The page for quick answers, without a browser."""

from streamlit.testing.v1 import AppTest

from services.domain.errors import AlreadyAnswered
from services.domain.events import AgentStart, Event, ExecutionStart, Waiting
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
    assert "1 folgt aus Zitaten · schnell · Faktenfrage · Wertung 0,08 · 2,5 s · 940 Token" in shown
    assert at.query_params["thread"] == "a1"


def test_quotes_in_place_of_a_model_that_writes_too_loosely_say_so() -> None:
    fake = FakeClient()
    at = asked(fake)
    assert "nur Zitate" not in texts_of(at)
    fake.answers.turns("a1")[0]["usage"]["writing"] = 0.254
    assert "schreibt zu ungenau (25 % belegt)" in texts_of(at.run())


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


def test_passages_that_may_answer_are_cards_without_a_tick() -> None:
    at = asked(FakeClient(), "Wie backe ich Brot?")
    shown = texts_of(at)
    assert played_turn.CLOSEST in shown
    assert "keine sichere Antwort" in shown and "3 Stellen zum Selbstprüfen" in shown
    assert ":material/check:" not in shown and "3 Zitate" not in shown
    texts = [text.value for text in at.text]
    assert all(place.quote in texts for place in played_turn.NEAR)
    assert "(1) Für beruflich exponierte Personen gilt:" in texts
    at.button(key="mark-1-0-1-0-2").click().run()
    assert not at.exception and ":material/check:" not in texts_of(at)


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
    asked(fake).button(key="deeper-enhanced-1").click().run()
    assert fake.calls[-1] == ("ask", QUESTION, "a1", (), "enhanced")


def test_a_question_for_the_agent_that_went_another_way_says_why_and_offers_it() -> None:
    fake = FakeClient()
    at = asked(fake, "Vergleiche beides gründlich.")
    assert "Der Agent braucht mit diesem Sprachmodell meist etwa 120 s" in texts_of(at)
    assert button(at, "Gegliedert").key == "deeper-structured-1"
    button(at, "Mit dem Agenten").click().run()
    assert fake.calls[-1] == ("ask", "Vergleiche beides gründlich.", "a1", (), "agent")


def test_an_answer_becomes_a_research_session() -> None:
    fake = FakeClient()
    at = asked(fake)
    button(at, "Als Recherche fortsetzen").click().run()
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
    assert "Dieses Gespräch gibt es nicht" in texts_of(at)
    button(at, "Neues Gespräch").click().run()
    assert "thread" not in at.query_params


def test_an_error_of_asking_is_shown_and_the_page_stays() -> None:
    fake = FakeClient()
    at = asked(fake)
    fake.refuse_asking = AlreadyAnswered(
        "Thread {thread} is answering already. Wait for it.", thread="a1"
    )
    at.chat_input(key="ask-question").set_value("noch eine").run()
    assert "Das Gespräch a1 antwortet gerade." in texts_of(at)


def test_without_documents_the_sample_is_offered() -> None:
    at = open_app(FakeClient(documents=False), page="ask")
    assert at.button(key="ingest-sample")


def agent_at_work(fake: FakeClient, *events: Event) -> AppTest:
    """A second question of a conversation, under way on the agent route."""
    asked(fake)
    fake.stop_with("a1", "running")
    start = AgentStart(usual_s=24.0, longest_s=80.0, most_steps=7)
    fake.tell("a1", ExecutionStart(turn=2, question=QUESTION), start, played_turn.STEPS[0], *events)
    return open_app(fake, page="ask", thread="a1")


def test_the_agents_steps_are_seen_while_it_works_and_how_long_it_may_take() -> None:
    shown = texts_of(agent_at_work(FakeClient()))
    assert "meist etwa 24 s; höchstens 7 Schritte" in shown
    assert "Ich brauche **beide** Grenzwerte." in shown, "as text, no markup"
    assert "Textstellen suchen: Grenzwert Bevölkerung" in shown
    assert "StrlSchG § 80: 1 Millisievert" in shown and "Zwischenbilanz: Beides ist da." in shown


def test_an_answer_of_the_agent_keeps_its_steps_but_not_its_unchecked_words() -> None:
    fake = FakeClient()
    at = open_app(fake, page="ask")
    at.segmented_control(key="ask-depth").set_value("agent")
    at.chat_input(key="ask-question").set_value(QUESTION).run()
    assert fake.calls[-1][-1] == "agent"
    assert at.expander[0].label == "Schritte des Agenten (2)"
    shown = texts_of(at)
    assert "Ich brauche **beide** Grenzwerte." in shown and "Ungeprüft: 99." not in shown


def test_a_question_of_the_agent_is_answered_on_the_page_or_left_unanswered() -> None:
    waiting = Waiting(interrupt_id="i1", interrupt="clarification", questions=("Für wen?",))
    fake = FakeClient()
    at = agent_at_work(fake, waiting)
    assert "Für wen?" in texts_of(at) and "Ich brauche **beide**" in texts_of(at)
    at.chat_input(key="answer-i1").set_value("für Jugendliche").run()
    assert fake.calls[-1] == ("answer", "a1", "i1", "für Jugendliche")
    fake = FakeClient()
    agent_at_work(fake, waiting).button(key="end-i1").click().run()
    assert fake.calls[-1] == ("answer", "a1", "i1", "/end")


def test_the_neighbourhood_is_looked_up_once_and_only_when_it_is_opened() -> None:
    fake = FakeClient()
    at = asked(fake)
    assert not [call for call in fake.calls if call[0] == "neighbourhood"]
    at.session_state["around-a1-1"] = True
    shown = texts_of(at.run())
    told = shown.replace("\\", "").replace("\u00a0", " ")
    assert "StrlSchG § 78 verweist auf StrlSchG § 77" in told
    (graph,) = at.get("graphviz_chart")
    assert '"StrlSchG § 78" -> "StrlSchG § 77"' in graph.proto.spec
    at.run()
    assert fake.calls.count(("neighbourhood", "a1", 1)) == 1


def test_a_list_of_places_and_a_refusal_have_no_neighbourhood() -> None:
    for question in ("Wie viele Paragraphen nennen die Freigrenze?", "Wie backe ich Kuchen?"):
        at = asked(FakeClient(), question)
        assert "Umgebung der Antwort" not in [each.label for each in at.expander]
