"""The kinds of language models that ``RABBITHOLE_LLM`` names, and how their servers are reached."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from services.domain.notices import Notice


class ModelKind(NamedTuple):
    """How ``RABBITHOLE_LLM`` names models of a kind, and how their server is reached.

    ``url_setting`` and ``key_setting`` are fields of `Settings`, "" for a server that Rabbithole
    starts; without ``default_url`` the URL must be set.
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
