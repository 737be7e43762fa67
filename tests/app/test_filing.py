"""`documents edit` and the filters of `search` over a real home."""

import shutil
from pathlib import Path

import pytest

from tests.support.desk import LAW
from tests.support.shell import Shell

MEMO = """---
author: Ada Lovelace
date: 2020-06-07
tags: [Messung]
---

# Merkblatt

## 1 Messung

Der Lärm ist jährlich zu messen.
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a law that states nothing and a memo that does."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "LaermG.txt").write_text(LAW, encoding="utf-8")
    (folder / "Merkblatt.md").write_text(MEMO, encoding="utf-8")
    home = tmp_path_factory.mktemp("filled") / "home"
    result = Shell(home).run("ingest", folder, "--collection", "laerm")
    assert result.exit_code == 0, result.stderr
    return home


@pytest.fixture
def shell(filled: Path, tmp_path: Path) -> Shell:
    shutil.copytree(filled, tmp_path / "home")
    return Shell(tmp_path / "home")


def found(shell: Shell, *options: object) -> set[str]:
    return {hit["document"] for hit in shell.json("search", "Lärm messen", *options)["hits"]}


def test_documents_show_what_their_files_state(shell: Shell) -> None:
    law, memo = shell.json("documents", "list")["documents"]
    assert (law["tags"], law["category"], law["author"], law["date"]) == ([], None, None, None)
    assert (memo["tags"], memo["author"], memo["date"]) == (
        ["Messung"],
        "Ada Lovelace",
        "2020-06-07",
    )
    text = shell.run("documents", "list").stdout
    assert "2020-06-07 · Ada Lovelace · #Messung" in text
    assert "2020-06-07 · Ada Lovelace" in shell.run("documents", "show", "Merkblatt.md").stdout


def test_a_document_is_filed_and_found_by_it(shell: Shell) -> None:
    where = ("LaermG.txt", "--collection", "laerm")
    filed = shell.json(
        *("documents", "edit", *where, "--tag", "Gesetz", "--tag", "Lärm"),
        *("--category", "Recht", "--author", "Bundestag", "--date", "2019-05-04"),
    )
    assert filed["tags"] == ["Gesetz", "Lärm"] and filed["category"] == "Recht"
    assert shell.json("documents", "show", "LaermG.txt")["author"] == "Bundestag"
    for options in (
        ("--tag", "gesetz"),
        ("--category", "recht"),
        ("--author", "bundes"),
        ("--to", "2019-12-31"),
        ("--document", "LaermG.txt"),
        ("--document", filed["document_id"][:12]),
        ("--section", "§ 4"),
    ):
        assert found(shell, *options) == {"LaermG.txt"}, options
    assert found(shell, "--from", "2019-05-04") == {"LaermG.txt", "Merkblatt.md"}
    assert found(shell, "--tag", "Gesetz", "--tag", "Messung") == {"LaermG.txt", "Merkblatt.md"}
    assert found(shell, "--tag", "Gesetz", "--author", "Ada") == set()
    emptied = shell.run("documents", "edit", *where, "--tag", "", "--category", "", "--date", "")
    assert emptied.stdout == "LaermG.txt: Bundestag\n"
    assert found(shell, "--to", "2019-12-31") == set()


def test_only_who_may_change_a_collection_files_its_documents(shell: Shell) -> None:
    edit = ("documents", "edit", "LaermG.txt", "--collection", "laerm", "--tag", "x")
    assert "none yet" in shell.error(*edit, "--user", "ben")
    shell.json("collections", "share", "laerm", "--visibility", "public")
    assert "belongs to local" in shell.error(*edit, "--user", "ben")
    assert shell.json("documents", "show", "LaermG.txt")["tags"] == []
    assert shell.json(*edit, "--user", "ben", "--admin")["tags"] == ["x"]
