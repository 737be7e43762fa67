"""Settings from the environment (``RABBITHOLE_*``). Read once, passed in everywhere."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Literal

from platformdirs import user_cache_path, user_data_path
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from services.domain.model_kinds import SERVERS
from services.secrets import one_url, without_login

PATIENCE = 10
"""How many times as long a model may take where the same question must give the same answer."""

FOLDER = "RABBITHOLE_FOLDER"
"""Tells the app's server where it was started: models may be named by a relative path."""

WORKING_COPY = Path(__file__).resolve().parent.parent
"""The folder that holds the packages, also in an installation."""


class Settings(BaseSettings):
    """Everything that may differ between installations; thresholds of the method do not.

    ``user`` and ``role`` describe the person at the browser unless ``login`` names a login file;
    commands have ``--user``. URLs are secret because they may contain passwords, and that of a
    model server must not name several (InvalidInput). Without ``context_tokens`` the model's own
    window applies.
    """

    model_config = SettingsConfigDict(
        env_prefix="RABBITHOLE_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    home: Path = Field(default_factory=lambda: default_home())
    llm: str | None = None
    ollama_url: SecretStr = SecretStr(SERVERS["ollama"].default_url)
    openai_url: SecretStr | None = None
    openai_api_key: SecretStr | None = None
    context_tokens: int | None = Field(default=None, ge=2048)
    model_deadline_s: float = Field(default=120.0, gt=0)
    model_first_word_s: float = Field(default=30.0, gt=0)
    reads: Literal["auto", "yes", "no"] = "auto"
    deterministic: bool = False
    summaries: bool = True
    record_replies: bool = True
    keep_days: int = Field(default=90, ge=0)
    telemetry: str | None = None
    telemetry_text: bool = False
    database: SecretStr | None = None
    vectors: Literal["chroma", "postgres"] = "chroma"
    lexical: Literal["tantivy", "postgres"] = "tantivy"
    embedding: str = "bundled"
    cross_encoder: str | None = None
    k: int = Field(default=10, ge=1, le=100)
    admins: tuple[str, ...] = ("local",)
    login: Path | None = None
    user: str = Field(default="local", min_length=1)
    role: Literal["user", "admin"] = "user"
    max_parallel_tasks: int = Field(default=2, ge=1)
    worker_runs: int = Field(default=8, ge=1)
    person_runs: int = Field(default=4, ge=1)
    parse_timeout_s: float = Field(default=120.0, gt=0)
    parse_memory_mb: int = Field(default=2048, ge=256)
    pdf_reader: Literal["pdfium", "docling"] = "pdfium"
    ocr_pages: int = Field(default=200, ge=0)
    api_requests_per_minute: int = Field(default=600, ge=1)
    api_threads_at_once: int = Field(default=20, ge=1)
    api_upload_mb: int = Field(default=100, ge=1)
    samples: Path = WORKING_COPY / "kb" / "samples"

    @field_validator(*(server.url_setting for server in SERVERS.values()))
    @classmethod
    def _one_server(cls, url: SecretStr | None) -> SecretStr | None:
        return url and SecretStr(one_url(url.get_secret_value()))

    @property
    def catalog_url(self) -> str:
        """SQLAlchemy URL of the catalog."""
        if self.database:
            return self.database.get_secret_value()
        return f"sqlite:///{self.home / 'catalog.sqlite3'}"

    @property
    def shared(self) -> bool:
        """Whether several processes may work in the home: all its stores are on a server."""
        on_server = self.catalog_url.startswith("postgresql")
        return on_server and self.vectors == self.lexical == "postgres"

    @property
    def model_address(self) -> str | None:
        """The URL of the language model's server without a password; None if there is no server."""
        url = self.server_url((self.llm or "ollama").partition(":")[0].strip())
        return without_login(url) if url else None

    def server_url(self, kind: str) -> str:
        """Return the URL of the server of a kind of model, with its password; "" without one."""
        setting = SERVERS[kind].url_setting if kind in SERVERS else ""
        url: SecretStr | None = getattr(self, setting, None)
        return url.get_secret_value() if url else ""

    def server_key(self, kind: str) -> SecretStr | None:
        """Return the key of the server of a kind of model; None without one."""
        key: SecretStr | None = getattr(self, SERVERS[kind].key_setting, None)
        return key

    @property
    def call_deadline_s(self) -> float:
        """Seconds for one call of the model; more if a busy machine must not change the answer."""
        return self.model_deadline_s * (PATIENCE if self.deterministic else 1)

    @property
    def first_word_s(self) -> float:
        """Seconds for which the model's server may send nothing; more if deterministic, too."""
        return self.model_first_word_s * (PATIENCE if self.deterministic else 1)

    @property
    def checkpoints_path(self) -> Path:
        return self.home / "checkpoints.sqlite3"

    @property
    def cache_dir(self) -> Path:
        """Where joined model weights are kept, shared by all homes."""
        return user_cache_path("rabbithole")


def default_home(root: Path = WORKING_COPY) -> Path:
    """Return ``kb/database`` of a writable working copy, else the user's data folder."""
    candidate = root / "kb" / "database"
    if (root / "pyproject.toml").exists():  # not in an installation
        with suppress(OSError):  # not writable
            candidate.mkdir(exist_ok=True)
            if os.access(candidate, os.W_OK):
                return candidate
    return user_data_path("rabbithole")
