"""The prompts and words of all tasks, and what the tasks of quick answers accept."""

import re
from pathlib import Path
from typing import get_args

import pytest

import agent
from agent.prompts import _PROMPTS, _READER_TEXTS, say
from agent.prompts.ask import RewriteFollowUp, RewriteInput, WholeQuestion
from agent.prompts.reading import Statement, VerifyClaims, VerifyInput
from agent.prompts.research import (
    LookOver,
    PlanInput,
    PlanTasks,
    SectionFound,
    SurveyInput,
    WriteInput,
    WriteSection,
    tasks_by_rule,
)
from services.domain.errors import InvalidGeneration
from services.domain.passages import RelationKind
from services.retrieval.scan.matcher import MatchKind

SOURCE = "\n".join(
    path.read_text(encoding="utf-8") for path in Path(agent.__file__).parent.rglob("*.py")
)
LIMIT = (("Welcher Grenzwert gilt nach § 78?", "20 Millisievert im Jahr."),)
CRANE = (("Welche Prüfung braucht ein Kran?", "Eine jährliche Prüfung durch Sachkundige."),)
YOUNG = "und für Auszubildende ab 16 Jahren?"


def test_every_key_is_used_and_every_used_key_is_there() -> None:
    called = set(re.findall(r'\bsay\([\w.()\[\]"]+, "(\w+)"', SOURCE))
    assert called and called <= _READER_TEXTS.keys()
    named = {*re.findall(r"[\"']([a-z_]+)[\"']", SOURCE), *get_args(MatchKind)}
    named |= {f"is_{kind}" for kind in (*get_args(RelationKind), "newer")}
    assert _READER_TEXTS.keys() <= named
    assert _PROMPTS.keys() <= named


def test_everything_is_said_in_german_and_english() -> None:
    tables = {**_READER_TEXTS, **_PROMPTS}
    assert [key for key, texts in tables.items() if not {"de", "en"} <= texts.keys()] == []


def test_no_text_has_the_name_of_a_class() -> None:
    classes = set(re.findall(r"^class ([A-Z][a-z]+[A-Z]\w+)", SOURCE, re.MULTILINE))
    texts = str([_READER_TEXTS, _PROMPTS])
    assert classes and not classes & set(re.findall(r"\w+", texts))


def test_a_written_sentence_is_verified_beside_what_it_was_written_from() -> None:
    statement = Statement(
        number=3, text="Alle.", passages=(1, 2), made_of=("Nur Anna.", "Bis Mai.")
    )
    inp = VerifyInput(question="Wer?", language="de", passages="[1] …", statements=(statement,))
    asked = VerifyClaims().render(inp)[1].content
    assert asked.endswith(
        "3. [1] [2] Alle.\n   geschrieben aus: Nur Anna.\n   geschrieben aus: Bis Mai."
    )


@pytest.mark.parametrize(
    ("language", "number", "words"),
    [
        ("de", 1, "Zusammen 1 Abschnitt."),
        ("de", 0, "Zusammen 0 Abschnitte."),
        ("fr", 0, "0 section en tout."),
        ("es", 1, "1 sección en total."),
        ("it", 1, "1 section in all."),
    ],
)
def test_a_number_has_its_word(language: str, number: int, words: str) -> None:
    assert say(language, "sections", number) == words


@pytest.mark.parametrize(
    ("talk", "question", "whole", "why"),
    [
        (LIMIT, YOUNG, "Welcher Grenzwert gilt für Auszubildende ab 16 Jahren?", None),
        (LIMIT, YOUNG, "Welcher Grenzwert gilt nach § 78 für Auszubildende ab 16 Jahren?", None),
        (LIMIT, YOUNG, "Welcher Grenzwert gilt für Auszubildende ab 16 nach § 80?", "no number"),
        (LIMIT, YOUNG, "Welcher Grenzwert gilt für Auszubildende?", "keep the"),
        (LIMIT, YOUNG, "Welcher Grenzwert gilt für Schwangere?", "keep the words"),
        (LIMIT, YOUNG, "Which limit applies to those of 16 years who are in training?", "English"),
        (LIMIT, YOUNG, "", "write one question"),
        (LIMIT, YOUNG, "Auszubildende ab 16 Jahren " * 20, "write one question"),
        (CRANE, "Und für Bagger?", "Und für Bagger?", "name what the conversation"),
        (CRANE, "Und für Bagger?", "Was gilt und für Bagger?", "name what the conversation"),
        (CRANE, "Und für Bagger?", "Welche Kranprüfung gilt für Bagger?", None),
        (CRANE, "Wer kann davon absehen?", "Wer kann von der Prüfung absehen?", None),
        (CRANE, "Was sagt das zweite dazu?", "Was sagt die Prüfung dazu?", None),
    ],
)
def test_a_rewriting_keeps_what_was_asked_and_brings_in_the_conversation(
    talk: tuple[tuple[str, str], ...], question: str, whole: str, why: str | None
) -> None:
    asked = RewriteInput(question=question, language="de", conversation=talk, fallback="?")
    if why is None:
        assert RewriteFollowUp().check(asked, WholeQuestion(question=whole)) == whole
    else:
        with pytest.raises(InvalidGeneration, match=why):
            RewriteFollowUp().check(asked, WholeQuestion(question=whole))


@pytest.mark.parametrize(("language", "name"), [("fr", "French"), ("it", "Italian")])
def test_the_model_is_told_the_language_once_and_no_reader_sees_it(
    language: str, name: str
) -> None:
    plan = PlanInput(
        question="Une question ?",
        language=language,
        aspects=("facette première",),
        refinements=("remarque seconde",),
        found=(SectionFound(name="Loi § 1", heading="Objet"),),
    )
    survey = SurveyInput(question="Q?", language=language, passages="[1] P")
    section = WriteInput(question="Q?", language=language, task="T", findings=("S",))
    for task, inp in ((LookOver(), survey), (PlanTasks(), plan), (WriteSection(), section)):
        system, user = task.render(inp)
        assert system.content.endswith(f" in {name}.") and name not in user.content
        assert "English" not in system.content
    tasks = tasks_by_rule(plan)
    shown = [text for task in tasks for text in (task.task, task.context)]
    assert len(tasks) == 3
    assert not [text for text in shown if name in text or "\n" in text]
