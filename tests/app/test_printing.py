"""What commands print of documents steers no terminal."""

import json

import pytest

from app.commands.common import show


@pytest.mark.parametrize("said", ["a\x1b[31mb", "a\x9b31mb", "a\u202eb", "a\x07b", "a\rb"])
@pytest.mark.parametrize("json_", [False, True])
def test_nothing_that_is_printed_steers_a_terminal(
    said: str, json_: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    value = {"name": f"{said}\nß"}
    show(value, json_, lambda: value["name"])
    shown = capsys.readouterr().out
    assert all(each.isprintable() or each == "\n" for each in shown)
    assert "ß" in shown
    if json_:
        assert json.loads(shown) == value
