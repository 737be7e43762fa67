"""The settings on a real desk: models, parameters, profiles, language, the way out."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine
from agent.engine.settings import SettingsPart
from agent.reading_test.tester import keep_result
from app.components.settings_parameters import GROUPS
from app.session import ENGINE
from services.domain import Principal, SearchRequest
from services.domain.errors import CorruptCatalog, NoModel, RabbitholeError
from services.domain.model_checks import (
    EmbedderCheck,
    ItemResult,
    ModelCheck,
    ModelReading,
    ModelState,
    ReadingTestResult,
)
from services.domain.notices import Notice
from services.library.configuration import Configuration
from services.library.parameters import SCHEMAS
from tests.support.desk import open_desk
from tests.support.library_window import keys, press, shown
from tests.support.pages import ENTRY, open_app, texts_of
from tests.support.research import researched

ANNA = Principal(user="anna")
SECTIONS = ("models", "parameters", "plans", "program")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with open_desk(Path(tmp_path_factory.mktemp("desk"))) as client:
        yield client


def at_section(client: Engine, section: str, language: str = "de") -> AppTest:
    """A section of the page, with everything that is behind its fold."""
    at = open_app(client, page="settings", language=language, section=section)
    at.session_state["expert"] = True
    return shown(at.run())


def in_profile(client: Engine, name: str) -> AppTest:
    """The parameters of a profile that has just been created on the page."""
    at = at_section(client, "parameters")
    at.text_input(key="profile-name").input(name)
    return press(at, "create-profile")


WORKING = ModelCheck(
    model="m", context_tokens=8192, prompt_tokens_per_s=312.0, first_token_s=0.44,
    tokens_per_s=28.4, keeps_form=True,
)  # fmt: skip
POOR = ModelCheck(
    model="m", first_token_s=2.0, tokens_per_s=1.5, problem=Notice.of("It answered something else.")
)
FOREIGN = EmbedderCheck(
    fingerprint="e5/384", dimension=384, max_tokens=512, query_ms=5.0, foreign=("alt",)
)


@pytest.mark.parametrize(
    ("result", "kind", "told"),
    [
        (ModelCheck(model="none"), "info", ()),
        (WORKING, "success", ("0,4 s", "28,4", "312", "8.192", ":material/check_circle: Hält")),
        (POOR, "error", ("It answered something else.", ":material/error:")),
        (NoModel("start `ollama serve`"), "error", ("start `ollama serve`",)),
        (FOREIGN, "warning", ("alt", "e5/384")),
    ],
    ids=["none", "working", "poor", "missing", "foreign"],
)
def test_models_are_tested_on_demand(
    desk: Engine,
    result: ModelCheck | EmbedderCheck | RabbitholeError,
    kind: str,
    told: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def check(part: SettingsPart) -> ModelCheck | EmbedderCheck:
        if isinstance(result, RabbitholeError):
            raise result
        return result

    name = "embedder" if isinstance(result, EmbedderCheck) else "model"
    monkeypatch.setattr(SettingsPart, f"check_{name}", check)
    at = at_section(desk, "models")
    assert not at.get(kind)
    press(at, f"{name}-check")
    assert at.get(kind) and all(each in texts_of(at) for each in told)
    assert "`RABBITHOLE_LLM` = **none**" in texts_of(at), "who decided it"


def test_whether_the_model_reads_is_shown_item_by_item_and_tested_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = ModelState(status="ready", name="scripted")
    monkeypatch.setattr(SettingsPart, "model_state", lambda part, warm=False: ready)

    def item(question: str, problem: Notice | None = None) -> ItemResult:
        return ItemResult(
            kind="verify", language="de", question=question, reply="1. Mai", problem=problem
        )

    wrong = (item("Was gilt?", Notice.of("It does not say {words}.", words="85")),)
    failed = ReadingTestResult(model="scripted", passed=False, items=wrong)
    failed = failed.model_copy(update={"problem": Notice.of("It broke off.")})
    passed = ReadingTestResult(model="scripted", passed=True, items=(item("Wann gilt es?"),))
    reading = ModelReading(**dict(passed), setting="auto", reads=True)
    monkeypatch.setattr(SettingsPart, "take_reading_test", lambda part, again: reading)

    with open_desk(tmp_path) as client:
        keep_result(client._services.catalog, failed)
        at = at_section(client, "models")
        shown = texts_of(at)
        assert "Lesetest nicht bestanden: Antworten sind nur Zitate" in shown
        assert "It broke off." in shown and "Was gilt?" in shown and "„85“" in shown
        press(at, "model-reading-test")
        shown = texts_of(at)
        assert "Lesetest bestanden: das Modell schreibt Antworten" in shown
        assert "Wann gilt es?" in shown and "1. Mai" in shown


def test_an_admin_sets_locks_and_frees_a_value_for_everybody(desk: Engine) -> None:
    anna = desk.acting_as(ANNA)

    def effective() -> tuple[object, str]:
        value = next(each for each in anna.settings.parameters() if each.key == "maxDocs")
        return value.value, value.origin

    at = at_section(desk, "parameters")
    shown(at.number_input(key="value-maxDocs-").set_value(25).run())
    assert effective() == (25, "global")
    press(at, "lock-maxDocs")
    assert effective() == (25, "locked")
    field = in_profile(anna, "Kurz").number_input(key="value-maxDocs-Kurz")
    assert (field.value, field.disabled) == (25, True), "a lock holds in every profile"
    press(at, "lock-maxDocs")
    press(at, "unset-maxDocs")
    assert effective() == (10, "default") and at.number_input(key="value-maxDocs-").value == 10


def test_a_preset_sets_what_it_says_and_takes_the_rest_back(desk: Engine) -> None:
    def own() -> dict[str, object]:
        return {e.key: e.value for e in desk.settings.parameters() if e.origin == "global"}

    at = at_section(desk, "parameters")
    assert at.radio(key="preset-").value == "balanced" and own() == {}
    at.radio(key="preset-").set_value("thorough").run()
    thorough = {
        "maxDocs": 20,
        "maxTokens": 4000,
        "fastThreshold": 0.15,
        "reranking": "cross-encoder",
    }
    assert own() == thorough
    at.radio(key="preset-").set_value("quick").run()
    assert own() == {"maxDocs": 5, "maxTokens": 1200, "fastThreshold": 0.6, "answerCache": True}
    shown(at.number_input(key="value-maxDocs-").set_value(7).run())
    assert at.radio(key="preset-").value is None and "Einzelne Werte“ eingestellt" in texts_of(at)
    at.radio(key="preset-").set_value("balanced").run()
    assert own() == {}


def test_parameters_have_names_units_and_no_keys(desk: Engine) -> None:
    at = at_section(desk, "parameters")
    every = [key for group in GROUPS.values() for key in group]
    assert sorted(every) == sorted(SCHEMAS), "each has its words, once"
    text = "\n".join(markdown.value for markdown in at.markdown)
    assert "Treffer je Suche" in text and "1 bis 100 Treffer" in text
    assert not [key for key in every if f"**{key}**" in text]


def test_a_reranker_that_is_gone_can_be_replaced(desk: Engine) -> None:
    parameters = desk._services.catalog.parameters
    parameters.put("reranking", "sentences", owner=Principal().user, profile="Alt")
    gone = [{"collection": "laerm", "reranking": "sentences"}]
    parameters.put("collections", gone, owner=Principal().user, profile="Alt")
    at = at_section(desk, "parameters")
    shown(at.selectbox(key="settings-profile").set_value("Alt").run())
    assert at.selectbox(key="value-reranking-Alt").value is None
    at.selectbox(key="value-collections-Alt-laerm").set_value("llm").run()
    shown(at.selectbox(key="value-reranking-Alt").set_value("cross-encoder").run())
    values = {each.key: each.value for each in desk.settings.parameters("Alt")}
    assert values["reranking"] == "cross-encoder"
    assert values["collections"] == [{"collection": "laerm", "reranking": "llm"}]
    desk.settings.delete_profile("Alt")


def test_others_see_global_values_but_change_only_profiles_of_their_own(desk: Engine) -> None:
    anna = desk.acting_as(ANNA)
    at = at_section(anna, "parameters")
    assert at.info and all(field.disabled for field in at.number_input)
    at = in_profile(anna, "Weit")
    assert not any(field.disabled for field in at.number_input)
    assert not [key for key in keys(at) if key.startswith("lock-")]
    shown(at.number_input(key="value-minRelevanceScore-Weit").set_value(0.5).run())
    origins = {each.key: each.origin for each in anna.settings.parameters("Weit")}
    assert origins["minRelevanceScore"] == "profile"
    assert {each.origin for each in anna.settings.parameters()} == {"default"}


def test_a_profile_holds_its_collections_prompt_and_switch(desk: Engine) -> None:
    at = in_profile(desk, "Gründlich")
    at.multiselect(key="value-collections-Gründlich").set_value(["laerm"]).run()
    at.selectbox(key="value-collections-Gründlich-laerm").set_value("llm").run()
    at.text_area(key="value-synthesisPromptOverride-Gründlich").input("Antworte kurz.")
    at.selectbox(key="value-reranking-Gründlich").set_value("cross-encoder")
    shown(at.toggle(key="value-enabled-Gründlich").set_value(False).run())
    values = {each.key: each.value for each in desk.settings.parameters("Gründlich")}
    assert values["collections"] == [{"collection": "laerm", "reranking": "llm"}]
    assert values["synthesisPromptOverride"] == "Antworte kurz."
    assert (values["reranking"], values["enabled"]) == ("cross-encoder", False)
    at.text_area(key="value-synthesisPromptOverride-Gründlich").input("x" * 20_001).run()
    assert "20000" in at.error[0].value and len(at.error[0].value) < 300
    assert "Eigene Schreibanweisung" in at.error[0].value and "Override" not in at.error[0].value
    field = at.text_area(key="value-synthesisPromptOverride-Gründlich")
    assert field.value == "Antworte kurz.", "a refused value does not stay"
    press(at, "delete-profile")
    assert "Gründlich" not in desk.settings.profiles()
    assert "settings-profile" not in [each.key for each in at.selectbox], "none to choose from"
    assert in_profile(desk, "  ").error, "a profile needs a name"


def test_the_usual_profile_comes_first_in_new_researches(desk: Engine) -> None:
    at = in_profile(desk, "Üblich")
    at.toggle(key="usual-Üblich").set_value(True).run()
    assert profile_of_new(desk) == "Üblich"
    at.toggle(key="usual-Üblich").set_value(False).run()
    assert profile_of_new(desk) is None
    desk.settings.set_preference("profile", "weg")
    assert profile_of_new(desk) is None


def profile_of_new(desk: Engine) -> str | None:
    """The profile that a new research would have."""
    at = open_app(desk).segmented_control(key="box-mode").set_value("deep").run()
    chosen: str | None = at.selectbox(key="profile").value
    return chosen


def test_the_memory_of_searches_is_shown_and_emptied(desk: Engine) -> None:
    desk.library.find(SearchRequest(query="Gehörschutz", collections=("laerm",)))
    at = press(at_section(desk, "program"), "clear-cache")
    assert desk.settings.search_cache().size == 0
    assert at.button(key="clear-cache").disabled


def test_the_exit_pauses_what_runs_and_says_how_to_come_back(owner: Engine) -> None:
    at = at_section(owner, "program")
    assert "exit" not in keys(at_section(owner.acting_as(ANNA), "program"))
    press(at, "exit")
    assert "rabbithole serve" in texts_of(at) and not at.button


def reloaded(client: Engine, page: str | None = None, **where: str) -> AppTest:
    """A window that has only just been opened: nothing of an earlier one is left."""
    at = AppTest.from_file(str(ENTRY), default_timeout=20)
    at.session_state[ENGINE] = client
    at.run()
    at.query_params.update(where)
    return shown(at if page is None else at.switch_page(f"app_pages/{page}.py").run())


def test_the_browser_decides_the_language_until_a_person_has_chosen_one(desk: Engine) -> None:
    clara = desk.acting_as(Principal(user="clara"))
    at = reloaded(clara)
    assert at.segmented_control(key="language").value == "en"
    at.segmented_control(key="language").set_value("de").run()
    for page in (None, "runs", "library", "settings"):
        again = reloaded(clara, page)
        assert again.segmented_control(key="language").value == "de", page
    assert reloaded(desk).segmented_control(key="language").value == "en", "one person's own"
    for section in SECTIONS:
        assert at_section(clara, section, "en").title[0].value == "Settings"


@pytest.mark.parametrize("page", [None, "settings"])
def test_a_choice_that_cannot_be_read_stops_no_page(
    desk: Engine, page: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*_: object) -> str | None:
        raise CorruptCatalog("The catalog is damaged.")

    monkeypatch.setattr(Configuration, "preference", unreadable)
    assert reloaded(desk, page).segmented_control(key="language").value == "en"


def test_remembered_plans_are_edited_and_forgotten_by_their_person_alone(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as client:
        assert "Noch keine Pläne" in texts_of(at_section(client, "plans"))
        thread = researched(client)
        client.answers.vote(thread, up=True)
        (case,) = client.plans.list()
        other = at_section(client.acting_as(ANNA), "plans")
        assert "Noch keine Pläne" in texts_of(other) and not other.expander
        at, tasks = at_section(client, "plans"), f"tasks-{case.case_id}"
        assert [each.label for each in at.expander] == [case.question]
        assert "gut bewertet" in texts_of(at)
        at.text_area(key=tasks).input("Grenzwerte\n\nAusnahmen")
        at = press(at, f"save-{tasks}")
        edited = client.plans.get(case.case_id)
        assert [each.task for each in edited.tasks] == ["Grenzwerte", "Ausnahmen"]
        assert "von Ihnen bearbeitet" in texts_of(at)
        at.text_area(key=tasks).input(" ")
        assert "1 bis 15 Aufgaben" in texts_of(press(at, f"save-{tasks}"))
        press(at, f"forget-{tasks}")
        assert client.plans.list() == []
