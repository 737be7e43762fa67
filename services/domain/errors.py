"""One tree of errors, split by what the caller does next.

RabbitholeError
├── TryAgain            the same call may succeed later
│   ├── ModelUnavailable    the endpoint is down or answered 5xx
│   │   ├── ModelBusy           it asks to be left alone for longer than the caller waits
│   │   └── ModelSilent         it takes the request and says nothing
│   ├── ModelTimeout        the deadline passed
│   ├── StoresBusy          another process owns the stores and does not answer
│   │   └── DatabaseAway        the server with the catalog does not answer
│   ├── TooManyRequests     a program asks faster than the settings allow
│   └── Interrupted         this process is ending; the next one does the work again
├── AskPerson           a person must change the input or the set-up
│   ├── InvalidInput        a value is out of range or malformed
│   ├── UnreadableDocument  one file cannot be ingested; others can
│   ├── NotFound            the named thing does not exist or may not be seen
│   ├── Unauthorized        a program shows no token that holds
│   ├── Forbidden           its token does not suffice for this
│   ├── TooLarge            what it sends is more than the settings allow
│   ├── NoModel             no language model is configured or reachable
│   ├── EmbeddingMismatch   the collection was indexed with another embedding model
│   ├── AlreadyAnswered     another answer to this question came first
│   └── IncompatibleThread  the thread was written by an incompatible version
├── BadGeneration       the model answered, but not usably; the task falls back
│   ├── TruncatedGeneration the model stopped for length
│   ├── InvalidGeneration   not the requested schema, or in the wrong language
│   │   └── NoAnswer            broken off, empty or thoughts alone: the server's fault
│   │       ├── EmptyStream         it ended before its first line
│   │       └── RequestRefused      the server does not take a parameter of the request
│   └── PromptTooLong       the prompt does not fit the context
└── Broken              nothing the caller does helps: report and stop
    ├── CorruptCatalog      the catalog cannot be read
    └── CorruptWeights      a model file has the wrong checksum

Every message says what happened and how to go on. It is a template with named fields, so that it
can be told in the reader's language: ``raise NotFound("There is no thread {name}.", name=name)``.
"""

import re
from typing import Final

from services.domain.notices import Notice

_BEFORE_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")


class RabbitholeError(Exception):
    """Base of all errors that Rabbithole raises on purpose; ``str`` is the English sentence."""

    def __init__(self, message: str | Notice, /, **fields: object) -> None:
        self.notice = Notice.of(message, **fields) if isinstance(message, str) else message
        super().__init__(str(self.notice))

    @property
    def code(self) -> str:
        """The name of the class, such as ``not-found``."""
        return _BEFORE_CAPITAL.sub("-", type(self).__name__).lower()


class TryAgain(RabbitholeError): ...


class ModelUnavailable(TryAgain): ...


class ModelBusy(ModelUnavailable): ...


class ModelSilent(ModelUnavailable): ...


class ModelTimeout(TryAgain): ...


class StoresBusy(TryAgain): ...


class DatabaseAway(StoresBusy): ...


class TooManyRequests(TryAgain): ...


class Interrupted(TryAgain): ...


class AskPerson(RabbitholeError): ...


class InvalidInput(AskPerson): ...


class UnreadableDocument(AskPerson): ...


class NotFound(AskPerson): ...


class Unauthorized(AskPerson): ...


class Forbidden(AskPerson): ...


class TooLarge(AskPerson): ...


class NoModel(AskPerson): ...


class EmbeddingMismatch(AskPerson): ...


class AlreadyAnswered(AskPerson): ...


class IncompatibleThread(AskPerson): ...


class BadGeneration(RabbitholeError): ...


class TruncatedGeneration(BadGeneration): ...


class InvalidGeneration(BadGeneration): ...


class NoAnswer(InvalidGeneration): ...


class EmptyStream(NoAnswer): ...


class RequestRefused(NoAnswer): ...


class PromptTooLong(BadGeneration): ...


class Broken(RabbitholeError): ...


class CorruptCatalog(Broken): ...


class CorruptWeights(Broken): ...


def error_class(name: str | None) -> type[RabbitholeError]:
    """Return the class of that name; the base class if there is none in this version."""
    kind = globals().get(name or "")
    if isinstance(kind, type) and issubclass(kind, RabbitholeError):
        return kind
    return RabbitholeError
