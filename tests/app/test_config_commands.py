"""``rabbithole config`` and what its settings do to a search, each command a process of its own."""

from pathlib import Path

import pytest

from tests.support.desk import QUESTION
from tests.support.shell import Shell


@pytest.fixture
def empty(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "empty")


def test_show_names_the_origin_of_every_value(empty: Shell) -> None:
    shown = empty.json("config", "show")
    assert shown["profile"] is None and shown["profiles"] == []
    assert shown["parameters"]["maxDocs"] == {
        "value": 10, "origin": "default", "type": "integer", "minimum": 1, "maximum": 100,
    }  # fmt: skip
    assert len(shown["parameters"]) == 13
    empty.json("config", "set", "freshnessWeight", "0.3", "--profile", "news")
    shown = empty.json("config", "show", "--profile", "news")
    assert shown["profiles"] == ["news"]
    assert shown["parameters"]["freshnessWeight"]["origin"] == "profile"
    told = empty.run("config", "show", "--profile", "news").stdout
    assert "freshnessWeight          0.3 (profile)" in told
    empty.json("config", "set", "collections", "laws=llm,news", "--profile", "news")
    told = empty.run("config", "show", "--profile", "news").stdout
    assert "collections              laws=llm, news (profile)" in told
    assert "enabled                  true (default)" in told
    assert "reranking                'none' (default)" in told
    locked = empty.json("config", "lock", "maxDocs")
    assert (locked["key"], locked["value"], locked["origin"]) == ("maxDocs", 10, "locked")
    told = empty.run("config", "set", "maxDocs", 6, "--profile", "other")
    assert told.exit_code == 0 and "when an administrator unlocks the parameter" in told.stdout
    empty.json("config", "unlock", "maxDocs")
    shown = empty.json("config", "show", "--profile", "other")
    assert shown["parameters"]["maxDocs"]["value"] == 6
    empty.json("config", "unset", "maxDocs", "--profile", "other")
    assert empty.json("config", "show")["profiles"] == ["news"]


def test_admins_can_be_named(tmp_path: Path) -> None:
    shell = Shell(tmp_path, RABBITHOLE_ADMINS='["root"]')
    assert shell.error("config", "lock", "maxDocs")
    assert shell.json("config", "lock", "maxDocs", "--user", "root")


def test_a_search_applies_its_profile(shell: Shell) -> None:
    shell.json("config", "set", "maxDocs", 1, "--profile", "short")
    shell.json("config", "set", "minRelevanceScore", 0, "--profile", "short")
    found = shell.json("search", "Grenzwert", "--profile", "short")
    assert len(found["hits"]) == 1 and found["from_cache"] is False
    assert set(found["cache"]) == {"size", "hits", "misses", "hit_rate"}
    assert len(shell.json("search", "Grenzwert", "--profile", "short", "-k", 2)["hits"]) == 2
    assert len(shell.json("search", "Grenzwert")["hits"]) > 2
    asked = ("search", "Grenzwert", "--profile", "short", "-k", 3, "--context")
    whole = shell.run(*asked).stdout
    assert whole.startswith("=== 1: ") and "=== 2: " in whole and "70 Dezibel" in whole
    shell.json("config", "set", "maxTokens", 100, "--profile", "short")
    less = shell.json(*asked)
    assert 0 < len(less["context"]) < len(whole) and len(less["hits"]) == 3
    shell.json("config", "set", "minRelevanceScore", 1, "--profile", "short")
    assert shell.json("search", "Grenzwert Kuchen", "--profile", "short")["hits"] == []
    assert len(shell.json("search", "Grenzwert", "--profile", "short")["hits"]) == 1


def test_research_keeps_the_profile_and_its_least_relevance(shell: Shell) -> None:
    shell.json("config", "set", "minRelevanceScore", 1, "--profile", "strict")
    asked = ["research", QUESTION, "--collection", "laerm", "--yes", "--no-clarify"]
    strict = shell.json(*asked, "--profile", "strict")
    assert strict["evidence"] == []
    options = shell.json("runs", "show", strict["thread_id"])["options"]
    assert (options["profile"], options["min_relevance"]) == ("strict", 1.0)
    assert shell.json(*asked)["evidence"]
    assert "no profile 'gone'" in shell.error(*asked, "--profile", "gone")
