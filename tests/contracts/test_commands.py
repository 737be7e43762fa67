"""The commands, options and JSON that others script against, as ``commands.yaml`` lists them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import pytest

from app.cli.main import main
from tests.support.desk import LAW
from tests.support.question_sets import write_set
from tests.support.shell import Shell
from tests.support.tables import read_yaml

CONTRACT: Final[dict[str, Any]] = read_yaml(Path(__file__).with_name("commands.yaml"))
KNOWN = {
    "id": "limit",
    "lang": "de",
    "q": "Welcher Grenzwert gilt für Beschäftigte?",
    "gold": ["LaermG § 2"],
    "must": [["85 Dezibel"]],
    "type": "factual",
}


def command_of(name: str) -> click.Command:
    command: click.Command | None = main
    for word in name.split():
        assert isinstance(command, click.Group), f"{name} is no command"
        command = command.get_command(click.Context(command), word)
    assert command is not None, f"there is no command {name}"
    return command


def options_of(name: str) -> set[str]:
    return {
        option.lstrip("-") for parameter in command_of(name).params for option in parameter.opts
    }


def every_command(group: click.Group = main, *path: str) -> Iterator[str]:
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from every_command(command, *path, name)
        else:
            yield " ".join((*path, name))


def mismatches(value: Any, shape: Any, where: str = "$") -> Iterator[str]:
    """Where a value of JSON has not the shape; see the head of ``commands.yaml``."""
    match shape:
        case str():
            yield from mismatches(value, CONTRACT["shapes"][shape], where)
        case list():
            if not value or not isinstance(value, list):
                yield f"{where} has no elements"
            for element in value if isinstance(value, list) else ():
                yield from mismatches(element, shape[0], f"{where}[]")
        case dict():
            for key, inner in shape.items():
                name = key.removesuffix("?")
                if name not in value:
                    yield f"{where}.{name} is missing"
                elif value[name] or name == key:
                    yield from mismatches(value[name], inner, f"{where}.{name}")


def test_shapes_are_compared_in_full() -> None:
    shape = {"hits": [{"page": None}], "gone?": [{"reason": None}]}
    good = {"hits": [{"page": 1, "more": 2}], "gone": []}
    assert list(mismatches(good, shape)) == []
    for bad in ({"hits": [], "gone": []}, {"hits": [{}], "gone": []}, {"gone": []}):
        assert len(list(mismatches(bad, shape))) == 1
    assert list(mismatches({**good, "gone": [{}]}, shape)) == ["$.gone[].reason is missing"]


def test_every_command_of_the_contract_has_its_options() -> None:
    missing = {
        name: set(options) - options_of(name)
        for name, options in CONTRACT["options"].items()
        if set(options) - options_of(name)
    }
    assert missing == {}


def test_every_command_takes_json() -> None:
    without = [name for name in every_command() if "json" not in options_of(name)]
    assert without == CONTRACT["without_json"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Any, Any]]:
    """Each run of the contract: the command, what it printed, and the shape that it has to have.

    Where the exit status is another, that is told in place of what was printed.
    """
    home = tmp_path_factory.mktemp("contract")
    names = {"home": home, "law": home / "LaermG.txt", "thread": "", "conversation": "", "case": ""}
    names["law"].write_text(LAW, encoding="utf-8")
    (home / "plan.json").write_text('["Messung des Lärms"]', encoding="utf-8")
    (home / "known.jsonl").write_text(json.dumps(KNOWN), encoding="utf-8")
    write_set(home / "beir")
    (home / "folder").mkdir()
    (home / "folder" / "LaermG.txt").write_text(LAW, encoding="utf-8")
    results = []
    for row in CONTRACT["runs"]:
        words = [word.format(**names) for word in row["run"]]
        ran = Shell(home / row.get("in", "home")).run(*words, "--json")
        output = ran.stdout.strip().splitlines()
        printed = json.loads(output[-1]) if output else {}
        if ran.exit_code != row.get("exit", 0):
            printed = f"exit status {ran.exit_code}: {ran.stderr[-300:]}"
        elif words[0] == "research":
            names["thread"] = printed["thread_id"]
        elif words[0] == "ask":
            names["conversation"] = printed["thread_id"]
        elif printed.get("plans"):
            names["case"] = printed["plans"][0]["case_id"]
        elif printed.get("checkpoints"):
            names["checkpoint"] = printed["checkpoints"][0]["id"]
        results.append((" ".join(words), printed, row["gives"]))
    return results


def test_what_commands_print_has_the_keys_of_the_contract(
    results: list[tuple[str, Any, Any]],
) -> None:
    wrong = {
        name: printed if isinstance(printed, str) else list(mismatches(printed, shape))
        for name, printed, shape in results
    }
    assert {name: commands for name, commands in wrong.items() if commands} == {}


def test_every_command_and_option_of_the_contract_is_run() -> None:
    used: dict[str, set[str]] = {}
    for row in CONTRACT["runs"]:
        words = row["run"]
        name = next(n for n in (" ".join(words[:2]), words[0]) if n in CONTRACT["options"])
        names = {word.lstrip("-") for word in words if word.startswith("-")}
        used.setdefault(name, set()).update(
            "output" if option == "o" else option for option in names
        )
    required = {
        name: set(options) - used.get(name, {"none of them"})
        for name, options in CONTRACT["options"].items()
        if name not in CONTRACT["unrun"]
    }
    assert {name for name in required if name not in used} == set()
    assert {name: left for name, left in required.items() if left} == {}


def test_what_is_not_there_yet_is_not_there() -> None:
    there = {*every_command()}
    assert there.isdisjoint(CONTRACT["later"]) and there.issuperset(CONTRACT["unrun"])
