"""Quick answers and reports as text in a terminal, with why and at what cost."""

import io
from contextlib import redirect_stderr
from typing import Any

import pytest

from agent.ask.models import Answer, StructuredAnswer
from agent.engine.reports import read_answer
from app.cli.answer_text import NO_PROOF, answer_text, questions_text, required_lines, run_text
from app.cli.terminal import ProgressPrinter
from services.domain.events import RunFinished, TokenUpdate, Waiting, Warned
from services.domain.notices import Notice
from services.locale import rendered
from tests.support.house import CLEAR, COMPARE, PIECES, PROSE, UNANSWERABLE, House


def text_of(turn: dict[str, Any], *, explain: bool = False) -> str:
    return answer_text(read_answer(turn), "t", explain=explain)


def changed(turn: dict[str, Any], **sentence: Any) -> dict[str, Any]:
    """The turn with its first sentence said to be something else."""
    return turn | {"sentences": [turn["sentences"][0] | sentence, *turn["sentences"][1:]]}


def test_an_answer_has_its_places_and_what_it_cost(house: House) -> None:
    turn = house.answered()
    text = text_of(turn)
    assert text.startswith(f"{PROSE} [1]") and f"[1] LärmG § 2: “{PROSE}”" in text
    assert "1 verified · fast · model scripted, 3 calls" in text and text.endswith("thread t")
    quoted = turn | {"usage": turn["usage"] | {"reads": "no"}}
    assert "quotes only: the model has not passed the reading test" in text_of(quoted)
    assert "refused · fast" in text_of(house.answered(UNANSWERABLE))
    listed = run_text({"thread_id": "t", "turns": [rendered(turn), rendered(turn)]})
    assert listed.count(f"? {CLEAR}") == listed.count("[1] ") == 2


@pytest.mark.parametrize("standing", ["loose", "contradicts", "none"])
def test_a_sentence_that_is_no_proof_is_said_to_be_none(house: House, standing: str) -> None:
    written = house.answered() | {"certainty": "answered"}
    turn = changed(written, standing=standing, text=PROSE, reason="Die Zahl ist eine andere.")
    assert f"Unproven ({NO_PROOF[standing]}): “{PROSE}” (Die Zahl" in text_of(turn)  # type: ignore[index]
    assert "Unproven" not in text_of(house.answered())


def test_what_comes_closest_is_cut_and_says_how_to_see_all(house: House) -> None:
    turn = house.answered() | {"certainty": "perhaps"}
    decisive = ["Grenzwert", "Lärms"]
    sentence = turn["sentences"][0] | {"standing": "quote", "decisive": decisive}
    long = {**sentence, "text": f"{'Vieles gilt. ' * 60}{PROSE}"}
    turn["sentences"] = [long, long, long]
    text = text_of(turn)
    assert "3 quotes · fast" in text and "Unproven" not in text
    shown = text.splitlines()[2]
    assert shown.startswith("    … ") and "**Grenzwert** des **Lärms** 85 Dezibel" in shown
    assert len(shown.strip().replace("**", "")) <= 400
    assert "The whole text, and 2 more passages: rabbithole runs show t --json" in text


def test_depths_that_were_passed_over_are_named_with_the_reason(house: House) -> None:
    turn = house.answered() | {"deeper": ["structured", "agent"], "reason": "It is slow"}
    assert (
        "It is slow. For a more thorough answer, use --depth structured or --depth agent."
        in text_of(turn)
    )
    assert "more thorough" not in text_of(turn | {"deeper": []})


def test_the_agents_steps_are_explained(house: House) -> None:
    turn = house.answered(depth="agent")
    text = text_of(turn, explain=True)
    assert "**suche**" in text and "  retrieve_vector(query=Grenzwert des Lärms)" in text
    assert "  -> " in text and ", undone)" not in text
    turn["agent_steps"][0]["discarded"] = True
    assert ", undone)" in text_of(turn, explain=True)


def test_what_was_needed_is_told_on_demand(house: House) -> None:
    turn = read_answer(house.answered(COMPARE, "structured"))
    assert isinstance(turn, StructuredAnswer)
    text = "\n".join(required_lines(turn))
    assert [info.item for info in turn.required_info] == list(PIECES)
    assert all(f"  {info.status:8} {info.item}" in text for info in turn.required_info)
    assert "Sub-query" in text and "retrieval " in text
    whole = answer_text(turn, "t", explain=True)
    assert text in whole and "Cache:" not in whole and text not in answer_text(turn, "t")


def test_a_report_is_told_with_sources_warnings_and_doubts(house: House) -> None:
    kept = rendered(house.report()) | {"warnings": ["Ein Wort kommt nicht vor."]}
    text = run_text(kept)
    assert text.startswith(kept["answer"]) and "  LaermG.txt: § 2" in text
    assert f"Warning: {kept['warnings'][0]}" in text and f"thread {kept['thread_id']}" in text
    doubtful = changed(kept, standing="none", citations=[]) | {"certainty": "perhaps"}
    assert "Unproven" in run_text(doubtful)
    assert run_text(doubtful).startswith(kept["answer"])  # its opening says that it claims nothing
    assert "no report" in run_text({"thread_id": "t", "status": "cancelled"})


def test_an_answer_of_an_earlier_version_is_read(house: House) -> None:
    turn = house.answered(UNANSWERABLE)
    for name in ("opening", "closing", "listed", "notes", "by_score", "certainty", "standings"):
        del turn[name]
    answer = read_answer(turn | {"of_another": 1})
    assert isinstance(answer, Answer) and answer.certainty == "refused" and not answer.listed


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("live", [True, False])
def test_what_grows_is_overwritten_and_gone_at_the_end_where_somebody_watches(
    live: bool,
) -> None:
    terminal = Terminal()
    with redirect_stderr(terminal), ProgressPrinter(lasting=False, live=live) as progress:
        progress.show(TokenUpdate(part="answer", text="eins\nzwei"))
        progress.show(Warned(message=Notice.of("Vorsicht")))
        progress.show(TokenUpdate(part="answer", text="drei"))
        progress.show(RunFinished(status="done"))
    moving = [f"\r\x1b[2K{text}" for text in ("eins\nzwei", "", "drei", "")]
    said = "rabbithole: Vorsicht\n"
    expected = f"{''.join(moving[:2])}\x1b[1A\x1b[2K{said}" if live else said
    assert terminal.getvalue() == expected + ("".join(moving[2:]) if live else "")


def test_a_question_back_says_how_it_is_answered() -> None:
    waiting = Waiting(interrupt_id="i", interrupt="clarification", questions=("Für wen?",))
    assert questions_text("t", waiting) == 'Für wen?\nAnswer with: rabbithole ask --thread t "…"'
