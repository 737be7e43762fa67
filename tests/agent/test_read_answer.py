"""An answer that a model reads: claims with quotes, and what becomes of those that are no proof."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agent.ask import finish, reading
from agent.ask.models import PastTurn, Rewriting
from agent.engine.engine import Engine, connect_to
from agent.reading.reader import DEPTHS, Depth, Ranking, Reader, Reading
from agent.reading.values import SectionExcerpt
from agent.reading.verify import Question
from agent.reading_test.items import ItemSection
from agent.sources import full_title
from agent.step import Step
from services.domain import Passage, Principal
from services.domain.errors import ModelUnavailable
from services.evidence.grounding import ungrounded_numbers
from services.models.base import ChatRequest
from services.settings import Settings
from tests.support.desk import LAW, ask, make_services, open_desk
from tests.support.scripted_model import Answer, ScriptedModel

QUESTION = "Welcher Grenzwert des Lärms gilt für Beschäftigte unter 18 Jahren?"
QUOTE = "Für Beschäftigte unter 18 Jahren beträgt der Grenzwert des Lärms 70 Dezibel"
CLAIM = "Unter 18 Jahren gilt für Beschäftigte ein Grenzwert von 70 Dezibel im Tagesmittel."
WORDS = {
    "queries": ["Grenzwert Lärm Jugendliche"],
    "passage": "Für Jugendliche gilt ein Grenzwert.",
}


def passage_of(prompt: str, words: str) -> int:
    """The number of the passage of a prompt that has these words."""
    before = prompt[: prompt.index(words)]
    return int(re.findall(r"(?m)^\[(\d+)\]", before)[-1])


def draft(text: str, quote: str, *, answered: str = "yes", missing: str = "") -> Callable[..., str]:
    """A reading with one claim from the passage that tells of people under 18."""

    def said(request: ChatRequest) -> str:
        number = passage_of(request.messages[-1].content, QUOTE)
        source = {"passage": number, "quote": quote}
        claims = [{"text": text, "sources": [source]}]
        return as_json({"answered": answered, "claims": claims, "missing": missing})

    return said


def as_json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def verified(request: ChatRequest, missing: str = "") -> str:
    """A reading of each statement that finds these words missing."""
    statements = request.messages[-1].content.split("Aussagen, jede mit ihren Passagen:")[1]
    numbers = re.findall(r"(?m)^(\d+)\. ", statements)
    return as_json({"readings": [{"number": int(n), "missing": missing} for n in numbers]})


def declined(request: ChatRequest) -> str:
    return verified(request, "70 Dezibel")


@pytest.fixture
def desk(tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    """Makes a desk whose model answers the tasks of reading by a script."""
    opened: list[Engine] = []

    def make(
        read: Answer, verify: Answer = verified, words: Answer = WORDS, **others: Answer
    ) -> Engine:
        tasks = {"words": words, "read": read, "verify": verify} | others
        rules = [(f"^{name}$", said) for name, said in tasks.items()]
        model = ScriptedModel(rules, default="nothing of use", slots=2)
        settings = Settings(home=tmp_path / "home", llm="none", reads="yes")
        engine = connect_to(make_services(settings.home, model, settings=settings), Principal())
        opened.append(engine)
        (tmp_path / "LaermG.txt").write_text(LAW, encoding="utf-8")
        engine.library.ingest([tmp_path / "LaermG.txt"], "laerm")
        return engine

    yield make
    for engine in opened:
        engine.close()


def answer(engine: Engine, **options: Any) -> dict[str, Any]:
    return ask(engine, QUESTION, collections=["laerm"], **{"depth": "fast", **options})


def test_a_claim_whose_quote_stands_there_and_that_is_verified_is_the_answer(desk: Any) -> None:
    turn = answer(desk(draft(CLAIM, QUOTE)))
    (sentence,) = turn["sentences"]
    (citation,) = sentence["citations"]
    assert (sentence["text"], sentence["standing"]) == (CLAIM, "follows")
    assert (citation["quote"], citation["section"]) == (QUOTE, "§ 2")
    assert LAW[citation["start"] : citation["end"]] == QUOTE
    assert (turn["certainty"], turn["reads"], turn["rounds"]) == ("answered", True, 1)
    assert turn["usage"]["model_calls"] == 3
    assert any(each["section"] == "§ 2" for each in turn["read"])


def test_a_phrase_that_is_also_a_title_hides_no_other_document(desk: Any, tmp_path: Path) -> None:
    engine = desk(draft(CLAIM, QUOTE))
    (tmp_path / "Vortrag.md").write_text("# Grenzwert des Lärms\n\nDer Vortrag beginnt um zehn.\n")
    engine.library.ingest([tmp_path / "Vortrag.md"], "laerm")
    turn = answer(engine)
    assert [each["text"] for each in turn["sentences"]] == [CLAIM]
    assert "Vortrag.md" in {each["document"] for each in turn["read"]}


@pytest.mark.parametrize(
    "text",
    [
        "Unter 18 Jahren gilt ein Grenzwert von 75 Dezibel.",
        "Nach § 7 gilt unter 18 Jahren ein Grenzwert von 70 Dezibel.",
    ],
)
def test_a_number_or_label_from_elsewhere_gives_way_to_the_quote(desk: Any, text: str) -> None:
    turn = answer(desk(draft(text, QUOTE)))
    assert [each["standing"] for each in turn["sentences"]] == ["quote"]
    assert text not in turn["answer"] and QUOTE in turn["answer"]


def test_a_claim_that_its_section_does_not_say_gives_way_to_the_quote(desk: Any) -> None:
    turn = answer(desk(draft(CLAIM, QUOTE), declined))
    assert [each["standing"] for each in turn["sentences"]] == ["quote"]
    assert CLAIM not in turn["answer"]


@pytest.mark.parametrize(
    "quote",
    [
        QUOTE.replace("70", "71"),
        "Für Beschäftigte beträgt der Grenzwert des Lärms 70 Dezibel",
        "[1] LaermG, § 2 Grenzwerte für Beschäftigte",
        "",
    ],
)
def test_a_claim_without_words_that_stand_there_is_no_answer(desk: Any, quote: str) -> None:
    turn = answer(desk(draft(CLAIM, quote)))
    assert turn["certainty"] == "refused" and CLAIM not in turn["answer"]
    assert any("is in none of the passages" in str(each) for each in turn["degraded"])


def test_nothing_is_answered_where_the_first_claim_is_no_proof(desk: Any) -> None:
    def read(request: ChatRequest) -> str:
        claims = json.loads(read_all(request))["claims"]
        wrong = {**claims[0], "text": "Es gilt ein Grenzwert von 75 Dezibel."}
        return as_json({"answered": "yes", "claims": [wrong, *claims[1:]], "missing": ""})

    turn = answer(desk(read))
    assert MEASURED in turn["answer"] and turn["certainty"] == "perhaps"


def test_a_reader_that_declines_is_believed(desk: Any) -> None:
    nothing = {"answered": "no", "claims": [], "missing": "der Grenzwert"}
    turn = answer(desk(nothing))
    assert (turn["certainty"], turn["refused"]) == ("refused", True)
    assert turn["missing"] == "der Grenzwert"


def test_what_is_missing_is_looked_for_again_and_then_said(desk: Any) -> None:
    first = draft(CLAIM, QUOTE, answered="partly", missing="die Ausnahmen")
    turn = answer(desk(first), depth="enhanced")
    assert turn["certainty"] == "answered" and "die Ausnahmen" in turn["answer"]
    assert turn["rounds"] == 2


@pytest.mark.parametrize(("depth", "rounds"), [("auto", 2), ("fast", 1)])
def test_a_quick_answer_looks_again_by_itself_where_nobody_chose_its_depth(
    depth: str, rounds: int, desk: Any
) -> None:
    turn = answer(
        desk(draft(CLAIM, QUOTE, answered="partly", missing="die Ausnahmen")), depth=depth
    )
    assert (turn["by_score"], turn["rounds"]) == ("fast", rounds)
    assert turn["depth"] == ("enhanced" if rounds == 2 else "fast")
    assert ("second one" in str(turn["reason"])) == (rounds == 2)


def test_a_quick_answer_by_choice_is_not_one_that_looked_again(desk: Any) -> None:
    engine = desk(draft(CLAIM, QUOTE, answered="partly", missing="die Ausnahmen"))
    engine.settings.set_parameter("answerCache", True)
    assert [answer(engine, depth=depth)["rounds"] for depth in ("auto", "fast")] == [2, 1]


def test_what_is_missing_stays_so_where_a_later_look_finds_nothing(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DEPTHS, "enhanced", Depth(rounds=2, room=500))  # leaves a second look
    first = draft(CLAIM, QUOTE, answered="partly", missing="die Ausnahmen")
    engine = desk([first, {"answered": "no", "claims": [], "missing": ""}])
    rest = "\n\n".join(f"§ {n} Lärm\n\n{'Der Lärm wird gemeldet. ' * 20}" for n in range(5, 15))
    (tmp_path / "MeldeV.txt").write_text(rest, encoding="utf-8")
    engine.library.ingest([tmp_path / "MeldeV.txt"], "laerm")
    turn = answer(engine, depth="enhanced")
    assert turn["rounds"] == 2 and turn["usage"]["tasks"]["read"]["model_calls"] == 2
    assert turn["missing"] == "die Ausnahmen" and "die Ausnahmen" in turn["closing"]


def test_a_model_that_fails_leaves_the_quotes(desk: Any) -> None:
    turn = answer(desk(ModelUnavailable("down"), words=ModelUnavailable("down")))
    assert turn["sentences"] and {each["standing"] for each in turn["sentences"]} == {"quote"}
    assert any("down" in str(each) for each in turn["warnings"])


def test_a_model_without_room_for_any_section_leaves_the_quotes(tmp_path: Path) -> None:
    model = ScriptedModel([("^words$", WORDS)], context_tokens=10**6)
    model.prompt_tokens_per_s = 1.0
    model.count_tokens = lambda text: 20 * len(text)  # type: ignore[method-assign]
    with open_desk(tmp_path / "home", model) as engine:
        turn = answer(engine)
    assert not model.prompts("read")
    assert turn["sentences"] and {each["standing"] for each in turn["sentences"]} == {"quote"}


TWO = "Welcher Grenzwert gilt für Beschäftigte unter 18 Jahren? Wann ist der Lärm zu messen?"
MEASURED = "Der Lärm ist jährlich durch eine anerkannte Stelle zu messen"


def read_all(request: ChatRequest) -> str:
    """Both facts, as far as their passages are shown."""
    prompt = request.messages[-1].content
    claims = [
        {"text": text, "sources": [{"passage": passage_of(prompt, quote), "quote": quote}]}
        for text, quote in ((CLAIM, QUOTE), (f"{MEASURED}.", MEASURED))
        if quote in prompt
    ]
    return as_json({"answered": "yes", "claims": claims, "missing": ""})


def test_a_question_of_parts_is_read_part_by_part_and_answered_in_one(desk: Any) -> None:
    whole = {"text": "Es gelten 70 Dezibel, und gemessen wird jährlich.", "claims": [1, 2]}
    said = "Unter 18 Jahren gelten 71 Dezibel."
    wrong = {"text": said, "claims": [1]}
    engine = desk(read_all, together=as_json({"sentences": [whole, wrong]}))
    turn = ask(engine, TWO, collections=["laerm"], depth="structured")
    first, *rest = turn["sentences"]
    assert first["text"] == whole["text"]
    assert {each["quote"] for each in first["citations"]} == {QUOTE, MEASURED}
    assert said not in turn["answer"] and CLAIM in [each["text"] for each in rest]
    assert {each["status"] for each in turn["required_info"]} == {"covered"}
    read = [(each["document"], each["section"]) for each in turn["read"]]
    assert len(read) == len(set(read))
    assert all(each["found"]["vector"] for each in turn["sub_queries"])
    assert {each["query"] for each in turn["sub_queries"]} <= {*turn["found"]["searches"]}


@pytest.mark.parametrize(
    "other",
    [
        {"answered": "no", "claims": [], "missing": ""},
        {"answered": "yes", "claims": [{"text": MEASURED, "sources": []}], "missing": ""},
        ModelUnavailable("down"),
    ],
)
def test_a_part_without_an_answer_is_named(desk: Any, other: Any) -> None:
    def read(request: ChatRequest) -> str:
        if "Frage: Wann ist der Lärm" in request.messages[-1].content:
            if isinstance(other, Exception):
                raise other
            return as_json(other)
        return draft(CLAIM, QUOTE)(request)

    turn = ask(desk(read), TWO, collections=["laerm"], depth="structured")
    part = "Wann ist der Lärm zu messen"
    assert turn["certainty"] == "answered" and CLAIM in turn["answer"]
    assert turn["gaps"] == [part] and turn["missing"] == part
    assert turn["answer"].endswith(f"nicht gefunden: {part}.")


def test_what_was_read_is_evidence_though_no_search_found_it(desk: Any, tmp_path: Path) -> None:
    proof = "Der Gehörschutz ist dort zu tragen"

    def read(request: ChatRequest) -> str:
        source = {"passage": passage_of(request.messages[-1].content, proof), "quote": proof}
        claims = [{"text": f"{proof}.", "sources": [source]}]
        return as_json({"answered": "yes", "claims": claims, "missing": ""})

    engine = desk(read)
    near = [f"§ {n} Lärm\n\nDen {QUESTION[8:-1]}, regelt § 90." for n in range(5, 40)]
    text = "\n\n".join(["Zielverordnung", *near, f"§ 90 Anlage\n\n{proof}.\n"])
    (tmp_path / "ZielV.txt").write_text(text, encoding="utf-8")
    engine.library.ingest([tmp_path / "ZielV.txt"], "laerm")
    turn = answer(engine, depth="structured")
    (piece,) = turn["required_info"]
    assert [(each["document"], each["section"]) for each in piece["evidence"]] == [
        ("ZielV.txt", "§ 90")
    ]
    assert turn["found"]["results"] >= len(turn["read"])


def test_no_document_is_read_beside_the_proof_of_another(desk: Any, tmp_path: Path) -> None:
    notice = "Niemand muss den Lärm messen, und wer prüft, findet keinen Mangel"
    prompts: list[str] = []

    def both(request: ChatRequest) -> str:
        prompt = request.messages[-1].content
        source = {"passage": passage_of(prompt, notice), "quote": notice}
        read = json.loads(read_all(request))
        return as_json(read | {"claims": [*read["claims"], {"text": notice, "sources": [source]}]})

    def noted(request: ChatRequest) -> str:
        prompts.append(request.messages[-1].content)
        return verified(request)

    engine = desk(both, noted)
    (tmp_path / "Aushang.md").write_text(f"# Aushang\n\n{notice}.\n", encoding="utf-8")
    engine.library.ingest([tmp_path / "Aushang.md"], "laerm")
    assert len(ask(engine, TWO, collections=["laerm"], depth="fast")["sentences"]) == 3
    assert sorted(notice in prompt for prompt in prompts) == [False, True]
    assert all((notice in prompt) != (QUOTE in prompt) for prompt in prompts)


def test_an_agent_ends_with_a_reading_of_what_it_gathered(desk: Any) -> None:
    look = 'THOUGHT: suchen\nACTION: retrieve_vector\nARGUMENTS: {"query": "Grenzwert Lärm"}'
    done = 'THOUGHT: genug\nACTION: final_answer\nARGUMENTS: {"answer": "Es sind 99 Dezibel."}'
    engine = desk(read_all, agent_think=[look, done], agent_reflect="CONCLUDE: no")
    turn = answer(engine, depth="agent")
    assert turn["depth"] == "agent" and turn["certainty"] == "answered"
    assert CLAIM in turn["answer"] and "99" not in turn["answer"]


def test_claims_are_told_while_they_are_written_and_checked(desk: Any) -> None:
    engine = desk(read_all)
    turn = answer(engine)
    told = [
        record.event.text
        for record in engine.threads.events(turn["thread_id"])
        if record.event.kind == "token_update"
    ]
    assert turn["answer"] == told[-1] and len(told) > 1


def test_a_claim_is_proven_once_while_the_reply_is_written() -> None:
    section = ItemSection(document="LärmG", label="§ 2", text=LAW).as_read("de")
    reports: list[Any] = []
    unused: Any = None
    reader = Reader(Question(QUESTION, "de"), unused, unused, reports.append)
    report = reader._report_drafts([section], Reading())
    claims = [
        {"text": text, "sources": [{"passage": 1, "quote": quote}]}
        for text, quote in ((CLAIM, QUOTE), (MEASURED, MEASURED))
    ]
    for text in ("", *(as_json({"claims": claims[:n], "missing": ""}) for n in (1, 2, 2)), ""):
        report(text)
    assert [[claim.text for claim in each] for each in reports] == [[CLAIM], [CLAIM, MEASURED], []]
    assert reports[0][0] is reports[1][0] and reports[0][0].quotes


@pytest.mark.parametrize("depth", ["structured", "agent"])
def test_a_model_that_fails_to_read_leaves_the_quotes_at_every_depth(desk: Any, depth: str) -> None:
    done = "THOUGHT: genug\nACTION: final_answer\nARGUMENTS: {}"
    engine = desk("no JSON", agent_think=done)
    turn = answer(engine, depth=depth)
    assert turn["sentences"] and {each["standing"] for each in turn["sentences"]} == {"quote"}


@pytest.mark.parametrize(
    "text",
    [
        "Unter 18 Jahren gelten zwischen 6:00 und 20:00 Uhr 70 Dezibel, und eine Behörde prüft es.",
        "Eine Anzeige fünf Tage vorher genügt nicht: unter 18 Jahren gelten 70 Dezibel.",
    ],
)
def test_what_states_no_number_is_no_number_of_a_claim(text: str) -> None:
    words = "Zwischen 6 und 20 Uhr. Fünf Tage. Unter 18 Jahren 70 Dezibel."
    section = ItemSection(document="LärmG", label="§ 2", text=words).as_read("de")
    assert ungrounded_numbers(text, "", [section], "de") == ()


def test_a_turn_keeps_the_passages_that_its_answer_cites() -> None:
    def at(name: str, start: int, end: int) -> Any:
        return SimpleNamespace(document_id="law", chunk_id=name, start=start, end=end)

    evidence = [at("first", 0, 50), at("second", 50, 90), at("third", 90, 120)]
    citations = [at("", 55, 60), at("", 119, 125)]
    state: Any = {"evidence": evidence}
    assert list(finish._cited_passages(state, citations)) == ["second", "third"]


@pytest.mark.parametrize(("by", "read"), [("rules", ("second",)), (None, ())])
def test_a_follow_up_reads_what_the_answer_before_cites(by: Any, read: tuple[str, ...]) -> None:
    past = PastTurn(question="q", names=(), answer="a", passages=("second",))
    rewriting = Rewriting(question="q", language="de", by=by)
    state: Any = {"conversation": [past], "rewriting": rewriting}
    assert reading._cited_before(state) == read


FOUND = {"question": "abc", "words": "bcd", "missing": "ea"}
"""What each search finds, a letter a passage."""


class Looks(Reader):
    """Reads nothing, and always misses something."""

    ranked: list[str]

    async def _name_searches(self, reading: Reading, ranked: Ranking) -> list[str]:
        return ["words"]

    async def _read(self, ranked: Ranking, depth: Depth, reading: Reading) -> list[str] | None:
        self.ranked.append("".join(passage.chunk_id for passage in ranked))
        reading.rounds, reading.missing = reading.rounds + 1, "more"
        return ["missing"]


async def search(query: str) -> Sequence[Passage]:
    return [cast(Passage, SimpleNamespace(chunk_id=letter)) for letter in FOUND[query]]


async def test_what_a_new_search_finds_is_read_first() -> None:
    looks = Looks(Question("question", "en"), search, cast(Step, None))
    looks.ranked = []
    await looks.read(Depth(rounds=2, room=100))
    assert looks.ranked == ["bcad", "eabcd"]


@pytest.mark.parametrize(
    ("start", "end", "shown"),
    [(0, 40, True), (60, 140, True), (90, 100, True), (30, 70, False), (100, 140, False)],
)
def test_only_what_a_section_shows_counts_as_read(start: int, end: int, shown: bool) -> None:
    """What stands behind a section in its document does not."""
    fields: Any = {"text_id": "t", "start": 0, "end": 100, "pieces": ((0, 50), (60, 100))}
    section = SectionExcerpt.model_construct(**fields)
    passage: Any = SimpleNamespace(text_id="t", start=start, end=end)
    assert section.shows_all_of(passage) is shown


def test_a_title_that_lacks_the_name_of_its_document_has_the_file_s() -> None:
    context: Any = SimpleNamespace(registry=SimpleNamespace(name_of={"a": "Name", "b": "AtG"}.get))
    passages: list[Any] = [
        SimpleNamespace(document_id="a", document="club-rules.md", title="Name"),
        SimpleNamespace(document_id="a", document="name.md", title="Name"),
        SimpleNamespace(document_id="b", document="atg-2020.pdf", title="Atomgesetz (AtG)"),
        SimpleNamespace(document_id="c", document="notes.txt", title=""),
    ]
    titles = [full_title(passage, context) for passage in passages]
    assert titles == ["Name (club-rules)", "Name", "Atomgesetz (AtG)", "notes"]
