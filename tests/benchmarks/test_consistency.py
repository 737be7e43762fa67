"""How far answers to one question agree, in the same words and in others."""

from typing import Any

import pytest

from tests.benchmarks.consistency import agreement


def row(id_: str, question: str, *sections: str, certainty: str = "answered") -> dict[str, Any]:
    citations = [{"document": "G", "section": each} for each in sections]
    sentence = {"text": "x", "standing": "quote", "citations": citations}
    report = {"certainty": certainty, "sentences": [sentence] if sections else []}
    return {"id": id_, "question": question, "report": report}


def test_what_two_answers_have_in_common() -> None:
    rows = [
        row("a", "Wie viel?", "§ 1", "§ 2"),
        row("a", "Wie viel?", "§ 2", "§ 1"),
        row("a", "Welche Menge?", "§ 1"),
        row("b", "Wie viel?", certainty="refused"),
        row("b", "Welche Menge?", certainty="perhaps"),
    ]
    same = agreement(rows)
    assert (same["runs"]["sections"]["mean"], same["runs"]["certainty"]["n"]) == (1.0, 1)
    others = same["paraphrases"]
    assert (others["sections"]["mean"], others["sections"]["n"]) == (0.5, 2)
    assert (others["certainty"]["mean"], others["certainty"]["n"]) == (pytest.approx(2 / 3), 3)
    assert agreement(rows[:1])["runs"] == {"sections": None, "certainty": None}
