"""A new session: options, the first visit's questions, and what to do without a model."""

from app.session import ENGINE
from app.texts import start as texts
from services.domain.errors import ModelUnavailable, NoModel
from services.models.factory import DEFAULT_OLLAMA_MODEL
from services.models.weights import INSTALL
from services.settings import Settings
from tests.support.fake_client import FakeClient, FakeRun
from tests.support.pages import button, open_app, texts_of

EXAMPLES = [text.de for text in texts.EXAMPLES]


class WithoutModel(FakeClient):
    def model_name(self) -> str:
        raise NoModel("no language model was found: start Ollama")


def test_who_has_asked_nothing_yet_is_offered_three_questions() -> None:
    fake = FakeClient()
    labels = [found.label for found in open_app(fake).button]
    assert [label for label in labels if label in EXAMPLES] == EXAMPLES
    fake.threads.start("Etwas")
    assert not set(EXAMPLES) & {found.label for found in open_app(fake).button}


def test_a_question_is_one_click_away_and_takes_the_options_along() -> None:
    fake = FakeClient()
    at = open_app(fake)
    at.toggle(key="approve-plan").set_value(False)
    button(at, EXAMPLES[1]).click()
    at.run()
    _, question, collections, options = fake.calls[0]
    assert (question, collections) == (EXAMPLES[1], ["strahlenschutz"])
    assert (options.approve_plan, options.clarify, options.profile) == (False, True, None)
    assert at.query_params["thread"] == "t1"


def test_a_question_that_could_not_be_started_stays_in_its_field() -> None:
    fake = FakeClient()
    at = open_app(fake)
    fake.fail_with = ModelUnavailable("The model does not answer. Start Ollama.")
    button(at, EXAMPLES[0]).click()
    at.run()
    assert "The model does not answer" in at.error[0].value
    assert at.text_area(key="question").value == EXAMPLES[0]


def test_a_profile_can_be_chosen_where_there_are_any() -> None:
    fake = FakeClient()
    assert not open_app(fake).selectbox
    for name in ("careful", "quick"):
        fake.settings.set_parameter("maxDocs", 5, name)
    at = open_app(fake)
    at.selectbox(key="profile").select("quick")
    at.text_area(key="question").input("Was gilt?")
    button(at, "Recherche starten").click()
    at.run()
    assert fake.calls[0][3].profile == "quick"


def test_the_options_show_the_model() -> None:
    at = open_app(FakeClient())
    captions = [caption.value.replace("\\", "") for caption in at.caption]
    assert "Modell qwen3:14b (Ollama)" in captions


def test_a_missing_model_is_named_with_every_way_out() -> None:
    at = open_app(WithoutModel())
    assert "start Ollama" in at.warning[0].value
    ways = "\n".join(found.value for found in at.code)
    for command in (
        INSTALL,
        f"ollama pull {DEFAULT_OLLAMA_MODEL}",
        "RABBITHOLE_LLM=openai:MODEL",
        "RABBITHOLE_LLM=none",
    ):
        assert command in ways
    assert "geprüften Zitaten" in texts_of(at)
    for name in ("LLM", "OLLAMA_URL", "OPENAI_URL"):
        assert f"RABBITHOLE_{name}=" in ways and name.lower() in Settings.model_fields
    assert at.text_area(key="question") and at.session_state[ENGINE]


def test_the_sample_is_one_law() -> None:
    fake = FakeClient(documents=False)
    at = open_app(fake)
    button(at, "Beispielgesetz einlesen").click()
    at.run()
    (path,) = fake.calls[0][1]
    assert path.is_file() and path.name == "StrlSchG.pdf"
    assert {found.label for found in at.button} >= set(EXAMPLES)


class Restless(FakeClient):
    """Somebody else's research is in another state at every second look."""

    looks = 0

    def runs(self) -> list[FakeRun]:
        self.looks += 1
        status = ("running", "queued")[self.looks % 2]
        return [FakeRun(thread_id="theirs", question="Etwas", status=status)]


def test_a_question_is_heard_while_others_go_on() -> None:
    fake = Restless()
    at = open_app(fake)
    at.text_area(key="question").input("Was gilt?")
    button(at, "Recherche starten").click()
    at.run()
    assert fake.calls[0][1] == "Was gilt?"
