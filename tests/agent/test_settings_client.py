"""Settings and model trials through the client: in the owner's process, and in others."""

from pathlib import Path

import pytest

from agent.engine.engine import connect_to
from services.domain import Principal
from services.domain.errors import InvalidInput, NoModel
from services.models.base import ChatModel
from tests.support.desk import make_services, open_desk
from tests.support.scripted_model import ScriptedModel


def test_the_owner_tries_its_models_for_another_process(tmp_path: Path) -> None:
    model = ScriptedModel([("Count", "one, two, three"), ("JSON", {"answer": "yes"})])
    home = tmp_path / "home"
    with open_desk(home, model), connect_to(make_services(home), Principal()) as other:
        check = other.settings.check_model()
        assert (check.model, check.keeps_form, check.problem) == ("scripted", True, None)
        embedder = other.settings.check_embedder()
        assert embedder.dimension > 0 and embedder.foreign == ()
        assert not other.owner


def test_a_missing_model_is_asked_for_again_at_the_next_trial(tmp_path: Path) -> None:
    found: list[ChatModel] = []

    async def find() -> ChatModel | None:
        if not found:
            raise NoModel("no Ollama answers: start it with `ollama serve`")
        return found[0]

    with open_desk(tmp_path / "home", find) as client:
        with pytest.raises(NoModel, match="ollama serve"):
            client.settings.check_model()
        found.append(ScriptedModel(default={"answer": "no"}))
        assert client.settings.check_model().problem is None


def test_collections_of_another_embedding_model_are_named(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as client:
        place = client.library.create_collection("alt").collection_id
        client._services.catalog.collections.set_fingerprint(place, "elsewhere/768")
        assert client.settings.check_embedder().foreign == ("alt",)


def test_the_memory_of_searches_is_counted_and_emptied(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as client:
        for _ in range(2):
            client.library.search("Lärm", collections=["laerm"])
        cache = client.settings.search_cache()
        assert (cache.size, cache.hits, cache.misses) == (1, 1, 1)
        assert client.settings.search_cache(clear=True).size == 0


def test_values_are_set_and_taken_back_by_who_may(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as admin:
        anna = admin.acting_as(Principal(user="anna"))
        assert admin.settings.is_admin() and not anna.settings.is_admin()
        with pytest.raises(InvalidInput, match="Only an admin"):
            anna.settings.lock_parameter("maxDocs", True)
        admin.settings.lock_parameter("maxDocs", True)
        anna.settings.set_parameter("maxDocs", 5, "kurz")
        origins = {each.key: each.origin for each in anna.settings.parameters("kurz")}
        assert origins["maxDocs"] == "locked"
        anna.settings.unset_parameter("maxDocs", "kurz")
        assert anna.settings.profiles() == []
        anna.settings.set_parameter("enabled", True, "kurz")
        anna.settings.delete_profile("kurz")
        assert anna.settings.profiles() == []


def test_a_preference_is_kept_for_the_next_process(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with connect_to(make_services(home), Principal(user="anna")) as client:
        assert client.settings.preference("language") is None
        client.settings.set_preference("language", "de")
    with connect_to(make_services(home), Principal(user="anna")) as client:
        assert client.settings.preference("language") == "de"
        assert client.acting_as(Principal()).settings.preference("language") is None
