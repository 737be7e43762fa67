"""Which model the settings lead to."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from services.domain.errors import InvalidInput, NoModel
from services.domain.model_checks import ModelChoice
from services.domain.model_kinds import KINDS, SERVERS, ModelKind
from services.models.embedded import installed_pieces
from services.models.factory import make_model, window
from services.models.ollama import OllamaModel
from services.models.openai_compatible import listed_models
from services.models.setup import vet_choice
from services.settings import Settings
from tests.support.ollama_server import OllamaServer
from tests.support.openai_server import OpenAIServer


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    with OllamaServer(models=("qwen3:14b", "tiny:latest"), trained_context=4096) as server:
        yield server


@pytest.fixture
def closed_port() -> str:
    """A loopback URL where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture
def without_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.models.factory.installed_pieces", lambda: None)


@pytest.mark.parametrize("llm", ["", "gpt", "ollama", "ollama:", "embedded:x", "none:x", "gguf:"])
async def test_unknown_forms_are_refused_with_the_known_ones(llm: str) -> None:
    with pytest.raises(InvalidInput, match=r"ollama:MODEL.*gguf:PATH"):
        await make_model(Settings(llm=llm))


@pytest.mark.parametrize(
    ("llm", "name"),
    [
        (None, "ollama:qwen3:14b"),
        ("ollama:qwen3:14b", "ollama:qwen3:14b"),
        ("ollama:tiny", "ollama:tiny:latest"),
    ],
)
async def test_ollama(ollama: OllamaServer, llm: str | None, name: str) -> None:
    model = await make_model(Settings(llm=llm, ollama_url=ollama.url, context_tokens=8192))
    assert model is not None
    assert model.name == name
    assert model.context_tokens == 4096  # what it was trained for, since that is less


async def test_a_missing_ollama_model_names_those_that_are_there(ollama: OllamaServer) -> None:
    with pytest.raises(NoModel, match=r"ollama pull llama9:1b.*qwen3:14b, tiny:latest"):
        await make_model(Settings(llm="ollama:llama9:1b", ollama_url=ollama.url))


@pytest.mark.parametrize(
    ("llm", "path", "message"),
    [
        ("ollama:qwen3:14b", "", r"ollama serve.*RABBITHOLE_LLM=embedded"),
        (None, "", r"ollama pull qwen3:14b.*rabbithole\[embedded\]"),
        ("openai:m", None, "RABBITHOLE_OPENAI_URL"),
        ("openai:m", "/v1", "nothing responds"),
        ("gguf:/nowhere.gguf", None, r"nowhere\.gguf"),
    ],
)
@pytest.mark.usefixtures("without_embedded")
async def test_what_is_not_there_names_the_ways_out(
    closed_port: str, llm: str | None, path: str | None, message: str
) -> None:
    url = None if path is None else closed_port + path
    settings = Settings(llm=llm, ollama_url=closed_port, openai_url=url)
    with pytest.raises(NoModel, match=message):
        await make_model(settings)


@pytest.mark.usefixtures("without_embedded")
async def test_only_what_answers_as_it_should_is_taken() -> None:
    assert await make_model(Settings(llm="none")) is None
    with OpenAIServer() as server:
        model = await make_model(Settings(llm="openai:m", openai_url=server.base_url))
        assert model is not None and model.name == "openai:m"
        with pytest.raises(NoModel, match="Ollama does not respond"):
            await make_model(Settings(llm="ollama:qwen3:14b", ollama_url=server.url))
    with OllamaServer(models=("tiny:latest",)) as ollama, pytest.raises(NoModel, match="pull"):
        await make_model(Settings(llm=None, ollama_url=ollama.url))


@pytest.mark.parametrize("between", [" ", ",", ", ", "\n"])
@pytest.mark.parametrize("name", ["ollama_url", "openai_url"])
def test_several_addresses_are_refused_and_a_proxy_is_named(name: str, between: str) -> None:
    urls = between.join(["http://one:1", "http://anna:ge,heim@two:2"])
    with pytest.raises(InvalidInput, match=r"several model servers.*proxy") as refused:
        Settings(**{name: urls})
    assert "http://two:2" in str(refused.value) and "heim" not in str(refused.value)


async def test_several_addresses_that_were_chosen_before_are_refused_too() -> None:
    chosen = {"llm": "openai:m", "openai_url": SecretStr("http://one:1 http://two:2")}
    with pytest.raises(InvalidInput, match="several model servers"):
        await make_model(Settings().model_copy(update=chosen))


async def test_an_address_may_have_blanks_and_commas_around_it(ollama: OllamaServer) -> None:
    model = await make_model(Settings(ollama_url=f" {ollama.url}, "))
    assert isinstance(model, OllamaModel)


def test_the_settings_have_the_fields_of_every_kind_of_server() -> None:
    named = {name for kind in SERVERS.values() for name in (kind.url_setting, kind.key_setting)}
    assert named - {""} <= Settings.model_fields.keys()


async def test_one_entry_makes_a_new_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    class Extended(Settings):
        new_url: SecretStr | None = None
        new_key: SecretStr | None = None

    kind = ModelKind("new:MODEL", protocol="OpenAI", url_setting="new_url", key_setting="new_key")
    for table in (KINDS, SERVERS):
        monkeypatch.setitem(table, "new", kind)  # type: ignore[arg-type]
    with pytest.raises(NoModel, match="needs RABBITHOLE_NEW_URL"):
        await make_model(Extended(llm="new:any"))
    with OpenAIServer() as server:
        settings = Extended(llm="new:any", new_url=server.base_url, new_key="wrong")
        model = await make_model(settings)
        choice = ModelChoice(llm="new:any", address=server.base_url)
        assert (await vet_choice(choice, settings)).problem is None
    assert model is not None and model.name == "new:any"


@pytest.mark.skipif(installed_pieces() is None, reason="the extra 'embedded' is not installed")
async def test_a_broken_gguf_file_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(1000))
    with pytest.raises(NoModel, match=r"cannot load .*broken\.gguf"):
        await make_model(Settings(llm=f"gguf:{broken}"))


def test_importing_the_package_stays_light() -> None:
    modules = sorted(
        path.stem for path in Path("services/models").glob("*.py") if path.stem != "__init__"
    )
    code = (
        f"import sys, importlib\n"
        f"for m in {modules!r}: importlib.import_module('services.models.' + m)\n"
        "heavy = {'langchain_core', 'langchain_ollama', 'langchain_openai', 'openai', 'ollama', "
        "'xllamacpp', 'torch', 'py3langid'} & set(sys.modules)\nprint(sorted(heavy))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("entry", "chosen", "tokens"),
    [
        ({"context_length": 32_768}, None, 16_384),
        ({"max_model_len": 4_096}, None, 4_096),
        ({"meta": {"n_ctx": 12_000}}, 32_000, 12_000),
        ({"context_window": 131_072}, 32_000, 32_000),
        ({}, None, 8_192),
        ({"context_length": "wide"}, None, 8_192),
    ],
)
def test_the_window_is_that_of_the_server_and_what_is_set(
    entry: dict[str, object], chosen: int | None, tokens: int
) -> None:
    listed = httpx.Response(200, json={"data": [{"id": "other"}, {"id": "m", **entry}]})
    settings = Settings(context_tokens=chosen)
    assert window(settings, listed_models(listed)["m"]) == tokens
