"""Mistakes on the command line are answered in one line that says how to go on."""

import shlex
import socket
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from agent.engine.jobs import Ingest
from app.cli.common import guarded
from app.cli.main import main
from services.catalog import Catalog
from services.domain import Chunking, Principal
from services.domain.errors import InvalidInput
from services.evaluation.answer_results import stored_results
from tests.support.desk import LAW
from tests.support.shell import Shell

REFUSED = [
    ("runs show nothing", "rabbithole runs list"),
    ("research Was --collection nirgends", "nirgends"),
    ("export none --format md", "rabbithole runs list"),
    ("search x --document nichts.txt", "There is no document 'nichts.txt'"),
    ("search x --document LaermG.txt --user ben", "no document 'LaermG"),
    ("documents show nichts.txt", "documents list"),
    ("documents edit LaermG.txt --collection laerm", "Nothing to change"),
    (f"documents edit LaermG.txt --collection laerm --author {'x' * 201}", "up to 200 characters"),
    ("documents edit LaermG.txt --collection laerm --tag x --user ben", "none yet"),
    ("collections show nirgends", "You can read: laerm"),
    ("collections create laerm", "already"),
    ("config set maxDocs 5 --user anna", "Only an admin"),
    ("config lock maxDocs --user anna", "Only an admin"),
    ("config set maxDocs 0", "greater than or equal to 1"),
    ("config set depth 3", "synthesisPromptOverride"),
    ("config set enabled false", "--profile"),
    (f"config set collections {'[' * 3000} --profile p", "nested too deep"),
    ("config set reranking magic", "'llm' or 'cross-encoder'"),
    ("config show --profile nobody", "config set KEY VALUE --profile nobody"),
    ("graph build --facts --yes", "names no language model"),
    ("search x --profile nobody", "config set KEY VALUE --profile nobody"),
    ("ask Was? --collection nirgends", "nirgends"),
    ("ask Was? --profile nobody", "config set KEY VALUE --profile nobody"),
    ("ask ''", "1 to 4000 characters"),
    ("review nothing", "rabbithole runs list"),
    ("research ''", "The question is empty"),
    ("classify ''", "The question is empty"),
    ("research Was? --profile nobody", "nobody"),
    ("resume nothing", "rabbithole runs list"),
    ("runs pause nothing", "rabbithole runs list"),
    ("runs cancel nothing", "rabbithole runs list"),
    ("runs fork nothing --checkpoint x", "rabbithole runs list"),
    ("runs rename nothing x", "rabbithole runs list"),
    ("feedback nothing up", "rabbithole runs list"),
    ("trace export nothing", "rabbithole runs list"),
    ("trace replay nothing.json", "Name the file of a trace"),
    ("ingest LaermG.txt --collection ''", "1 to 120 printable characters"),
    ("documents list --collection nirgends", "You can read: laerm"),
    ("documents remove nichts.txt --collection laerm", "documents list"),
    ("collections delete nirgends --yes", "You can read: laerm"),
    ("collections restore nothing.zip", "No such file"),
    ("backup /nowhere/all.zip", "Choose another place"),
    ("restore nothing.zip", "Set RABBITHOLE_HOME to an empty folder"),
    ("graph show nichts", "Ask for a section"),
    ("graph path § nichts", "Ask for a section"),
    ("doctor --collection nirgends", "You can read: laerm"),
    ("eval retrieval --beir .", "qrels/test.tsv cannot be read as text (No such file"),
    ("config show --profile nobody --user anna", "config set KEY VALUE --profile nobody"),
    ("graph unmerge word:nichts --collection laerm", "word:nichts"),
]
WRONG_USE = [
    ("research", "Missing argument"),
    ("search x -k 0", "-k"),
    ("search x --from gestern", "'gestern' is no date. Write it as YYYY-MM-DD"),
    ("search x --to=", "'' is no date"),
    ("search x --from 2024-02-02 --to 2024-02-01", "is after --to"),
    ("search x --user ''", "a user needs a name"),
    ("ask Was? --depth deep", "'deep' is not one of"),
    ("ask Was? -k 101", "1<=x<=100"),
    ("research Was? -k many", "'many' is not a valid integer"),
    ("feedback nothing sideways", "'sideways' is not one of"),
    ("ingest . --collection never --language klingon", "no code of a language"),
    ("eval answers --questions nothing.jsonl", "does not exist"),
    ("serve --port 0", "1<=x<=65535"),
    ("nonsense", "No such command 'nonsense'"),
    ("verify nothing.json", "Name the JSON file of a report"),
    ("export none --format odt", "docx"),
    ("documents edit LaermG.txt --tag x", "--collection"),
    ("documents edit LaermG.txt --collection laerm --date 1.1.2024", "'1.1.2024' is no date"),
    ("collections rename laerm", "NEW_NAME"),
    ("config thresholds --reset", "Name the collection"),
    ("ingest . --collection never --chunk-size 199", "must be 200 to 4000 characters, not 199"),
    ("ingest . --collection never --chunk-size 300 --chunk-overlap 300",
     "below the chunk size of 300 characters"),
    ("ingest . --collection never --chunk-overlap -1", "must be at least 0"),
    ("ingest . --collection never --strategy pages", "'pages' is not one of"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "told"), REFUSED)
def test_what_is_refused_is_one_line(shell: Shell, command: str, told: str) -> None:
    result = shell.run(*shlex.split(command))
    assert result.exit_code == 1
    assert told in result.stderr and len(result.stderr.strip().splitlines()) == 1


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


@pytest.mark.parametrize(("command", "told"), WRONG_USE)
def test_wrong_use_is_said_with_the_usage(shell: Shell, command: str, told: str) -> None:
    result = shell.run(*shlex.split(command))
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.replace("│", " ").split())


def test_json_nested_without_end_is_refused_in_one_line(shell: Shell, tmp_path: Path) -> None:
    (file := tmp_path / "deep.json").write_text("[" * 100_000)
    result = shell.run("verify", file, "--server", "http://127.0.0.1:1", "--token", "x")
    assert result.exit_code == 2 and "is no report" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    with pytest.raises(InvalidInput, match="no result of a measurement"):
        stored_results(file)


SETTINGS = [
    ("RABBITHOLE_K", "many", "runs list", "RABBITHOLE_K"),
    ("RABBITHOLE_ADMINS", "anna", "runs list", 'Write it as ["anna", "ben"]'),
    ("RABBITHOLE_HOME", "/proc/nowhere", "runs list", "Set RABBITHOLE_HOME to a folder"),
    ("RABBITHOLE_HOME", __file__, "search x", "Set RABBITHOLE_HOME to a folder"),
    ("RABBITHOLE_LLM", "gibberish", "ask Was?", "is not one of ollama:MODEL"),
    ("RABBITHOLE_LLM", "ollama:none", "ask Was?", "start it with `ollama serve`"),
    ("RABBITHOLE_LLM", "openai:none", "ask Was?", "needs RABBITHOLE_OPENAI_URL"),
    ("RABBITHOLE_LLM", "gguf:/nowhere", "ask Was?", "there is no file /nowhere"),
    ("RABBITHOLE_EMBEDDING", "ollama:none", "search x", "set RABBITHOLE_EMBEDDING to another"),
    ("RABBITHOLE_VECTORS", "postgres", "search x", "postgresql+psycopg://USER"),
    ("RABBITHOLE_LEXICAL", "postgres", "search x", "unset RABBITHOLE_LEXICAL"),
    ("RABBITHOLE_LEXICAL", "opensearch://h", "search x", "'tantivy' or 'postgres'"),
    ("RABBITHOLE_DATABASE", "nonsense", "runs list", "postgresql+psycopg://USER"),
    ("RABBITHOLE_DATABASE", "mysql://h/x", "runs list", "names no database that can hold"),
    ("RABBITHOLE_DATABASE", "postgresql+asyncpg://h/x", "runs list", "can hold the catalog"),
    ("RABBITHOLE_DATABASE", "postgresql+pg8000://h/x", "runs list", "pip install pg8000"),
]


@pytest.mark.parametrize(("name", "value", "command", "told"), SETTINGS)
def test_a_bad_setting_is_named(
    own_shell: Shell, name: str, value: str, command: str, told: str
) -> None:
    env = {
        "RABBITHOLE_HOME": str(own_shell.home),
        "RABBITHOLE_LLM": "none",
        "RABBITHOLE_OLLAMA_URL": "http://127.0.0.1:9",
        name: value,
    }
    result = CliRunner().invoke(main, command.split(), env=env)
    assert result.exit_code == 1
    assert told in result.stderr and len(result.stderr.strip().splitlines()) == 1


def spoil(place: Path) -> None:
    for file in (each for each in (place, *place.rglob("*")) if not each.is_dir()):
        file.write_bytes(b"garbage" * 30)


def test_a_damaged_catalog_is_named(own_shell: Shell) -> None:
    spoil(own_shell.home / "catalog.sqlite3")
    result = own_shell.run("search", "x")
    assert result.exit_code == 1
    assert "restore a backup" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_damaged_steps_of_threads_are_set_aside_and_work_goes_on(
    own_shell: Shell, caplog: pytest.LogCaptureFixture
) -> None:
    spoil(own_shell.home / "checkpoints.sqlite3")
    assert own_shell.run("ask", "Was?").exit_code == 0 and "set aside" in caplog.text
    assert list(own_shell.home.glob("checkpoints-damaged-*.sqlite3"))
    caplog.clear()
    assert own_shell.run("ask", "Was?").exit_code == 0 and not caplog.text


@pytest.mark.parametrize("part", ["vectors", "keywords"])
def test_a_damaged_index_is_named_and_built_again(own_shell: Shell, part: str) -> None:
    before = own_shell.json("search", "Lärm")["hits"]
    for place in own_shell.home.glob(part):
        spoil(place)
    result = own_shell.run("search", "Lärm")
    assert result.exit_code == 1 and "doctor --repair" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
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

    with pytest.raises(SystemExit):
        guarded(broken)()
    told = capsys.readouterr().err
    assert "LookupError: no such key" in told and len(told.splitlines()) == 1
    monkeypatch.setenv("RABBITHOLE_DEBUG", "1")
    with pytest.raises(LookupError):
        guarded(broken)()
