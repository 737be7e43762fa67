"""The settings: models, parameters, profiles and thresholds, colours, the way out."""

import pytest
from streamlit.testing.v1 import AppTest

from services.domain import Principal
from services.domain.errors import NoModel
from services.domain.model_checks import EmbedderCheck, ModelCheck
from services.library.thresholds import Vote
from tests.support.fake_client import FakeClient
from tests.support.library_window import shown
from tests.support.pages import button, open_app, texts_of

ANNA = Principal(user="anna")


def at_section(fake: FakeClient, section: str, language: str = "de") -> AppTest:
    return shown(open_app(fake, page="settings", language=language, section=section))


def in_profile(fake: FakeClient, name: str = "Gründlich") -> AppTest:
    """The parameters of a profile that has just been created on the page."""
    at = at_section(fake, "parameters")
    at.text_input(key="profile-name").input(name)
    return button(at, "Profil anlegen").click().run()


WORKING = (
    "erstes Wort nach 0,4 s",
    "Schreibt 28,4 Token in der Sekunde",
    "Füllt Formulare aus",
    "Fasst 8.192 Token",
)
POOR = ModelCheck(
    model="m", first_token_s=2.0, tokens_per_s=1.5, problem="It answered something else."
)
FOREIGN = EmbedderCheck(
    fingerprint="e5/384", dimension=384, max_tokens=512, query_ms=5.0, foreign=("alt",)
)


@pytest.mark.parametrize(
    ("found", "key", "verdict", "told"),
    [
        (None, "model", "Das Sprachmodell arbeitet.", WORKING),
        (NoModel("no Ollama answers: start `ollama serve`"), "model", "ollama serve",
         ("RABBITHOLE_LLM=embedded",)),
        (POOR, "model", "It answered something else.",
         ("Das ist langsam", "Füllte das Formular nicht aus")),
        (FOREIGN, "embedder", "nicht durchsuchbar: alt.", ("e5/384",)),
    ],
)  # fmt: skip
def test_models_are_tested_on_demand(
    found: object, key: str, verdict: str, told: tuple[str, ...]
) -> None:
    fake = FakeClient()
    if found is not None:
        setattr(fake, f"{key}_check", found)
    at = open_app(fake, page="settings")
    assert "In Gebrauch: **qwen3:14b (Ollama)**" in texts_of(at) and not at.success
    assert verdict not in texts_of(at)
    at.button(key=f"{key}-check").click().run()
    shown = texts_of(at)
    assert verdict in shown.replace("\\", "") and all(each in shown for each in told)
    kinds = {None: at.success, FOREIGN: at.warning}
    assert verdict in kinds.get(found, at.error)[0].value.replace("\\", "")


def test_an_admin_sets_locks_and_frees_a_value_for_everybody() -> None:
    fake = FakeClient()
    at = at_section(fake, "parameters")
    at.number_input(key="value-maxDocs-").set_value(25).run()
    assert "global gesetzt" in texts_of(at)
    at.button(key="lock-maxDocs").click().run()
    assert "gesperrt" in texts_of(at)
    assert fake.configuration.effective(ANNA)["maxDocs"].value == 25
    assert fake.configuration.effective(ANNA)["maxDocs"].locked
    at.button(key="lock-maxDocs").click().run()
    at.button(key="unset-maxDocs").click().run()
    assert fake.configuration.effective(ANNA)["maxDocs"].origin == "default"
    assert at.number_input(key="value-maxDocs-").value == 10


def test_others_see_global_values_but_change_only_profiles_of_their_own() -> None:
    fake = FakeClient(principal=ANNA)
    at = at_section(fake, "parameters")
    assert "nur die Administration" in at.info[0].value
    assert all(field.disabled for field in at.number_input)
    assert not [found for found in at.button if (found.key or "").startswith("lock-")]
    at = in_profile(fake)
    assert not any(field.disabled for field in at.number_input)
    assert not [found for found in at.button if (found.key or "").startswith("lock-")]
    at.number_input(key="value-minRelevanceScore-Gründlich").set_value(0.5).run()
    own = fake.configuration.effective(ANNA, "Gründlich")["minRelevanceScore"]
    assert (own.value, own.origin) == (0.5, "profile")
    assert fake.configuration.effective(ANNA)["minRelevanceScore"].origin == "default"


def test_a_locked_value_cannot_be_changed_in_a_profile() -> None:
    fake = FakeClient(principal=ANNA)
    local = Principal()
    fake.configuration.set(local, "maxTokens", 500)
    fake.configuration.lock(local, "maxTokens")
    at = in_profile(fake)
    field = at.number_input(key="value-maxTokens-Gründlich")
    assert (field.value, field.disabled) == (500, True)
    assert "gesperrt" in texts_of(at)
    assert (field.min, field.max) == (100, 1_000_000)


def test_a_profile_holds_its_collections_prompt_and_switch() -> None:
    fake = FakeClient()
    at = in_profile(fake)
    at.multiselect(key="value-collections-Gründlich").set_value(["strahlenschutz"]).run()
    at.selectbox(key="value-collections-Gründlich-strahlenschutz").set_value("llm").run()
    at.text_area(key="value-synthesisPromptOverride-Gründlich").input("Antworte kurz.")
    at.selectbox(key="value-reranking-Gründlich").set_value("sentences")
    at.toggle(key="value-enabled-Gründlich").set_value(False).run()
    values = fake.configuration.effective(fake.principal, "Gründlich").values()
    assert [(each.collection, each.reranking) for each in values.collections] == [
        ("strahlenschutz", "llm")
    ]
    assert values.synthesis_prompt_override == "Antworte kurz."
    assert (values.reranking, values.enabled) == ("sentences", False)


def test_a_refused_value_is_told_and_does_not_stay_in_the_field() -> None:
    fake = FakeClient()
    at = in_profile(fake)
    at.text_area(key="value-synthesisPromptOverride-Gründlich").input("x" * 20_001).run()
    shown = at.error[0].value.replace("\\", "")
    assert "synthesisPromptOverride: Der Text darf höchstens 20000 Zeichen haben" in shown
    assert len(shown) < 300
    assert at.text_area(key="value-synthesisPromptOverride-Gründlich").value == ""


def test_a_profile_without_a_name_is_refused_and_one_is_deleted_with_confirmation() -> None:
    fake = FakeClient()
    at = in_profile(fake, "  ")
    assert "Ein Profil braucht einen Namen" in at.error[0].value
    at = in_profile(fake)
    assert at.selectbox(key="settings-profile").value == "Gründlich"
    button(at, "Endgültig löschen").click().run()
    assert fake.settings.profiles() == []
    assert at.selectbox(key="settings-profile").value == ""
    assert "Sie haben noch kein Profil" in texts_of(at)


def test_the_usual_profile_comes_first_in_new_researches() -> None:
    fake = FakeClient()
    fake.settings.set_parameter("maxDocs", 5, "Kurz")
    at = in_profile(fake)
    at.toggle(key="usual-Gründlich").set_value(True).run()
    assert open_app(fake).selectbox(key="profile").value == "Gründlich"
    at = at_section(fake, "parameters")
    at.selectbox(key="settings-profile").select("Gründlich").run()
    at.toggle(key="usual-Gründlich").set_value(False).run()
    assert open_app(fake).selectbox(key="profile").value is None
    fake.settings.set_preference("profile", "weg")
    assert open_app(fake).selectbox(key="profile").value is None


def test_the_memory_of_searches_is_shown_and_emptied() -> None:
    fake = FakeClient()
    at = at_section(fake, "program")
    assert "3 gemerkt · 6 aus dem Gedächtnis · 4 neu gesucht · 60 % gespart" in texts_of(at)
    button(at, "Gedächtnis leeren").click().run()
    assert "0 gemerkt" in texts_of(at)
    assert button(at, "Gedächtnis leeren").disabled


def test_the_language_is_chosen_for_the_whole_window() -> None:
    at = at_section(FakeClient(), "appearance")
    at.radio(key="language-setting").set_value("en").run()
    assert "Answers come in the language of the question" in texts_of(at)
    assert at.session_state["language"] == "en"


def test_the_exit_pauses_what_runs_and_says_how_to_come_back() -> None:
    fake = FakeClient()
    fake.threads.start("Was gilt?")
    at = at_section(fake, "program")
    assert "Gerade laufen: 1" in texts_of(at)
    assert fake.closed == 0
    button(at, "Jetzt beenden").click().run()
    assert "Rabbithole ist beendet." in texts_of(at)
    assert "rabbithole serve" in texts_of(at)
    assert fake.closed == 1


def test_only_admins_end_the_server() -> None:
    at = at_section(FakeClient(principal=ANNA), "program")
    assert "Nur die Administration beendet den Server" in at.info[0].value
    assert not [found for found in at.button if found.label == "Jetzt beenden"]


@pytest.mark.parametrize("section", ["models", "parameters", "appearance", "program"])
def test_each_section_speaks_english(section: str) -> None:
    assert "Settings" in texts_of(at_section(FakeClient(), section, "en"))


BAD = Vote(up=False, route="fast", depth="fast", score=0.30)


PLACE = "c1"


def parameters(fake: FakeClient, language: str = "de") -> AppTest:
    return at_section(fake, "parameters", language)


def test_value_origin_and_reason_are_told() -> None:
    fake = FakeClient()
    shown = texts_of(parameters(fake))
    assert "**Mehr Tiefe ab 0,35** :gray-badge[Vorgabe]" in shown
    assert "Keine Bewertung betrifft sie." in shown
    fake.routing_votes[PLACE] = [BAD] * 5
    shown = texts_of(parameters(fake, "en"))
    assert "**More depth from 0.34** :blue-badge[by votes]" in shown
    assert "Lowered by 0.01: 0 good and 5 bad votes." in shown


def test_thresholds_are_held_released_and_reset() -> None:
    fake = FakeClient()
    fake.routing_votes[PLACE] = [BAD] * 5
    at = parameters(fake)
    at.button(key="hold-thresholds").click().run()
    assert ("lock_thresholds", PLACE, True) in fake.calls
    assert "**Mehr Tiefe ab 0,34** :yellow-badge[:material/lock: festgehalten]" in texts_of(at)
    assert at.button(key="reset-thresholds").disabled
    at.button(key="hold-thresholds").click().run()
    assert ("lock_thresholds", PLACE, False) in fake.calls
    at.button(key="reset-thresholds").click().run()
    assert ("reset_thresholds", PLACE) in fake.calls
    assert "**Mehr Tiefe ab 0,35**" in texts_of(at)


def test_without_a_collection_it_says_what_to_do() -> None:
    fake = FakeClient(documents=False)
    assert "Legen Sie in der Bibliothek eine an." in texts_of(parameters(fake))
