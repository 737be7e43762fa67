"""Mistakes on the command line are answered in one line that says how to go on."""

import pytest
from click.testing import CliRunner

from app.cli.main import main
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
    ("config set reranking magic", "'llm' or 'cross-encoder'"),
    ("config show --profile nobody", "config set KEY VALUE --profile nobody"),
    ("graph build --facts --yes", "names no language model"),
    ("graph unmerge word:nichts --collection laerm", "word:nichts"),
]
WRONG_USE = [
    ("research", "Missing argument"),
    ("search x -k 0", "-k"),
    ("search x --from gestern", "'gestern' is no date. Write it as YYYY-MM-DD"),
    ("search x --to=", "'' is no date"),
    ("search x --from 2024-02-02 --to 2024-02-01", "is after --to"),
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
    result = shell.run(*command.split())
    assert result.exit_code == 1
    assert told in result.stderr and len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(("command", "told"), WRONG_USE)
def test_wrong_use_is_said_with_the_usage(shell: Shell, command: str, told: str) -> None:
    result = shell.run(*command.split())
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.replace("│", " ").split())


def test_a_bad_setting_is_named(shell: Shell) -> None:
    env = {"RABBITHOLE_HOME": str(shell.home), "RABBITHOLE_K": "many"}
    result = CliRunner().invoke(main, ["runs", "list"], env=env)
    assert result.exit_code == 1 and "RABBITHOLE_K" in result.stderr
