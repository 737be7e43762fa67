"""The table of the founding rows can be run, and its page says what failed."""

from typing import Any

from tests.benchmarks import common
from tests.benchmarks.rows import by_attributes, untrue, wanted
from tests.benchmarks.rows_page import page_of
from tests.support.tables import read_yaml

TABLE: dict[str, Any] = read_yaml(common.DATA / "rows.yaml")
COUNTS = {"R": 16, "Q": 10, "K": 14, "C": 7, "P": 17, "T": 4}


def test_every_row_is_there_and_shown_or_said_to_wait() -> None:
    ids = [row["id"] for row in TABLE["rows"]]
    assert ids == [f"{part}{n}" for part, most in COUNTS.items() for n in range(1, most + 1)]
    assert [row["id"] for row in TABLE["rows"] if not (row.get("do") or row.get("later"))] == []
    assert [row["id"] for row in TABLE["rows"] if row.get("do") and "tests" not in row] == []
    order = [row["id"] for row in wanted(TABLE["rows"], None)]
    assert sorted(order) == sorted(ids)
    assert all(order.index(n) < order.index(r["id"]) for r in TABLE["rows"] for n in needs(r))


def needs(row: dict[str, Any]) -> list[str]:
    return list(row.get("needs", ()))


def test_every_step_that_shows_something_also_checks_and_all_can_be_read() -> None:
    for row in [TABLE["setup"], *TABLE["rows"]]:
        steps = row.get("do", [])
        assert not steps or any(step.get("check") for step in steps)
        for step in steps:
            for each in [*step.get("check", ()), *step.get("show", {}).values()]:
                compile(each, str(row.get("id")), "eval")


def test_a_check_is_true_or_says_why_not() -> None:
    names = {"d": by_attributes({"a": [{"b": 1}]}), "len": len}
    assert untrue("d.a[0].b == 1 and len(d.a) == 1", names) == ""
    assert untrue("d.a[0].b == 2", names) == "false"
    assert "AttributeError" in untrue("d.c.b == 2", names)
    assert untrue("d.a", names) != "", "what is not true itself does not hold"


def test_the_page_says_what_does_not_hold_and_where_models_differ() -> None:
    table = {
        "rows": [
            {"id": "R1", "promise": "Asks", "do": [{}], "tests": ["tests/a.py::test_b"]},
            {"id": "R2", "promise": "Opens", "later": "the doors"},
        ]
    }
    step = {"words": "rabbithole ask X", "shown": {"said": "one"}}
    none = {"steps": [step], "failed": ["d.x == 1 [false]"], "seconds": 2.0}
    other = {"steps": [{**step, "shown": {"said": "two"}}], "failed": [], "seconds": 3.0}
    empty = {"steps": [], "failed": [], "seconds": 0.0}
    page = page_of(
        table, {"none": {"R1": none, "R2": empty}, "embedded": {"R1": other, "R2": empty}}
    )
    assert "**does not hold** | 2 | holds | 3" in page
    assert "- said: *none* one; *embedded* two" in page
    assert "not begun (the doors)" in page
    assert "with `none` not as it must be: `d.x == 1 [false]`" in page
