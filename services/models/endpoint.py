"""How this package speaks HTTP: to whom directly, and what a refusal means."""

import ipaddress
import logging
from urllib.parse import urlsplit

from pydantic import SecretStr

from services.domain.errors import (
    EmptyStream,
    ModelBusy,
    ModelUnavailable,
    NoAnswer,
    NoModel,
    PromptTooLong,
    RabbitholeError,
    RequestRefused,
)
from services.domain.notices import Notice
from services.secrets import passwords_in, scrubbed, shown

CONNECT_TIMEOUT_S = 5.0
"""Reading has no timeout of its own: the deadline of the request bounds it."""

CLOSE_AFTER_REQUEST = {"Connection": "close"}
"""A pooled connection belongs to one event loop and may have gone stale; a new one on the
same machine costs less than a millisecond."""

_CONTEXT_WORDS = ("context length", "context size", "context window", "context_length")
LEAST_LIKELY = 8
"""Characters of a secret that no model writes by chance."""
_TEMPORARY = (408, 409, 425, 429)
_MALFORMED = (400, 422)

for _library in ("httpx", "httpx2"):  # at INFO they log every URL with its password
    logging.getLogger(_library).setLevel(logging.WARNING)


def is_loopback(url: str) -> bool:
    """Whether ``url`` stays on this machine; such calls bypass any configured proxy."""
    try:
        host = urlsplit(url).hostname or ""
        if host == "localhost":
            return True
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Endpoint:
    """Turns what goes wrong with an endpoint into errors that say how to go on.

    ``remedy`` is what to do when nobody answers there, ``protocol`` what it should speak.
    """

    def __init__(
        self, name: str, url: str, *, remedy: str, protocol: str, key: SecretStr | None = None
    ) -> None:
        self.name = name
        self.url = shown(url)
        self._secrets = passwords_in(url) | ({key.get_secret_value()} if key else set())
        self._remedy = remedy
        self._protocol = protocol

    def scrubbed(self, said: str) -> str:
        """What it says of itself, without the secrets that it was sent."""
        return scrubbed(said, self._secrets)

    def answer(self, text: str) -> str:
        """What its model says without them; a word of the language is none, though a password."""
        return scrubbed(text, (each for each in self._secrets if len(each) >= LEAST_LIKELY))

    def lost(self, begun: bool) -> RabbitholeError:
        """The connection failed; ``begun`` when a part of the answer had already come."""
        if begun:
            return NoAnswer("{name} broke off in the middle; try again", name=self.name)
        return ModelUnavailable(
            "{name} cannot be reached at {url}; {way}",
            name=self.name,
            url=self.url,
            way=self._remedy,
        )

    def garbage(self, error: Exception, begun: bool) -> RabbitholeError:
        """The client library could not make sense of the stream.

        It raises a plain ValueError, and nothing more telling, for a stream without a line.
        """
        if type(error) is ValueError and not begun:
            return EmptyStream(
                "{name} sent an empty stream; check what listens at {url}",
                name=self.name,
                url=self.url,
            )
        return ModelUnavailable(
            "{name} sent what is not {protocol} ({error}); check what listens at {url}",
            name=self.name,
            protocol=self._protocol,
            error=type(error).__name__,
            url=self.url,
        )

    def refused(
        self, status: int | None, message: str, retry_after_s: float | None = None
    ) -> RabbitholeError:
        """It answered with an HTTP error status.

        ``status`` is None or negative when the error came inside a stream that began well,
        ``retry_after_s`` what the server says of the next try.
        """
        said = " ".join(self.scrubbed(message).split())[:300]
        if any(words in message.lower() for words in _CONTEXT_WORDS):
            return PromptTooLong(
                "{name} says that the prompt is too long: {said}; set RABBITHOLE_CONTEXT_TOKENS to "
                "what it takes",
                name=self.name,
                said=said,
            )
        if status in (401, 403):
            return NoModel(
                "{name} refuses the key (HTTP {status}); check RABBITHOLE_OPENAI_API_KEY",
                name=self.name,
                status=status,
            )
        if status == 404:
            return NoModel(
                "{name} is not there (HTTP 404: {said}); pull it or name another model",
                name=self.name,
                said=said,
            )
        if status is not None and 400 <= status < 500 and status not in _TEMPORARY:
            refusal = Notice.of(
                "{name} refused the request (HTTP {status}): {said}; use another model or server",
                name=self.name,
                status=status,
                said=said,
            )
            return RequestRefused(refusal) if status in _MALFORMED else NoAnswer(refusal)
        if retry_after_s is not None:
            return ModelBusy(
                "{name} at {url} takes no request for {seconds:g} s (HTTP {status}); try again "
                "later",
                name=self.name,
                url=self.url,
                seconds=retry_after_s,
                status=status,
            )
        how = f"HTTP {status}" if status is not None and status > 0 else "an error in its stream"
        return ModelUnavailable(
            "{name} at {url} answered with {how}: {said}; try again later",
            name=self.name,
            url=self.url,
            how=how,
            said=said,
        )
