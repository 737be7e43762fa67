"""The commands where catalog, vectors and keywords are in PostgreSQL."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.engine import URL

from agent.engine.engine import connect
from services.domain import SearchRequest
from services.settings import Settings
from tests.support import postgres
from tests.support.shell import Shell

pytestmark = postgres.needs_postgres
STORES = {"RABBITHOLE_VECTORS": "postgres", "RABBITHOLE_LEXICAL": "postgres"}
LAW = "# {name}\n\n## § 1 Grenzwert\n\nDer Grenzwert für {what} beträgt {limit} Dezibel.\n"


@pytest.fixture
def url(postgresql: URL, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with postgres.database(postgresql) as address:
        monkeypatch.setenv("RABBITHOLE_DATABASE", address)
        for name, value in STORES.items():
            monkeypatch.setenv(name, value)
        yield address


def begun(home: Path, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "app.cli.main", *map(str, arguments), "--json"],
        env={**os.environ, "RABBITHOLE_HOME": str(home), "RABBITHOLE_LLM": "none"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> dict[str, object]:
    out, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    said: dict[str, object] = json.loads(out.strip().splitlines()[-1])
    return said


@pytest.mark.slow
def test_two_processes_ingest_search_and_ask_at_once(tmp_path: Path, url: str) -> None:
    home, shell = tmp_path / "home", Shell(tmp_path / "home")
    for name, what, limit in (("LaermG", "Maschinen", 85), ("FlugV", "Flugzeuge", 65)):
        text = LAW.format(name=name, what=what, limit=limit)
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    files = [tmp_path / "LaermG.md", tmp_path / "FlugV.md"]
    for each in [begun(home, "ingest", file, "--collection", "law") for file in files]:
        ended(each)
    with connect(Settings(home=home, llm="none")) as owner:
        hits = owner.library.find(SearchRequest(query="Flugzeuge")).hits
        assert hits[0].document == "FlugV.md"
        # the owner lives on meanwhile, as a server does
        assert "85 Dezibel" in str(ended(begun(home, "ask", "Grenzwert Maschinen?"))["answer"])
    assert not (home / "vectors").exists() and not (home / "keywords").exists()

    assert shell.run("doctor", "--collection", "law").exit_code == 0
    shell.json("documents", "remove", "FlugV.md", "--collection", "law")
    assert {hit["document"] for hit in shell.json("search", "Grenzwert")["hits"]} == {"LaermG.md"}
    shell.json("collections", "delete", "law")
    engine = create_engine(url)
    with engine.begin() as connection:
        tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'rabbithole_index'"
        assert connection.exec_driver_sql(tables).scalar() == 0, "nothing of it is left"
    engine.dispose()


def test_indexes_are_made_anew_where_a_home_has_moved(
    own_shell: Shell, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RABBITHOLE_DATABASE", *STORES):
        monkeypatch.delenv(name)
    before = own_shell.json("search", "Lärm messen")["hits"]
    assert "doctor --repair --admin" in own_shell.run("move", "--to", url).stdout
    for name, value in (("RABBITHOLE_DATABASE", url), *STORES.items()):
        monkeypatch.setenv(name, value)
    assert own_shell.run("doctor").exit_code == 1, "nothing is indexed there yet"
    assert own_shell.run("doctor", "--repair", "--admin").exit_code == 0
    after = own_shell.json("search", "Lärm messen")["hits"]
    assert {hit["chunk_id"] for hit in after} == {hit["chunk_id"] for hit in before}


def test_a_server_without_the_extension_is_one_line_with_the_way_out(
    own_shell: Shell, url: str, tmp_path: Path
) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE ROLE guest LOGIN")
        connection.exec_driver_sql("GRANT ALL ON SCHEMA public TO guest")
    engine.dispose()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RABBITHOLE_DATABASE", url.replace("rabbithole@", "guest@"))
        (tmp_path / "a.md").write_text("# A\n\nSome text.\n", encoding="utf-8")
        refused = own_shell.run("ingest", tmp_path / "a.md", "--collection", "law")
    assert refused.exit_code == 1 and "permission denied" in refused.stderr
    assert "RABBITHOLE_VECTORS" in refused.stderr
