"""`collections`, `documents` and `doctor` over a real home."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.shell import Shell

OTHER = "Merkblatt\n\n§ 1 Messung\n\nDer Lärm ist jährlich zu messen.\n"


@pytest.fixture(scope="module")
def filled(law_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two documents in the collection ``laerm``."""
    folder = tmp_path_factory.mktemp("filled")
    (folder / "Merkblatt.txt").write_text(OTHER, encoding="utf-8")
    home = Path(shutil.copytree(law_home / "home", folder / "home"))
    Shell(home).json("ingest", folder / "Merkblatt.txt", "--collection", "laerm")
    return home


@pytest.fixture
def shell(filled: Path, tmp_path: Path) -> Shell:
    return Shell(Path(shutil.copytree(filled, tmp_path / "home")))


def names(shell: Shell, *arguments: str) -> list[str]:
    return [row["name"] for row in shell.json("collections", "list", *arguments)["collections"]]


def test_collections_are_created_shown_renamed_and_listed(shell: Shell) -> None:
    made = shell.json("collections", "create", "akten", "--description", "noch leer")
    assert (made["name"], made["visibility"], made["documents"]) == ("akten", "private", 0)
    assert names(shell) == ["akten", "laerm"]
    renamed = shell.json("collections", "rename", "akten", "ordner", "--description", "leer")
    shown = shell.json("collections", "show", made["collection_id"])
    assert renamed == shown and (shown["name"], shown["description"]) == ("ordner", "leer")
    filled = shell.json("collections", "show", "laerm")
    assert filled["documents"] == 2 and "e5" in filled["fingerprint"]
    text = shell.run("collections", "list").stdout
    assert "ordner" in text and "private" in text and "2 documents" in text


def test_sharing_decides_who_sees_a_collection(shell: Shell) -> None:
    assert names(shell, "--user", "ben") == []
    unlisted = shell.json("collections", "share", "laerm", "--visibility", "unlisted")
    assert names(shell, "--user", "ben") == []
    shell.json("collections", "subscribe", unlisted["collection_id"], "--user", "ben")
    assert names(shell, "--user", "ben") == ["laerm"]
    shell.json("collections", "unsubscribe", "laerm", "--user", "ben")
    assert names(shell, "--user", "ben") == []
    shell.json("collections", "share", "laerm", "--visibility", "public")
    assert names(shell, "--user", "ben") == ["laerm"]
    shell.json("collections", "share", "laerm", "--visibility", "admin", "--admin")
    assert "admin" in shell.error("collections", "rename", "laerm", "meins")


def test_documents_are_listed_and_shown(shell: Shell) -> None:
    rows = shell.json("documents", "list", "--collection", "laerm")["documents"]
    assert [row["document"] for row in rows] == ["LaermG.txt", "Merkblatt.txt"]
    assert rows[0]["status"] == "indexed"
    shown = shell.json("documents", "show", rows[0]["document_id"][:8])
    assert shown["document"] == "LaermG.txt"
    assert "§ 2" in [section["label"] for section in shown["outline"]]
    assert "§ 2 Grenzwerte" in shell.run("documents", "show", "LaermG.txt").stdout
    assert shell.json("documents", "list", "--user", "ben") == {"documents": []}


def test_a_removed_document_and_a_deleted_collection_are_gone(shell: Shell) -> None:
    removed = shell.json("documents", "remove", "Merkblatt.txt", "--collection", "laerm")
    assert removed["removed"] and removed["document"] == "Merkblatt.txt"
    hits = shell.json("search", "Lärm messen")["hits"]
    assert {hit["document"] for hit in hits} == {"LaermG.txt"}
    there = ("documents", "bin", "--collection", "laerm")
    assert "Merkblatt.txt" in shell.run(*there).stdout
    assert shell.json(*there, "--restore", "Merkblatt.txt")["restored"]
    assert "Merkblatt.txt" in {
        hit["document"] for hit in shell.json("search", "Lärm messen")["hits"]
    }
    assert shell.json(*there) == {"emptied": False, "documents": []}
    shell.json("documents", "remove", "Merkblatt.txt", "--collection", "laerm")
    (given_up,) = shell.json(*there, "--empty")["documents"]
    assert given_up["document"] == "Merkblatt.txt"
    assert len(list((shell.home / "originals").iterdir())) == 1
    deleted = shell.json("collections", "delete", "laerm")
    assert deleted["deleted"] and deleted["documents"] == 1
    assert names(shell) == [] and shell.json("search", "Lärm")["hits"] == []
    assert list((shell.home / "originals").iterdir()) == []
    assert list((shell.home / "keywords").iterdir()) == []


def test_doctor_finds_and_repairs_what_is_missing(shell: Shell) -> None:
    assert shell.json("doctor")["healthy"]
    shutil.rmtree(shell.home / "keywords")
    sick = shell.run("doctor", "--json")
    assert sick.exit_code == 1 and "doctor --repair" in sick.stderr
    report = json.loads(sick.stdout)
    (state,) = report["collections"]
    assert not report["healthy"] and state["missing_keywords"] == state["chunks"] > 0
    text = shell.run("doctor")
    assert "passages without keywords" in text.stdout
    repaired = shell.json("doctor", "--repair", "--collection", "laerm")
    assert repaired["healthy"] and repaired["repaired"]
    assert shell.json("search", "Lärm messen", "--mode", "keyword")["hits"]
    assert "no problems" in shell.run("doctor").stdout


def test_a_collection_is_exported_and_restored(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "laerm.zip"
    report = shell.json("collections", "export", "laerm", "-o", file)
    assert report["counts"]["documents"] == 2 and report["bytes"] == file.stat().st_size
    twice = shell.run("collections", "restore", file)
    assert twice.exit_code == 1 and "--name" in twice.stderr and "Traceback" not in twice.stderr
    copy = shell.json("collections", "restore", file, "--name", "kopie")
    assert (copy["collection"]["name"], copy["documents"], copy["embedded"]) == ("kopie", 2, 0)
    assert shell.json("doctor")["healthy"]
    foreign = Shell(tmp_path / "elsewhere")
    assert "--admin" in foreign.run("collections", "restore", file).stderr
    result = foreign.run("collections", "restore", file, "--admin")
    assert result.exit_code == 0 and "nothing embedded again" in result.stdout


def test_the_graph_is_built_with_the_documents_and_can_be_looked_after(shell: Shell) -> None:
    status = shell.json("graph", "status")
    assert (status["documents"], status["built"], status["facts"]) == (2, 2, 0)
    assert status["nodes"]["document"] == 2 and status["nodes"]["section"] > 2
    assert status["edges"]["contains"] == status["nodes"]["section"]
    assert status["facts_cost"]["model"] is None
    assert shell.json("graph", "build", "--collection", "laerm")["built"] == 0
    assert "2 of 2 documents are in the graph" in shell.run("graph", "status").stdout
    assert shell.json("graph", "status", "--user", "ben")["documents"] == 0
    groups = shell.json("graph", "communities")["communities"]
    assert all(each["size"] >= 3 and set(each["topics"]) <= set(each["members"]) for each in groups)
    shown = shell.run("graph", "communities").stdout
    assert all(" · ".join(each["title"]) in shown for each in groups) and groups
    assert isinstance(shell.json("graph", "merges", "--collection", "laerm")["merges"], list)
