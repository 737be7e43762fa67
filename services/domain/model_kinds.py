"""The kinds of language models that ``RABBITHOLE_LLM`` names, and how their servers are reached."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from services.domain.notices import Notice


@dataclass(frozen=True)
class ModelKind:
    """A kind of language model.

    Args:
        form: how ``RABBITHOLE_LLM`` names a model of this kind.
        protocol: what its server speaks; None if there is no server.
        remedy: what to do if its server does not answer.
        url_setting: the field of `Settings` with the URL of its server; "" if Rabbithole starts
            the server.
        key_setting: the field of `Settings` with the key of its server; "" if it takes none.
        default_url: "" if the URL must be given.
    """

    form: str
    protocol: Literal["Ollama", "OpenAI"] | None = None
    remedy: Notice | None = None
    url_setting: str = ""
    key_setting: str = ""
    default_url: str = ""

    @property
    def url_variable(self) -> str:
        return variable(self.url_setting)


def variable(setting: str) -> str:
    """Return the environment variable of a field of `Settings`."""
    return f"RABBITHOLE_{setting.upper()}"


_RESTARTS: Final = Notice.of("its process has stopped, and the next call restarts it")
KINDS: Final[Mapping[str, ModelKind]] = {
    "ollama": ModelKind(
        form="ollama:MODEL",
        protocol="Ollama",
        remedy=Notice.of("start Ollama with `ollama serve`"),
        url_setting="ollama_url",
        default_url="http://127.0.0.1:11434",
    ),
    "openai": ModelKind(
        form="openai:MODEL",
        protocol="OpenAI",
        remedy=Notice.of("start the server or change RABBITHOLE_OPENAI_URL"),
        url_setting="openai_url",
        key_setting="openai_api_key",
    ),
    "gguf": ModelKind(form="gguf:PATH", protocol="OpenAI", remedy=_RESTARTS),
    "embedded": ModelKind(form="embedded", protocol="OpenAI", remedy=_RESTARTS),
    "none": ModelKind(form="none"),
}
SERVERS: Final = {name: kind for name, kind in KINDS.items() if kind.url_setting}
"""The kinds whose server somebody else runs."""
FORMS: Final = ", ".join(kind.form for kind in KINDS.values())
