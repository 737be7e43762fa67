"""Quick answers end to end: question, search, answer or refusal, follow-up."""

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.ask.threads import AskThreads
from agent.engine.engine import Engine
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import EventRecord, ExecutionComplete, ExecutionStart, FinalAnswer
from services.locale import rendered
from tests.support.desk import ask, make_services, open_desk, until_ended
from tests.support.scripted_model import Answer, ScriptedModel

LIMIT = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"
ECHO = "und für Auszubildende?"
SEVEN = [
    "execution_start",
    "knowledge_retrieval_start",
    "knowledge_retrieval_complete",
    "conversation_llm_step",
    "token_update",
    "final_answer",
    "execution_complete",
]
RULES = """Ordnung für Werkhallen (HallenO)

§ 1 Inhalt

Dieses Kapitel regelt den Aufenthalt im Gefahrenbereich. Ein Gefahrenbereich ist zu kennzeichnen.

§ 2 Begriffe

1. Gefahrenbereich, wenn Menschen von Lasten getroffen werden können.

§ 3 Fristen für Krane

Für Krane beträgt die Frist der Prüfung 12 Monate.

§ 4 Fristen für Leitern

Für Leitern beträgt die Frist der Prüfung 6 Monate.
"""
MODEL = ScriptedModel()


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A desk without a model, with two small texts, for questions that change nothing."""
    yield from desk_with_rules(tmp_path_factory.mktemp("quiet"), None)


@pytest.fixture(scope="module")
def talking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The same with a model, whose script each test sets."""
    yield from desk_with_rules(tmp_path_factory.mktemp("talking"), MODEL)


def desk_with_rules(folder: Path, model: ScriptedModel | None) -> Iterator[Engine]:
    with open_desk(folder / "home", model, reads=False) as client:
        (folder / "HallenO.txt").write_text(RULES, encoding="utf-8")
        client.library.ingest([folder / "HallenO.txt"], "hallen")
        yield client


def law(client: Engine, question: str, **choices: Any) -> dict[str, Any]:
    return ask(client, question, **{"collections": ["laerm"], **choices})


def says(rewrite: Answer | list[Answer] = "") -> None:
    MODEL.play([("^rewrite$", rewrite)])


def test_without_a_model_the_best_sentences_answer_each_with_its_place(quiet: Engine) -> None:
    turn = law(quiet, LIMIT)
    assert turn["sentences"][0]["text"].startswith("Für Beschäftigte beträgt der Grenzwert")
    (citation,) = turn["sentences"][0]["citations"]
    assert (citation["section"], citation["verified"]) == ("§ 2", True)
    text = quiet.library.open_document(citation["document_id"]).parsed.text
    assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert "[1]" in turn["answer"] and turn["citations"][0]["number"] == 1
    assert turn["sources"][0]["sections"] == ["§ 2"] and turn["usage"]["model_calls"] == 0
    assert (turn["refused"], turn["depth"], turn["language"]) == (False, "fast", "de")


@pytest.mark.parametrize(
    ("question", "way", "texts"),
    [
        ("Who bakes the best apple pie in town?", "refused", ["The documents that were searched"]),
        ("Qui prépare la meilleure tarte aux pommes ?", "refused", ["Les documents consultés"]),
        ("¿Quién prepara la mejor tarta de manzana?", "refused", ["Los documentos consultados"]),
        ("Nenne alle Grenzwerte des Lärms für Beschäftigte", "search", ["nicht vollständig"]),
        ("Welcher Grenzwert des Lärms gilt seit 2019?", "search", ["1 Dokument hat kein Datum"]),
        ("Wie viele Dokumente gibt es?", "catalog", ["1 Dokument in 1 Sammlung: laerm (1)."]),
        ("How many documents are there?", "catalog", ["1 document in 1 collection: laerm (1)."]),
        ("Welche Dokumente gibt es?", "catalog", ["LaermG.txt"]),
        (
            "In wie vielen Paragraphen kommt das Wort Grenzwert vor?",
            "scan",
            ["„Grenzwert“ kommt in 2 von 4 Paragraphen vor", "andere Form", "§ 3", "2 von 4"],
        ),
        ("Liste alle Paragraphen auf, die den Begriff grenzwert erwähnen", "scan", ["§ 2", "von"]),
        ("Zeige alle Abschnitte, die das Wort Grenzwert irgendwo anführen", "scan", ["„Grenzw"]),
        ("Wie oft wird Xylophon erwähnt?", "scan", ["nichts von „Xylophon“", "?"]),
        ("How many sections mention xylophones?", "scan", ["Which word do you mean?"]),
        # None is believed of a quoted term, and of a word that stands elsewhere.
        ("Wie oft wird „Xylophon“ erwähnt?", "scan", ["kommt in 0 von"]),
        ("Wie oft wird Grenzwert in § 1 erwähnt?", "scan", ["kommt in 0 von"]),
    ],
)
def test_a_question_finds_its_way_and_its_words(
    quiet: Engine, question: str, way: str, texts: list[str]
) -> None:
    turn = law(quiet, question)
    assert turn["refused"] is (way == "refused") and turn["usage"]["model_calls"] == 0
    assert turn["way"] == (way if way != "refused" else "search")
    told = f"{turn['answer']} {turn['coverage']} {turn['warnings']}"
    assert [text for text in texts if text not in told] == []
    assert not any(each in turn["opening"] for each in ("rwähnen“ kommt", "(in 0"))
    if way == "scan":
        counted = "kommt in" in turn["opening"]
        assert counted is (turn["coverage"]["statement"] is not None) and turn["found"] is None


def test_an_answer_says_of_how_many_passages_it_was_made(quiet: Engine) -> None:
    question = "Welche Vorschriften schützen Beschäftigte vor Lärm?"
    few, all_of_them = (law(quiet, question, k=k)["coverage"] for k in (1, 100))
    assert (few["statement"] or "").startswith("Beruht auf 1 von ")
    assert all_of_them["statement"] is None, "nothing was left unread"


@pytest.mark.parametrize("depth", ["fast", "enhanced", "structured", "agent"])
def test_a_list_by_meaning_is_told_to_be_a_sample_at_every_depth(quiet: Engine, depth: str) -> None:
    turn = law(quiet, "Nenne alle Grenzwerte des Lärms für Beschäftigte", depth=depth)
    assert turn["coverage"]["whole"] is False
    assert "nicht vollständig" in (turn["coverage"]["warning"] or "")


def test_what_the_documents_do_not_hold_is_refused_without_a_model_call(talking: Engine) -> None:
    says("Was backt man?")
    turn = law(talking, "Wer backt Apfelkuchen mit Zimt?")
    assert turn["refused"] and turn["sentences"] == [] and MODEL.requests == []
    assert turn["answer"].startswith("Dazu steht nichts in den durchsuchten Dokumenten.")
    assert "Wer backt Apfelkuchen mit Zimt?" in turn["answer"] and "laerm" in turn["answer"]


def test_all_that_a_message_lists_is_searched_for_and_quoted(quiet: Engine) -> None:
    listed = "Vergleiche:\n- Frist für Krane\n- Frist für Leitern"
    turn = law(quiet, listed, collections=["hallen"])
    assert turn["depth"] == "enhanced" and "0.35 or more" in rendered(turn["reason"])
    assert turn["found"]["searches"][1:] == ["Frist für Krane", "Frist für Leitern"]
    sections = {sentence["citations"][0]["section"] for sentence in turn["sentences"]}
    assert {"§ 3", "§ 4"} <= sections


BY_RULES = "und für Auszubildende? ("
WHOLE = "Welcher Grenzwert des Lärms gilt für Auszubildende?"


@pytest.mark.parametrize(
    ("rewritten", "expected"),
    [
        ("Welcher Grenzwert des Lärms gilt für Azubis?", BY_RULES),
        (ECHO, BY_RULES),
        (WHOLE, WHOLE),
        (None, BY_RULES),
    ],
)
def test_a_follow_up_is_completed_from_the_conversation_and_a_model_s_words_are_checked(
    quiet: Engine, talking: Engine, rewritten: str | None, expected: str
) -> None:
    desk = quiet if rewritten is None else talking
    questions = "Welcher Grenzwert gilt nach § 99?", str(rewritten)
    says([{"question": question} for question in questions])
    first = law(desk, LIMIT)
    second = ask(desk, ECHO, thread_id=first["thread_id"], depth="enhanced")
    assert second["turn"] == 2 and "80 Dezibel" in second["answer"]
    assert second["question_rewritten"].startswith(expected)
    assert "Grenzwert" in second["question_rewritten"]
    assert [turn["turn"] for turn in desk.answers.turns(first["thread_id"])] == [1, 2]
    if rewritten is not None:
        assert second["usage"]["tasks"]["rewrite"]["model_calls"] == 2
        assert LIMIT in MODEL.prompts("rewrite")[0]


def test_events_come_in_order_replay_the_turn_and_escape_what_is_written(talking: Engine) -> None:
    says({"question": WHOLE})
    first = law(talking, LIMIT)
    second = ask(talking, ECHO, thread_id=first["thread_id"], depth="enhanced")
    records = talking.threads.events(first["thread_id"])
    kinds = [record.event.kind for record in records if record.event.kind in SEVEN]
    # Text grows while the model is asked; what it cost is known, and told, after.
    last_of = sorted(set(kinds), key=lambda kind: len(kinds) - kinds[::-1].index(kind))
    assert last_of == [SEVEN[0], SEVEN[3], *SEVEN[1:3], *SEVEN[4:]], (
        "the follow-up is completed first"
    )
    last = [record.event for record in records if record.event.kind == "token_update"][-1]
    assert last.total_input == second["usage"]["prompt_tokens"]
    assert replayed(records, 1) == first and replayed(records, 2) == second
    finals = [record.event for record in records if record.event.kind == "final_answer"]
    assert all(final.html.startswith(("<p>", "<blockquote>")) for final in finals)
    assert "<b>" not in finals[1].html and finals[1].tts_payload is None


def replayed(records: Iterable[EventRecord], turn: int) -> dict[str, Any] | None:
    """A finished turn from the log of its thread alone; None where it did not finish."""
    current, answer = 0, None
    for record in records:
        match record.event:
            case ExecutionStart() as event:
                current = event.turn
            case FinalAnswer() as event if current == turn:
                answer = {"thread_id": record.key.thread_id, **event.answer}
            case ExecutionComplete() if current == turn and answer is not None:
                return answer
    return None


def test_a_conversation_is_listed_as_such_and_is_no_research(desk: Engine) -> None:
    thread = ask(desk, LIMIT)["thread_id"]
    (run,) = desk.threads.runs()
    assert (run.kind, run.status, run.question) == ("ask", "done", LIMIT)
    assert desk.threads.costs()[thread].seconds > 0
    with pytest.raises(InvalidInput, match="not a research thread"):
        desk.threads.checkpoints(thread)
    with pytest.raises(InvalidInput, match="has already been answered"):
        desk.threads.resume(thread)
    with pytest.raises(InvalidInput, match="uses laerm"):
        desk.answers.ask(LIMIT, thread_id=thread, collections=["anderes"])
    research = desk.threads.start(LIMIT)
    until_ended(desk, research)
    with pytest.raises(InvalidInput, match="is a research"):
        desk.answers.ask(LIMIT, thread_id=research)
    for each in (thread, research):
        desk.threads.delete(each)
    assert desk.threads.runs() == []


@pytest.mark.parametrize("question", ["", "  ", "x" * 4001])
def test_an_empty_or_endless_question_is_refused(quiet: Engine, question: str) -> None:
    with pytest.raises(InvalidInput, match="1 to 4000 characters"):
        quiet.answers.ask(question)


def test_what_may_not_be_read_is_not_asked(quiet: Engine) -> None:
    stranger = quiet.acting_as(Principal(user="somebody"))
    with pytest.raises(NotFound, match="laerm"):
        stranger.answers.ask(LIMIT, collections=["laerm"])
    thread = law(quiet, LIMIT)["thread_id"]
    with pytest.raises(InvalidInput):
        stranger.answers.ask("und dann?", thread_id=thread)


def test_who_asks_an_unlisted_collection_by_its_id_can_open_the_proofs(desk: Engine) -> None:
    place = desk.library.change_collection("laerm", visibility="unlisted").collection_id
    stranger = desk.acting_as(Principal(user="somebody"))
    document = desk.library.documents("laerm")[0].document_id
    with pytest.raises(NotFound):
        stranger.library.open_document(document)
    (source, *_) = ask(stranger, LIMIT, collections=[place])["sources"]
    assert source["document_id"] == document
    assert stranger.library.open_document(document).info.document_id == document
    assert stranger.library.collections() == stranger.library.documents() == []
    desk.library.change_collection("laerm", visibility="private")
    with pytest.raises(NotFound):
        stranger.library.open_document(document)


def test_a_question_whose_process_died_is_asked_again(tmp_path: Path) -> None:
    services = make_services(tmp_path / "home")
    with open_desk(tmp_path / "home") as desk:
        options = {"depth": "auto", "k": 5, "profile": None, "asked": LIMIT}
        services.catalog.runs.create("t", Principal(), LIMIT, ["laerm"], options, kind="ask")
        assert desk.threads.run("t").status == "interrupted"
        desk.threads.resume("t")
        until_ended(desk, "t")
        (turn,) = desk.answers.turns("t")
        assert turn["question"] == LIMIT and not turn["refused"]
    services.close()


def test_the_same_question_in_other_words_is_answered_from_memory_if_wanted(desk: Engine) -> None:
    again = "Welcher Grenzwert des Lärms gilt für die Beschäftigte?"
    ask(desk, LIMIT)
    assert ask(desk, again)["usage"]["seconds"].keys() >= {"retrieve"}, "off by default"
    desk.settings.set_parameter("answerCache", True)
    first, second = ask(desk, LIMIT), ask(desk, again)
    assert second["from_cache"] and "retrieve" not in second["usage"]["seconds"]
    assert second["sentences"] == first["sentences"] and second["coverage"] == first["coverage"]
    desk.settings.set_parameter("maxChunksPerDocument", 1)
    assert not ask(desk, again)["from_cache"], "searches find something else now"
    other = ask(desk, "Welcher Grenzwert des Lärms gilt nicht für Beschäftigte?")
    assert "retrieve" in other["usage"]["seconds"]


@pytest.mark.parametrize(
    ("place", "asked_again"), [("_stream", True), ("_make_report", False), ("end", False)]
)
def test_a_turn_that_broke_off_after_its_answer_is_not_answered_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, asked_again: bool
) -> None:
    def broken_off(*_: Any, **__: Any) -> None:
        raise asyncio.CancelledError

    model = ScriptedModel(default="")
    with open_desk(tmp_path / "home", model) as desk:
        thread = ask(desk, LIMIT, depth="structured")["thread_id"]
        with monkeypatch.context() as patched:
            patched.setattr(AskThreads, place, broken_off)
            asked = desk.answers.ask(LIMIT, thread_id=thread, depth="structured")
            assert until_ended(desk, thread, asked.after) == "paused"
        model.requests.clear()
        desk.threads.resume(thread)
        assert until_ended(desk, thread) == "done"
        turns = desk.answers.turns(thread)
        assert [each["turn"] for each in turns] == [1, 2]
        assert turns[1]["question_rewritten"] is None, "it is not asked after itself"
        assert bool(model.requests) is asked_again


def test_what_a_killed_owner_left_goes_on_under_one_with_the_same_process_id(
    tmp_path: Path,
) -> None:
    """As in a container, where each is process 1."""
    with open_desk(tmp_path) as desk:
        thread = ask(desk, LIMIT)["thread_id"]
    services = make_services(tmp_path)
    services.catalog.leases.acquire(thread, services.catalog.workers.holder)
    services.catalog.runs.update(thread, status="running")
    services.close()
    with open_desk(tmp_path) as desk:
        assert desk.threads.run(thread).status == "interrupted"
        desk.threads.resume(thread)
        assert until_ended(desk, thread) == "done"
        desk.threads.delete(thread)
