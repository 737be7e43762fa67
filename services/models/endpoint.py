"""Endpoints of models: short requests, fair turns, and errors that say how to go on."""

import asyncio
import ipaddress
import logging
import ssl
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import cache
from urllib.parse import urlsplit

import httpx
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
from services.domain.model_kinds import ModelKind, variable
from services.domain.notices import Notice
from services.secrets import passwords_in, scrubbed, without_login

CONNECT_TIMEOUT_S = 5.0
"""Reading has no timeout of its own: the deadline of the request bounds it."""
CLOSE_AFTER_REQUEST = {"Connection": "close"}
"""A pooled connection belongs to one event loop and may have gone stale; a new one is quick."""
LEAST_LIKELY = 8
"""Characters of a secret that no model writes by chance."""
_CONTEXT_WORDS = ("context length", "context size", "context window", "context_length")
_TEMPORARY = (408, 409, 425, 429)
_MALFORMED = (400, 422)

for _library in ("httpx", "httpx2"):  # at INFO they log every URL with its password
    logging.getLogger(_library).setLevel(logging.WARNING)


def is_loopback(url: str) -> bool:
    """Return whether ``url`` stays on this machine; such calls bypass any configured proxy."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@cache
def certificates() -> ssl.SSLContext:
    """Return the authorities that every TLS connection trusts: they take 30 ms to load."""
    return httpx.create_ssl_context()


async def send(
    url: str,
    method: str,
    path: str,
    body: Mapping[str, object] | None = None,
    *,
    key: SecretStr | None = None,
    time_limit: float | httpx.Timeout = CONNECT_TIMEOUT_S,
) -> httpx.Response | None:
    """Return a server's response, whatever its status; None if nothing there speaks HTTP."""
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    async with httpx.AsyncClient(
        timeout=time_limit, trust_env=not is_loopback(url), verify=certificates()
    ) as client:
        with suppress(httpx.HTTPError, httpx.InvalidURL, UnicodeError):
            return await client.request(method, url.rstrip("/") + path, json=body, headers=headers)
    return None


class FairSemaphore:
    """Lets ``slots`` calls run at once; callers take turns, each with its calls in order."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def turn(self, caller: str) -> AsyncIterator[None]:
        """Wait for a turn of this caller and hold it until the end of the block."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(caller)
        try:
            yield
        finally:
            self._release()

    async def _wait(self, caller: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # its turn came at the same moment
                self._release()
            raise

    def _release(self) -> None:
        """Pass the slot on; a caller who waits with more calls goes to the end of the line."""
        while self._waiting:
            caller = next(iter(self._waiting))
            calls = self._waiting.pop(caller)
            turn = calls.popleft()
            if calls:
                self._waiting[caller] = calls
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class Endpoint:
    """Translates failures of a model server into errors that say how to go on.

    ``kind`` says what the server should speak and which setting holds its ``key`` or login;
    ``remedy`` is what to do if it does not answer, by default that of its kind.
    """

    def __init__(
        self,
        name: str,
        url: str,
        kind: ModelKind,
        *,
        key: SecretStr | None = None,
        remedy: Notice | None = None,
    ) -> None:
        self.name = name
        self.url = without_login(url)
        self._secrets = passwords_in(url) | ({key.get_secret_value()} if key else set())
        self._kind = kind
        self._remedy = remedy or kind.remedy

    def scrub(self, message: str) -> str:
        """Return a server's message without the secrets that were sent to it."""
        return scrubbed(message, self._secrets)

    def scrub_answer(self, text: str) -> str:
        """Return a model's text without secrets; a short one may be an ordinary word and stays."""
        return scrubbed(text, (secret for secret in self._secrets if len(secret) >= LEAST_LIKELY))

    def connection_lost(self, begun: bool) -> RabbitholeError:
        """Return the error for a lost connection; ``begun`` if the answer had started."""
        if begun:
            return NoAnswer("{name} stopped in the middle of its answer; try again", name=self.name)
        return ModelUnavailable(
            "{name} cannot be reached at {url}; {remedy}",
            name=self.name,
            url=self.url,
            remedy=self._remedy,
        )

    def unparsable(self, error: Exception, begun: bool) -> RabbitholeError:
        """Return the error for a stream that the client library cannot parse.

        For an empty stream the library raises a plain ValueError.
        """
        if type(error) is ValueError and not begun:
            return EmptyStream(
                "{name} sent an empty stream; check which program listens at {url}",
                name=self.name,
                url=self.url,
            )
        return ModelUnavailable(
            "{name} sent something other than {protocol}'s protocol ({error}); check which program "
            "listens at {url}",
            name=self.name,
            protocol=self._kind.protocol,
            error=type(error).__name__,
            url=self.url,
        )

    def status_error(
        self, status: int | None, message: str, retry_after_s: float | None = None
    ) -> RabbitholeError:
        """Return the error for an HTTP error status, None or negative for one inside a stream.

        ``retry_after_s`` is the pause that the server asks for.
        """
        reply = " ".join(self.scrub(message).split())[:300]
        name, url = self.name, self.url
        if any(words in message.lower() for words in _CONTEXT_WORDS):
            return PromptTooLong(
                "{name} says that the prompt is too long: {said}; set RABBITHOLE_CONTEXT_TOKENS to "
                "the model's limit",
                name=name,
                said=reply,
            )
        if status in (401, 403):
            return NoModel(
                "{name} rejected the key (HTTP {status}); check {variable}",
                name=name,
                variable=variable(self._kind.key_setting or self._kind.url_setting),
                status=status,
            )
        if status == 404:
            return NoModel(
                "{name} was not found (HTTP 404: {said}); pull it or choose another model",
                name=name,
                said=reply,
            )
        if status is not None and 400 <= status < 500 and status not in _TEMPORARY:
            refusal = Notice.of(
                "{name} refused the request (HTTP {status}): {said}; use another model or server",
                name=name,
                status=status,
                said=reply,
            )
            return RequestRefused(refusal) if status in _MALFORMED else NoAnswer(refusal)
        if retry_after_s is not None:
            return ModelBusy(
                "{name} at {url} will accept no requests for the next {seconds:g} s (HTTP "
                "{status}); try again later",
                name=name,
                url=url,
                seconds=retry_after_s,
                status=status,
            )
        how = f"HTTP {status}" if status is not None and status > 0 else "an error in its stream"
        return ModelUnavailable(
            "{name} at {url} answered with {how}: {said}; try again later",
            name=name,
            url=url,
            how=how,
            said=reply,
        )
