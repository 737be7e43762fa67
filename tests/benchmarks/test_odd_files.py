"""Whether the judge of odd files tells losses, falsehoods and truth apart."""

import pytest

from tests.benchmarks.odd_files import FALSE, OTHER, SILENT, Reading, faults

ROW = ["Lazio", ["Remdesivir", "63"], ["Molnupiravir", "219"]]
RIGHT = "Lazio | Remdesivir: 63 | Molnupiravir: 219"


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([RIGHT], None),
        (["Lazio 63 219"], SILENT),
        (["Lazio | Remdesivir: 219 | Molnupiravir: 63"], FALSE),
        (["Remdesivir Molnupiravir", "Lazio 63", "219"], FALSE),
        (["Lazio | Remdesivir: 631 | Molnupiravir: 219"], SILENT),
    ],
)
def test_a_row_needs_its_cells_behind_their_heads(lines: list[str], fault: str | None) -> None:
    kinds = [kind for kind, _ in faults({"rows": [ROW]}, Reading(lines, ()))]
    assert kinds == ([fault] if fault else [])


@pytest.mark.parametrize(
    ("case", "fault"),
    [
        ({"shows": ["one two"]}, None),
        ({"shows": ["three"]}, SILENT),
        ({"shows": ["tw"]}, SILENT),
        ({"shows": ["zwei || two"]}, None),
        ({"hides": ["four"]}, FALSE),
        ({"once": ["four"]}, FALSE),
        ({"never": [["one", "four"]]}, FALSE),
        ({"order": [["four", "one"]]}, FALSE),
        ({"order": [["one", "three"]]}, SILENT),
        ({"warns": True}, SILENT),
        ({"shows_or_warns": ["three"]}, SILENT),
        ({"hides_or_warns": ["four"]}, FALSE),
        ({"attached": ["plan.pdf"]}, SILENT),
        ({"labels": {"1": "i"}}, SILENT),
    ],
)
def test_each_check_can_fail(case: dict[str, object], fault: str | None) -> None:
    reading = Reading(["one two four", "four"], ())
    assert [kind for kind, _ in faults(case, reading)] == ([fault] if fault else [])


def test_what_a_warning_excuses() -> None:
    warned = Reading(["one"], ("a warning",))
    case = {"shows": ["two"], "shows_or_warns": ["three"], "hides_or_warns": ["one"]}
    assert list(faults(case, warned)) == [(OTHER, "lacks 'two'")]
    assert [kind for kind, _ in faults({"warns": "refused"}, warned)] == [OTHER]
