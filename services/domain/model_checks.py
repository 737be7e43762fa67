"""The language model in use, those that can be chosen, and results of testing models."""

from collections import Counter
from typing import Final, Literal, Self

from pydantic import Field

from services.domain.notices import Notice
from services.domain.value import Value


class ModelCheck(Value):
    """What a trial of the language model showed; times in seconds, None where nothing came.

    ``first_token_s`` counts from the request to the first text, ``tokens_per_s`` after that.
    ``keeps_form`` tells whether it answered in a given JSON schema.
    """

    model: str
    context_tokens: int | None = None
    prompt_tokens_per_s: float | None = None
    first_token_s: float | None = None
    tokens_per_s: float | None = None
    keeps_form: bool = False
    problem: Notice | None = None


ModelSource = Literal["environment", "chosen", "found"]
ModelField = Literal["address", "key", "model"]


class ModelChoice(Value):
    """A language model as a person chose it; ``address`` has no password, None for the usual."""

    llm: str
    address: str | None = None

    @property
    def kind(self) -> str:
        return self.llm.partition(":")[0].strip()


class ModelPlan(Value):
    """Which model the next answer asks for, and who said so; None where it is looked for."""

    llm: str | None
    source: ModelSource
    address: str | None = None


class ModelState(Value):
    """How the language model is. ``problem`` says why there is none, and the way out."""

    status: Literal["unasked", "loading", "ready", "failed"]
    name: str | None = None
    problem: Notice | None = None


class ModelOffers(Value):
    """What can be chosen; ``ollama`` is None where none answers, ``fixed`` are set addresses."""

    address: str
    ollama: tuple[str, ...] | None
    embedded: bool
    install: str
    fixed: dict[str, str] = Field(default_factory=dict)


ServerUse = Literal["model", "embedding", "database", "telemetry"]
"""What a server is used for that receives texts."""


class ModelServer(Value):
    """Of an address: whether it is on this machine, and whether a key is kept for it."""

    here: bool
    keyed: bool


class ModelTrial(Value):
    """A choice that was tried; ``field`` is what a person has to correct, if anything."""

    check: ModelCheck | None = None
    problem: Notice | None = None
    field: ModelField | None = None
    known: tuple[str, ...] = ()


ItemKind = Literal["read", "decline", "verify"]

MOST_WRONG: Final = 1
"""Items of each kind that a model which reads may get wrong."""


class ItemResult(Value):
    """What a model replied to an item; ``problem`` says why that is wrong, None if it is right."""

    kind: ItemKind
    language: str
    question: str
    reply: str
    problem: Notice | None = None


class ReadingTestResult(Value):
    """The result of a reading test: whether the model ``passed``, None if that is unknown.

    ``digest`` is that of the model's file where its server tells it. ``items`` are there where this
    home tested it, ``at`` seconds since 1970; without a result they are those of a test that was
    interrupted. ``problem`` says why the last test, of ``tried_at``, failed; an earlier result
    stays.
    """

    model: str
    digest: str = ""
    passed: bool | None = None
    items: tuple[ItemResult, ...] = ()
    at: float | None = None
    tried_at: float | None = None
    problem: Notice | None = None

    @classmethod
    def of(cls, model: str, digest: str, items: tuple[ItemResult, ...], at: float) -> Self:
        wrong = Counter(item.kind for item in items if item.problem is not None)
        passed = all(count <= MOST_WRONG for count in wrong.values())
        return cls(model=model, digest=digest, passed=passed, items=items, at=at)


Reads = Literal["auto", "yes", "no"]


class ModelReading(ReadingTestResult):
    """The same, with what is set (``RABBITHOLE_READS``) and whether the model reads therefore."""

    setting: Reads
    reads: bool


class EmbedderCheck(Value):
    """What a trial of the embedding model showed; ``max_tokens`` of a passage are seen whole.

    ``foreign`` names readable collections that another embedding model indexed.
    """

    fingerprint: str
    dimension: int
    max_tokens: int
    query_ms: float
    foreign: tuple[str, ...] = ()
