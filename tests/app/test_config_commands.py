"""``rabbithole config`` and what its settings do to a search, each command a process of its own."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.cli.main import main
from tests.support.desk import LAW, QUESTION


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    (home / "LaermG.txt").write_text(LAW, encoding="utf-8")
    assert run(home, "ingest", home / "LaermG.txt", "--collection", "laerm").exit_code == 0
    return home


def run(home: Path, *arguments: object) -> Result:
    env = {"RABBITHOLE_HOME": str(home), "RABBITHOLE_LLM": "none"}
    return CliRunner().invoke(main, [str(each) for each in arguments], env=env)


def as_json(home: Path, *arguments: object) -> dict[str, Any]:
    result = run(home, *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout.strip().splitlines()[-1])


def test_show_names_the_origin_of_every_value(tmp_path: Path) -> None:
    shown = as_json(tmp_path, "config", "show")
    assert shown["profile"] is None and shown["profiles"] == []
    assert shown["parameters"]["maxDocs"] == {
        "value": 10, "origin": "default", "type": "integer", "minimum": 1, "maximum": 100,
    }  # fmt: skip
    assert len(shown["parameters"]) == 12
    as_json(tmp_path, "config", "set", "freshnessWeight", "0.3", "--profile", "news")
    shown = as_json(tmp_path, "config", "show", "--profile", "news")
    assert shown["profiles"] == ["news"]
    assert shown["parameters"]["freshnessWeight"]["origin"] == "profile"
    assert (
        "freshnessWeight          0.3 (profile)"
        in run(tmp_path, "config", "show", "--profile", "news").stdout
    )


def test_a_profile_shows_its_collections_as_they_are_written(tmp_path: Path) -> None:
    as_json(tmp_path, "config", "set", "collections", "laws=llm,news", "--profile", "legal")
    shown = run(tmp_path, "config", "show", "--profile", "legal").stdout
    assert "collections              laws=llm, news (profile)" in shown
    assert "enabled                  true (default)" in shown
    assert "reranking                'none' (default)" in shown


def test_a_lock_beats_a_profile_until_it_is_gone(tmp_path: Path) -> None:
    as_json(tmp_path, "config", "set", "maxDocs", 5, "--profile", "news")
    locked = as_json(tmp_path, "config", "lock", "maxDocs")
    assert (locked["key"], locked["value"], locked["origin"]) == ("maxDocs", 10, "locked")
    told = run(tmp_path, "config", "set", "maxDocs", 6, "--profile", "news")
    assert told.exit_code == 0 and "once an admin unlocks it" in told.stdout
    as_json(tmp_path, "config", "unlock", "maxDocs")
    shown = as_json(tmp_path, "config", "show", "--profile", "news")
    assert shown["parameters"]["maxDocs"]["value"] == 6
    as_json(tmp_path, "config", "unset", "maxDocs", "--profile", "news")
    assert as_json(tmp_path, "config", "show")["profiles"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["set", "maxDocs", "5", "--user", "anna"], "Only an admin"),
        (["lock", "maxDocs", "--user", "anna"], "Only an admin"),
        (["unlock", "maxDocs", "--user", "anna"], "Only an admin"),
        (["unset", "maxDocs", "--user", "anna"], "Only an admin"),
        (["set", "maxDocs", "0"], "greater than or equal to 1"),
        (["set", "depth", "3"], "synthesisPromptOverride"),
        (["set", "enabled", "false"], "--profile"),
        (["set", "reranking", "magic"], "'llm' or 'cross-encoder'"),
        (["show", "--profile", "nobody"], "config set KEY VALUE --profile nobody"),
    ],
)
def test_refusals_are_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    result = run(tmp_path, "config", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr and len(result.stderr.strip().splitlines()) == 1


def test_admins_can_be_named(tmp_path: Path) -> None:
    env = {"RABBITHOLE_HOME": str(tmp_path), "RABBITHOLE_ADMINS": '["root"]'}

    def lock(user: str) -> int:
        arguments = ["config", "lock", "maxDocs", "--user", user]
        return CliRunner().invoke(main, arguments, env=env).exit_code

    assert (lock("local"), lock("root")) == (1, 0)


def test_a_search_applies_its_profile(home: Path) -> None:
    as_json(home, "config", "set", "maxDocs", 1, "--profile", "short")
    as_json(home, "config", "set", "minRelevanceScore", 0, "--profile", "short")
    found = as_json(home, "search", "Grenzwert", "--profile", "short")
    assert len(found["hits"]) == 1 and found["from_cache"] is False
    assert set(found["cache"]) == {"size", "hits", "misses", "hit_rate"}
    assert len(as_json(home, "search", "Grenzwert", "--profile", "short", "-k", 2)["hits"]) == 2
    assert len(as_json(home, "search", "Grenzwert")["hits"]) > 2
    as_json(home, "config", "set", "minRelevanceScore", 1, "--profile", "short")
    assert as_json(home, "search", "Grenzwert", "--profile", "short")["hits"] == []
    missing = run(home, "search", "Grenzwert", "--profile", "gone")
    assert missing.exit_code == 1 and "no profile 'gone'" in missing.stderr


def test_a_search_prints_its_context_within_the_tokens_of_the_profile(home: Path) -> None:
    as_json(home, "config", "set", "minRelevanceScore", 0, "--profile", "context")
    asked = ("search", "Grenzwert", "--profile", "context", "--context")
    whole = run(home, *asked).stdout
    assert whole.startswith("[1] ") and "[3] " in whole and "70 Dezibel" in whole
    as_json(home, "config", "set", "maxTokens", 100, "--profile", "context")
    less = as_json(home, *asked)
    assert 0 < len(less["context"]) < len(whole) and len(less["hits"]) == 3
    nothing = run(home, "search", "Mondlandung", "--profile", "short", "--context")
    assert nothing.exit_code == 0


def test_a_profile_chooses_collections_and_reranking(home: Path, tmp_path: Path) -> None:
    (tmp_path / "recipe.txt").write_text("Der Grenzwert für Salz im Teig ist eine Prise.")
    run(home, "ingest", tmp_path / "recipe.txt", "--collection", "kitchen")
    as_json(home, "config", "set", "collections", "kitchen=llm", "--profile", "cook")
    as_json(home, "config", "set", "minRelevanceScore", 0, "--profile", "cook")
    found = run(home, "search", "Grenzwert", "--profile", "cook", "--json")
    hits = json.loads(found.stdout)
    assert {hit["document"] for hit in hits["hits"]} == {"recipe.txt"}
    assert "Reranking (llm) failed" in found.stderr and "RABBITHOLE_LLM=none" in found.stderr
    assert len(hits["warnings"]) == 1
    named = as_json(home, "search", "Grenzwert", "--profile", "cook", "--collection", "laerm")
    assert {hit["document"] for hit in named["hits"]} == {"LaermG.txt"}
    as_json(home, "config", "set", "collections", "kitchen=cross-encoder", "--profile", "cook")
    again = as_json(home, "search", "Grenzwert", "--profile", "cook")
    assert not again["warnings"] and all("rerank" in hit["explain"] for hit in again["hits"])
    as_json(home, "config", "set", "enabled", "false", "--profile", "cook")
    refused = run(home, "search", "Grenzwert", "--profile", "cook")
    assert refused.exit_code == 1 and "switched off" in refused.stderr


def test_research_keeps_the_profile_and_its_least_relevance(home: Path) -> None:
    as_json(home, "config", "set", "minRelevanceScore", 1, "--profile", "strict")
    asked = ["research", QUESTION, "--collection", "laerm", "--yes", "--no-clarify"]
    strict = as_json(home, *asked, "--profile", "strict")
    assert strict["evidence"] == []
    options = as_json(home, "runs", "show", strict["thread_id"])["options"]
    assert (options["profile"], options["min_relevance"]) == ("strict", 1.0)
    assert as_json(home, *asked)["evidence"]
    missing = run(home, *asked, "--profile", "gone")
    assert missing.exit_code == 1 and "no profile 'gone'" in missing.stderr
