"""Choosing a language model in the browser: found, tried, switched without a restart, kept."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine, connect_to
from app.cli.main import main
from app.components.model_choice import PROVIDERS
from services.build import Services
from services.domain import Principal
from services.domain.errors import InvalidInput
from services.domain.model_checks import ModelChoice
from services.settings import Settings
from tests.support.fakes_retrieval import HashEmbedder
from tests.support.library_window import press, shown
from tests.support.ollama_server import OllamaServer
from tests.support.openai_server import OpenAIServer
from tests.support.pages import open_app, texts_of
from tests.support.waiting import until

KEY = "sk-not-for-the-catalog"
ADDRESSES = {name: address for address, name in PROVIDERS.items()}
LM_STUDIO, VLLM, MISTRAL = (ADDRESSES[name] for name in ("LM Studio", "vLLM", "Mistral"))


def open_engine(home: Path, **named: object) -> Engine:
    """A home in which nothing says which model to take, unless ``named`` does."""
    home.mkdir(exist_ok=True)
    services = Services(Settings(home=home, **named), embedder=HashEmbedder)
    return connect_to(services, Principal())


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    with OllamaServer(models=("llama3:8b", "qwen3:14b")) as server:
        yield server


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer('{"answer": "yes"}') as server:
        server.key = KEY
        yield server


@pytest.fixture(autouse=True)
def without_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model comes with the program."""
    for module in ("services.models.setup", "services.models.factory"):
        monkeypatch.setattr(f"{module}.installed_pieces", lambda: None)


def ready(engine: Engine) -> str | None:
    """The name of the model once it is loaded."""
    until(lambda: engine.settings.model_state(warm=True).status in ("ready", "failed"))
    return engine.settings.model_state().name


def errors(at: AppTest) -> list[str]:
    """Errors as they are read, without the escapes of Markdown."""
    return [each.value.replace("\\", "").replace("\u2060", "") for each in at.error]


def at_models(engine: Engine, language: str = "de") -> AppTest:
    return shown(open_app(engine, page="settings", language=language, section="models"))


def chosen_on_page(
    engine: Engine, server: OpenAIServer, key: str, button: str = "use-model"
) -> AppTest:
    at = at_models(engine)
    at.radio(key="setup-kind").set_value("openai").run()
    at.text_input(key="setup-address").input(server.base_url)
    at.text_input(key="setup-key").input(key)
    at.text_input(key="setup-model").input("any")
    return press(at, button)


def test_a_server_is_chosen_tried_and_used_at_once(tmp_path: Path, server: OpenAIServer) -> None:
    home = tmp_path / "home"
    with open_engine(home, ollama_url="http://127.0.0.1:9") as engine:
        at = chosen_on_page(engine, server, "wrong")
        assert errors(at) == ["Der Server lehnt diesen Schlüssel ab."]
        assert engine.settings.model_choice() is None, "nothing is kept of what does not work"
        at.text_input(key="setup-key").input(KEY)
        at.text_input(key="setup-model").input("other")
        at = press(at, "use-model")
        assert errors(at) == ["Der Server hat dieses Modell nicht."]
        assert at.selectbox(key="setup-models").value == "any", "what it has can be chosen"
        press(at, "use-model")
        assert ready(engine) == "openai:any"
        assert ":green[●] Modell openai:any" in texts_of(at_models(engine))
        press(at, "try-model")
        assert at.success and engine.settings.check_model().keeps_form
    kept = home / "secrets.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600 and KEY in kept.read_text()
    assert all(KEY.encode() not in each.read_bytes() for each in home.glob("catalog*"))
    with open_engine(home) as engine:
        assert ready(engine) == "openai:any", "the choice outlives the program"
        engine.settings.choose_model(ModelChoice(llm="none"))
        assert ready(engine) == "none"
        engine.settings.forget_model()
        assert engine.settings.model_plan().source == "found"


def test_the_model_that_was_tested_is_the_one_that_is_used(
    tmp_path: Path, server: OpenAIServer
) -> None:
    server.models = ["all-minilm", "any"]
    with open_engine(tmp_path / "home", ollama_url="http://127.0.0.1:9") as engine:
        press(chosen_on_page(engine, server, KEY, "try-model"), "use-model")
        assert ready(engine) == "openai:any"


def test_a_key_goes_to_its_own_address_alone(tmp_path: Path, server: OpenAIServer) -> None:
    with open_engine(tmp_path / "home") as engine, OpenAIServer() as other:
        chosen_on_page(engine, server, KEY)
        engine.settings.try_model(ModelChoice(llm="openai:any", address=other.base_url))
        assert all(KEY not in str(each) for each in other.headers)
    with OpenAIServer('{"answer": "yes"}') as other, open_engine(
        tmp_path / "home", openai_url=other.base_url
    ) as engine:  # fmt: skip
        assert ready(engine) == "openai:any" and engine.settings.check_model().problem is None
        assert other.requests and all(KEY not in str(each) for each in other.headers)


def test_a_key_of_the_environment_is_not_for_an_address_that_was_chosen(
    tmp_path: Path, server: OpenAIServer
) -> None:
    with open_engine(tmp_path / "home", openai_api_key="sk-environment") as engine:
        choice = ModelChoice(llm="openai:any", address=server.base_url)
        engine.settings.try_model(choice)
        assert engine.settings.choose_model(choice, KEY).problem is None
        assert ready(engine) == "openai:any" and engine.settings.check_model().problem is None
    assert server.requests and "sk-environment" not in str(server.headers)


def test_who_may_not_choose_a_model_has_no_server_asked(
    tmp_path: Path, server: OpenAIServer
) -> None:
    choice = ModelChoice(llm="openai:any", address=server.base_url)
    with open_engine(tmp_path / "home") as engine:
        guest = engine.acting_as(Principal(user="guest")).settings
        for attempt in (
            lambda: guest.try_model(choice),
            lambda: guest.model_offers(server.base_url),
        ):
            with pytest.raises(InvalidInput, match="Only an administrator"):
                attempt()
    assert not server.requests and not server.headers


def test_ollama_is_found_and_its_models_are_offered(tmp_path: Path, ollama: OllamaServer) -> None:
    with open_engine(tmp_path / "home", ollama_url=ollama.url) as engine:
        assert at_models(engine).text_input(key="setup-ollama").disabled, "the environment says it"
    with open_engine(tmp_path / "home") as engine:
        at = at_models(engine)
        at.radio(key="setup-kind").set_value("ollama").run()
        at.text_input(key="setup-ollama").input(ollama.url).run()
        field = at.selectbox(key="setup-ollama-models")
        assert field.options == ["llama3:8b", "qwen3:14b"]
        field.set_value("llama3:8b").run()
        press(at, "use-model")
        assert ready(engine) == "ollama:llama3:8b"
        assert engine.settings.model_plan().address == ollama.url
        at.text_input(key="setup-ollama").input("http://127.0.0.1:9").run()
        assert "Ollama antwortet dort nicht" in texts_of(at)
        refused = errors(press(at, "use-model"))
        assert refused == ["Ollama antwortet unter http://127.0.0.1:9 nicht."]
        assert ready(engine) == "ollama:llama3:8b", "what works stays in use"


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("127.0.0.1", "Geben Sie eine Adresse ein"),
        ("http://127.0.0.1:9/v1", "antwortet"),
        ("http://anna:geheim@127.0.0.1:9/v1", "Benutzer und Kennwort"),
        ("http://127.0.0.1:9/v1, http://127.0.0.1:8/v1", "Proxy"),
    ],
)
def test_what_is_wrong_stands_at_its_field(tmp_path: Path, address: str, told: str) -> None:
    with open_engine(tmp_path / "home") as engine:
        at = at_models(engine)
        at.radio(key="setup-kind").set_value("openai").run()
        at.text_input(key="setup-address").input(address)
        press(at, "use-model")
        trial = at.session_state["setup-trial"]
        assert trial.field == "address" and told in at.error[0].value


def test_a_provider_fills_in_its_address_and_another_server_stays_possible(tmp_path: Path) -> None:
    with open_engine(tmp_path / "home", ollama_url="http://127.0.0.1:9") as engine:
        at = at_models(engine)
        at.radio(key="setup-kind").set_value("openai").run()
        assert at.selectbox(key="setup-provider").value == "", "no provider is preferred"
        at.selectbox(key="setup-provider").set_value(LM_STUDIO).run()
        assert at.text_input(key="setup-address").value == LM_STUDIO
        assert not at.warning, "it runs on this machine"
        at.selectbox(key="setup-provider").set_value(MISTRAL).run()
        assert "nicht auf diesem Rechner" in at.warning[0].value
        at.text_input(key="setup-address").input("http://127.0.0.1:5/v1").run()
        assert at.selectbox(key="setup-provider").value == ""
        at.selectbox(key="setup-provider").set_value(VLLM).run()
        at.selectbox(key="setup-provider").set_value("").run()
        assert at.text_input(key="setup-address").value == ""


@pytest.mark.parametrize(
    ("choice", "hosts"),
    [
        (ModelChoice(llm="none"), []),
        (ModelChoice(llm="ollama:m", address="http://127.0.0.1:11434"), []),
        (ModelChoice(llm="ollama:m", address="http://10.0.0.7:11434"), ["10.0.0.7"]),
        (ModelChoice(llm="openai:m", address=MISTRAL), ["api.mistral.ai"]),
    ],
)
def test_settings_say_what_leaves_the_machine(
    tmp_path: Path, choice: ModelChoice, hosts: list[str]
) -> None:
    with open_engine(tmp_path / "home") as engine:
        engine._services.choices.store(choice)
        at = shown(open_app(engine, page="settings", language="de", section="program"))
        assert list(engine.settings.remote_servers().values()) == hosts
        assert bool(at.success) is not bool(hosts)
        assert all(host in at.warning[0].value.replace("\\", "") for host in hosts)


def test_the_environment_counts_before_a_choice_and_says_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_engine(home) as engine:
        engine.settings.choose_model(ModelChoice(llm="none"))
    with open_engine(home, llm="ollama:qwen3:14b") as engine:
        at = at_models(engine)
        assert "RABBITHOLE_LLM` = **ollama:qwen3:14b" in texts_of(at).replace("\u2060", "")
        assert not [each for each in at.button if each.key == "use-model"]
        with pytest.raises(InvalidInput, match="overrides any choice"):
            engine.settings.choose_model(ModelChoice(llm="none"))
    env = {"RABBITHOLE_HOME": str(home), "RABBITHOLE_LLM": ""}
    said = CliRunner().invoke(main, ["config", "show", "--json"], env=env).stdout
    assert json.loads(said)["model"] == {"llm": "none", "source": "chosen", "address": None}
    text = CliRunner().invoke(main, ["config", "show"], env=env).stdout
    assert "model: none (chosen in the settings)" in text


def test_others_than_admins_choose_nothing(tmp_path: Path) -> None:
    with open_engine(tmp_path / "home") as engine:
        anna = engine.acting_as(Principal(user="anna"))
        assert "Nur Administratoren" in at_models(anna).info[0].value
        with pytest.raises(InvalidInput, match="admin"):
            anna.settings.choose_model(ModelChoice(llm="none"))
