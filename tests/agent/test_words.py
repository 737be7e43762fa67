"""The tables of words: what code asks for is there, and nothing else is."""

import re
from pathlib import Path
from typing import get_args

import pytest

import agent
from agent.prompts import _PROMPTS, _WORDS, say
from services.retrieval.scan.values import MatchKind

SOURCE = "\n".join(
    path.read_text(encoding="utf-8") for path in Path(agent.__file__).parent.rglob("*.py")
)


def test_every_key_is_used_and_every_used_key_is_there() -> None:
    called = set(re.findall(r'\bsay\([\w.()\[\]"]+, "(\w+)"', SOURCE))
    assert called and called <= _WORDS.keys()
    named = {*re.findall(r"[\"']([a-z_]+)[\"']", SOURCE), *get_args(MatchKind)}
    assert {key for key in _WORDS if not key.startswith("reason: ")} <= named
    assert _PROMPTS.keys() <= named


def test_everything_is_said_in_german_and_english() -> None:
    tables = {**_WORDS, **_PROMPTS}
    assert [key for key, texts in tables.items() if not {"de", "en"} <= texts.keys()] == []


@pytest.mark.parametrize(
    ("language", "number", "words"),
    [
        ("de", 1, "Zusammen 1 Abschnitt."),
        ("de", 0, "Zusammen 0 Abschnitte."),
        ("fr", 0, "0 section en tout."),
        ("fr", 2, "2 sections en tout."),
        ("es", 1, "1 sección en total."),
        ("it", 1, "1 section in all."),
    ],
)
def test_a_number_has_its_word(language: str, number: int, words: str) -> None:
    assert say(language, "sections", number) == words
