"""Parameters in three tiers, and who may change them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.domain import Principal, SearchOptions
from services.domain.errors import InvalidInput, NotFound
from services.library.configuration import Configuration
from services.library.parameters import SCHEMAS, KnowledgeParameters, Preset
from tests.support.catalogs import new_catalog

LOCAL, ANNA, BEN = Principal(), Principal(user="anna"), Principal(user="ben")
ROOT = Principal(user="root", role="admin")


@pytest.fixture
def configuration(tmp_path: Path) -> Iterator[Configuration]:
    with new_catalog(tmp_path / "catalog.sqlite3") as catalog:
        yield Configuration(catalog.parameters, ("local",))


def test_the_parameters_with_their_defaults() -> None:
    of_profiles = {key: each.in_profiles for key, each in SCHEMAS.items() if each.in_profiles}
    assert of_profiles == {"maxDocs": 3, "minRelevanceScore": 0.30}
    assert {schema.key: (schema.type, schema.default) for schema in SCHEMAS.values()} == {
        "maxDocs": ("integer", 10),
        "minRelevanceScore": ("number", 0.05),
        "maxTokens": ("integer", 2000),
        "maxChunksPerDocument": ("integer", 0),
        "freshnessWeight": ("number", 0.0),
        "freshnessDecayRate": ("number", 0.005),
        "synthesisPromptOverride": ("string", ""),
        "reranking": ("string", "none"),
        "fastThreshold": ("number", 0.35),
        "agentThreshold": ("number", 0.55),
        "adaptiveThresholds": ("boolean", True),
        "answerCache": ("boolean", False),
        "planMemory": ("boolean", True),
        "enabled": ("boolean", True),
        "collections": ("array", []),
    }
    numbers = [schema for schema in SCHEMAS.values() if schema.type in ("integer", "number")]
    assert len(numbers) == 8 and all(schema.minimum is not None for schema in numbers)


def test_each_tier_gives_way_to_the_one_above(configuration: Configuration) -> None:
    def now(profile: str | None = "legal") -> tuple[object, str]:
        each = configuration.effective(ANNA, profile)["maxDocs"]
        return each.value, each.origin

    configuration.set(ANNA, "maxTokens", 500, "legal")
    assert now(None) == (10, "default")
    assert now() == (3, "default")
    configuration.set(LOCAL, "maxDocs", 7)
    assert now(None) == now() == (7, "global")
    configuration.set(ANNA, "maxDocs", "5", "legal")
    assert now(None) == (7, "global") and now() == (5, "profile")
    configuration.lock(LOCAL, "maxDocs")
    assert now(None) == now() == (7, "locked")
    configuration.lock(LOCAL, "maxDocs", locked=False)
    assert now() == (5, "profile")
    configuration.unset(ANNA, "maxDocs", "legal")
    configuration.unset(LOCAL, "maxDocs")
    assert now() == (3, "default")
    assert configuration.lock(ROOT, "maxDocs").value == 10
    assert configuration.set(ANNA, "maxDocs", 5, "legal").origin == "locked"
    changed = configuration.set(LOCAL, "maxDocs", 4)
    assert (changed.value, changed.origin) == (4, "locked")


def test_only_admins_change_what_holds_for_all(configuration: Configuration) -> None:
    for call in (
        lambda: configuration.set(ANNA, "maxDocs", 5),
        lambda: configuration.unset(ANNA, "maxDocs"),
        lambda: configuration.lock(ANNA, "maxDocs"),
        lambda: configuration.lock(ANNA, "maxDocs", locked=False),
    ):
        with pytest.raises(InvalidInput, match="Only an administrator"):
            call()
    assert configuration.effective(ROOT)["maxDocs"].origin == "default"
    for admin in (ROOT, LOCAL):
        assert configuration.set(admin, "maxDocs", 5).value == 5


def test_profiles_belong_to_their_users_who_alone_delete_them(configuration: Configuration) -> None:
    configuration.set(ANNA, "maxDocs", 5, " legal ")
    configuration.set(BEN, "maxDocs", 8, "legal")
    configuration.set(BEN, "maxDocs", 8, "news")
    assert (configuration.profiles(ANNA), configuration.profiles(BEN)) == (
        ["legal"],
        ["legal", "news"],
    )
    with pytest.raises(NotFound, match=r"'news'.*legal.*config set"):
        configuration.effective(ANNA, "news")
    for call in (
        lambda: configuration.unset(ANNA, "maxDocs", "news"),
        lambda: configuration.delete_profile(ROOT, "legal"),
        lambda: configuration.delete_profile(Principal(user=""), ""),
    ):
        with pytest.raises(NotFound):
            call()
    configuration.unset(ANNA, "maxDocs", "legal")
    configuration.delete_profile(BEN, "news")
    assert (configuration.profiles(ANNA), configuration.profiles(BEN)) == ([], ["legal"])


REFUSED: dict[str, list[object]] = {
    "maxDocs": [0, 101, "many", 2.5, True],
    "minRelevanceScore": [-0.1, 1.1, "nan"],
    "maxTokens": [99],
    "maxChunksPerDocument": [-1],
    "freshnessWeight": [1.5],
    "freshnessDecayRate": [-1, "inf"],
    "synthesisPromptOverride": [5, "x" * 20_001],
    "maxdocs": [3],
    "reranking": ["magic", True],
    "collections": ["laws=fast", "=llm", "[", "[3]", '[{"name": "x"}]', 3, ",".join("a" * 101)],
}


def test_types_and_bounds_hold(configuration: Configuration) -> None:
    for key, values in REFUSED.items():
        for value in values:
            for who, profile in ((LOCAL, None), (ANNA, "legal")):
                with pytest.raises(InvalidInput, match=key):
                    configuration.set(who, key, value, profile)
    for name in ("", "  ", "a\nb", "x" * 61):
        with pytest.raises(InvalidInput, match="name"):
            configuration.set(ANNA, "maxDocs", 5, name)
    assert configuration.effective(LOCAL).values() == KnowledgeParameters()
    assert configuration.profiles(ANNA) == []


def test_a_stored_value_that_is_gone_is_named_with_what_there_is(
    configuration: Configuration,
) -> None:
    parameters = configuration._parameters
    parameters.put("reranking", "sentences")
    with pytest.raises(
        InvalidInput, match=r"'llm' or 'cross-encoder', not 'sentences'.*config set"
    ):
        configuration.effective(ANNA).search_options()
    configuration.set(LOCAL, "reranking", "cross-encoder")
    assert configuration.effective(ANNA).values().reranking == "cross-encoder"
    gone = [{"collection": "laws", "reranking": "sentences"}]
    parameters.put("collections", gone, owner=ANNA.user, profile="legal")
    with pytest.raises(InvalidInput, match=r"collections.*--profile 'legal'"):
        configuration.for_request(ANNA, "legal")


def test_what_is_shown_is_what_a_search_applies(
    configuration: Configuration,
) -> None:
    configuration.set(ANNA, "maxChunksPerDocument", 2, "legal")
    plain, legal = configuration.effective(ANNA), configuration.effective(ANNA, "legal")
    assert plain.search_options() == SearchOptions(min_relevance=0.05)
    assert legal.search_options() == SearchOptions(min_relevance=0.3, max_chunks_per_document=2)
    configuration.set(LOCAL, "minRelevanceScore", 0.2)
    assert configuration.effective(ANNA).search_options() == SearchOptions(min_relevance=0.2)


def test_a_profile_names_its_collections(configuration: Configuration) -> None:
    def named(value: object) -> object:
        configuration.set(ANNA, "collections", value, "legal")
        return configuration.effective(ANNA, "legal").collections(None)

    assert configuration.effective(ANNA).collections(None) is None
    assert named("laws=llm, news ,a b=cross-encoder") == ("laws", "news", "a b")
    assert configuration.effective(ANNA, "legal")["collections"].value == [
        {"collection": "laws", "reranking": "llm"},
        {"collection": "news", "reranking": None},
        {"collection": "a b", "reranking": "cross-encoder"},
    ]
    assert named('["a, b", {"collection": "x=y", "reranking": "llm"}]') == ("a, b", "x=y")
    assert named([{"collection": "laws"}]) == ("laws",)
    assert configuration.effective(ANNA, "legal").collections(["other"]) == ("other",)
    assert named("") is None


def test_what_belongs_to_a_profile_is_never_global_and_one_switched_off_serves_nobody(
    configuration: Configuration,
) -> None:
    for key in ("enabled", "collections"):
        for call in (
            lambda key=key: configuration.set(LOCAL, key, "true"),
            lambda key=key: configuration.unset(LOCAL, key),
            lambda key=key: configuration.lock(LOCAL, key),
        ):
            with pytest.raises(InvalidInput, match="--profile"):
                call()
        configuration.set(ANNA, key, "true", "legal")
        assert key not in {each.key for each in configuration.effective(ANNA).parameters}
    assert configuration.for_request(ANNA, "legal").profile == "legal"
    assert configuration.set(ANNA, "enabled", "false", "legal").value is False
    with pytest.raises(InvalidInput, match="config set enabled true --profile legal"):
        configuration.for_request(ANNA, "legal")
    assert configuration.for_request(ANNA, None).profile is None


def test_how_many_hits(tmp_path: Path) -> None:
    with new_catalog(tmp_path / "catalog.sqlite3") as catalog:
        check_hits(Configuration(catalog.parameters, ("local",), hits=20))


def check_hits(configuration: Configuration) -> None:
    configuration.set(ANNA, "maxDocs", 6, "legal")

    def hits(wanted: int | None, profile: str | None) -> int:
        return configuration.effective(ANNA, profile).hits(wanted)

    assert (hits(None, None), hits(8, None)) == (20, 8)
    assert configuration.effective(ANNA)["maxDocs"].value == 20
    assert (hits(None, "legal"), hits(8, "legal")) == (6, 8)
    configuration.set(LOCAL, "maxDocs", 4)
    assert (hits(None, None), hits(None, "legal")) == (4, 6)
    configuration.lock(LOCAL, "maxDocs")
    assert (hits(8, None), hits(8, "legal"), hits(2, "legal")) == (4, 4, 2)


def test_a_choice_is_its_users_and_neither_a_profile_nor_a_parameter(
    configuration: Configuration,
) -> None:
    configuration.set_preference(ANNA, "language", "de")
    assert configuration.preference(ANNA, "language") == "de"
    assert configuration.preference(BEN, "language") is None
    assert configuration.profiles(ANNA) == []
    assert configuration.effective(ANNA) == configuration.effective(BEN)
    for choice in ("en", None):
        configuration.set_preference(ANNA, "language", choice)
        assert configuration.preference(ANNA, "language") == choice


@pytest.mark.parametrize("profile", [None, "mine"])
def test_a_preset_takes_the_place_of_any_other(
    configuration: Configuration, profile: str | None
) -> None:
    names: list[Preset] = ["quick", "balanced", "thorough", "balanced", "quick", "thorough"]
    for name in names:
        configuration.apply_preset(LOCAL, name, profile)
        known = configuration.profiles(LOCAL)  # none where no value is left
        assert configuration.preset(LOCAL, profile if known else None) == name
