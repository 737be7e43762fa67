"""Mistakes on the command line are answered in one line that says how to go on."""

import shlex
import socket
from contextlib import closing
from pathlib import Path

import click
import pytest

from agent.engine.changes import Ingest
from app.cli.common import reports_errors
from services.catalog import Catalog
from services.domain import Chunking, Principal
from services.domain.errors import InvalidInput
from services.evaluation.answer_results import stored_results
from tests.support.desk import LAW
from tests.support.shell import Shell
from tests.support.tables import DATA, read_yaml

MISTAKES: dict[str, list[tuple[str, str]]] = read_yaml(DATA / "mistakes.yaml")
LONG = [
    (f"documents edit LaermG.txt --collection laerm --author {'x' * 201}", "up to 200 characters"),
    (f"config set collections {'[' * 3000} --profile p", "nested too deep"),
]


@pytest.mark.parametrize(("command", "told"), [*MISTAKES["refused"], *LONG])
def test_what_is_refused_is_one_line(shell: Shell, command: str, told: str) -> None:
    assert_refused(shell, command, told)


def assert_refused(shell: Shell, command: str, told: str, code: int = 1) -> None:
    """A command fails with one line that says this."""
    error = shell.error(*shlex.split(command), code=code)
    assert told in error and len(error.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("command", "option"), [("api --port", "--port"), ("mcp --http", "--http")]
)
def test_a_port_in_use_is_told_with_the_option_for_another(
    own_shell: Shell, command: str, option: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = own_shell.run(*command.split(), taken.getsockname()[1])
    told = result.stderr.strip().splitlines()[-1]
    assert result.exit_code == 1 and told.endswith(f"Choose another with {option}.")


@pytest.mark.parametrize(("command", "told"), MISTAKES["wrong_use"])
def test_wrong_use_is_said_with_the_usage(shell: Shell, command: str, told: str) -> None:
    result = shell.run(*shlex.split(command))
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.replace("│", " ").split())


def test_json_nested_without_end_is_refused_in_one_line(shell: Shell, tmp_path: Path) -> None:
    (file := tmp_path / "deep.json").write_text("[" * 100_000)
    command = f"verify {file} --server http://127.0.0.1:1 --token x"
    assert_refused(shell, command, "is not a report", code=2)
    with pytest.raises(InvalidInput, match="no result of a measurement"):
        stored_results(file)


SETTINGS = [
    ("RABBITHOLE_K", "many", "runs list", "RABBITHOLE_K"),
    ("RABBITHOLE_ADMINS", "anna", "runs list", 'Write it as ["anna", "ben"]'),
    ("RABBITHOLE_HOME", "/proc/nowhere", "runs list", "Set RABBITHOLE_HOME to a writable folder"),
    ("RABBITHOLE_HOME", __file__, "search x", "Set RABBITHOLE_HOME to a writable folder"),
    ("RABBITHOLE_LLM", "gibberish", "ask Was?", "is not one of ollama:MODEL"),
    ("RABBITHOLE_LLM", "ollama:none", "ask Was?", "start it with `ollama serve`"),
    ("RABBITHOLE_LLM", "openai:none", "ask Was?", "needs RABBITHOLE_OPENAI_URL"),
    ("RABBITHOLE_LLM", "gguf:/nowhere", "ask Was?", "there is no file /nowhere"),
    ("RABBITHOLE_EMBEDDING", "ollama:none", "search x", "set RABBITHOLE_EMBEDDING to another"),
    ("RABBITHOLE_VECTORS", "postgres", "search x", "postgresql+psycopg://USER"),
    ("RABBITHOLE_LEXICAL", "postgres", "search x", "unset RABBITHOLE_LEXICAL"),
    ("RABBITHOLE_LEXICAL", "opensearch://h", "search x", "'tantivy' or 'postgres'"),
    ("RABBITHOLE_DATABASE", "nonsense", "runs list", "postgresql+psycopg://USER"),
    (
        "RABBITHOLE_DATABASE",
        "mysql://h/x",
        "runs list",
        "is not the address of a database that can store",
    ),
    ("RABBITHOLE_DATABASE", "postgresql+asyncpg://h/x", "runs list", "can store the catalog"),
    ("RABBITHOLE_DATABASE", "postgresql+pg8000://h/x", "runs list", "pip install pg8000"),
]


@pytest.mark.parametrize(("name", "value", "command", "told"), SETTINGS)
def test_a_bad_setting_is_named(
    own_shell: Shell, name: str, value: str, command: str, told: str
) -> None:
    env = {"RABBITHOLE_OLLAMA_URL": "http://127.0.0.1:9", name: value}
    assert_refused(Shell(own_shell.home, **env), command, told)


def spoil(place: Path) -> None:
    for file in (each for each in (place, *place.rglob("*")) if not each.is_dir()):
        file.write_bytes(b"garbage" * 30)


def test_a_damaged_catalog_is_named(own_shell: Shell) -> None:
    spoil(own_shell.home / "catalog.sqlite3")
    assert_refused(own_shell, "search x", "restore a backup")


def test_damaged_steps_of_threads_are_set_aside_and_work_goes_on(
    own_shell: Shell, caplog: pytest.LogCaptureFixture
) -> None:
    spoil(own_shell.home / "checkpoints.sqlite3")
    assert own_shell.run("ask", "Was?").exit_code == 0 and "have been moved to" in caplog.text
    assert list(own_shell.home.glob("checkpoints-damaged-*.sqlite3"))
    caplog.clear()
    assert own_shell.run("ask", "Was?").exit_code == 0 and not caplog.text


@pytest.mark.parametrize("part", ["vectors", "keywords"])
def test_a_damaged_index_is_named_and_built_again(own_shell: Shell, part: str) -> None:
    before = own_shell.json("search", "Lärm")["hits"]
    for place in own_shell.home.glob(part):
        spoil(place)
    assert_refused(own_shell, "search Lärm", "doctor --repair")
    assert own_shell.json("doctor", "--repair")["healthy"]
    assert own_shell.json("search", "Lärm")["hits"] == before


def test_the_doctor_finishes_a_killed_ingestion_only_when_it_is_to_repair(
    own_shell: Shell, tmp_path: Path
) -> None:
    (file := tmp_path / "neu.txt").write_text(LAW, encoding="utf-8")
    job = Ingest(paths=(str(file),), collection="neu", language="auto", chunking=Chunking())
    with closing(Catalog.open(f"sqlite:///{own_shell.home / 'catalog.sqlite3'}")) as catalog:
        catalog.queue.submit(Principal(), job.kind, job.model_dump(mode="json"))
        assert catalog.queue.claim() is not None  # and then its process was killed
    for repair, names in ((), ["laerm"]), (("--repair",), ["laerm", "neu"]):
        checked = own_shell.json("doctor", *repair)["collections"]
        assert sorted(each["collection"] for each in checked) == names
    assert own_shell.json("jobs", "list")["jobs"][0]["status"] == "done"


def test_what_nobody_foresaw_is_one_line_and_a_traceback_for_whoever_asks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise LookupError("no\nsuch key")

    with click.Context(click.Command("run")), pytest.raises(SystemExit):
        reports_errors(broken)()
    told = capsys.readouterr().err
    assert "LookupError: no such key" in told and len(told.splitlines()) == 1
    monkeypatch.setenv("RABBITHOLE_DEBUG", "1")
    with click.Context(click.Command("run")), pytest.raises(LookupError):
        reports_errors(broken)()
