"""Fetching a document from the web: once, when a person asks, and from public addresses only.

A server can be told by a name to reach its own machine or network. So a name is resolved here,
every address that it has is looked at, and the connection goes to one of those that were looked
at; a redirection begins anew. No proxy is used, and nothing is sent that tells who asks.
"""

import asyncio
import ipaddress
import socket
import ssl
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote

import httpx

from services.domain.collections import web_source
from services.domain.errors import UnreadableDocument
from services.ingestion.extraction import ENDINGS, SUFFIXES, file_name
from services.ingestion.files import Candidate

MOST_BYTES: Final = 100_000_000
LIMIT_S: Final = 60.0
MOST_REDIRECTIONS: Final = 5
_PORTS: Final = {"http": 80, "https": 443}
_HEADERS: Final = {"Accept-Encoding": "identity", "User-Agent": "Rabbithole", "Accept": "*/*"}
_UNTYPED: Final = ("", "application/octet-stream", "binary/octet-stream")
_INTERNET: Final = ipaddress.IPv6Network("2000::/3")
"""All that has been given out of IPv6 for the internet."""
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""Addresses of IPv4 as a translator (NAT64) writes them."""

Resolve = Callable[[str, int], Sequence[str]]
"""The addresses (IPv4 or IPv6) of a host; raises OSError."""


Fetch = Callable[[str, Path], Candidate]
"""Fetches an address into a folder; raises UnreadableDocument."""


@contextmanager
def fetched_files(addresses: Sequence[str], fetch: Fetch) -> Iterator[list[Candidate]]:
    """What lies at addresses, each once, as files for as long as they are read."""
    found: list[Candidate] = []
    with tempfile.TemporaryDirectory() as folder:
        for address in dict.fromkeys(addresses):
            place = Path(tempfile.mkdtemp(dir=folder))
            try:
                found.append(fetch(address, place))
            except UnreadableDocument as error:
                found.append(Candidate(place, error.notice, (address, address)))
        yield found


def is_public(address: str) -> bool:
    """Whether an address is one of the internet: not this machine, a local network, or reserved."""
    found = ipaddress.ip_address(address)
    meant = [found]
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped or found in _TRANSLATED:
            meant = [ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)]
        elif found in _INTERNET:
            meant += filter(None, (found.sixtofour, *(found.teredo or ())))
        else:
            return False
    return all(each.is_global and not each.is_multicast for each in meant)


def resolved(host: str, port: int) -> Sequence[str]:
    """What the system says of a host's addresses."""
    return [str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class Fetcher:
    """Fetches files, each with limits of time (seconds) and size (bytes).

    Args:
        resolve: what a host's addresses are.
        allowed: which of them may be connected to.
    """

    def __init__(
        self,
        *,
        resolve: Resolve = resolved,
        allowed: Callable[[str], bool] = is_public,
        limit_s: float = LIMIT_S,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._resolve, self._allowed = resolve, allowed
        self._limit_s, self._most = limit_s, most_bytes

    def __call__(self, url: str, folder: Path) -> Candidate:
        """Fetch a file into a folder, under a name whose ending says what it is.

        It is known by the address that it came from in the end, and when.

        Raises:
            UnreadableDocument: it cannot be had, or may not; the message says why.
        """
        try:
            return asyncio.run(asyncio.wait_for(self._fetch(url, folder), self._limit_s))
        except TimeoutError:
            raise UnreadableDocument(
                "it took longer than {seconds:g} s; download it, and ingest the file",
                seconds=self._limit_s,
            ) from None

    async def _fetch(self, address: str, folder: Path) -> Candidate:
        url, trusted = httpx.URL(), ssl.create_default_context()
        for _ in range(MOST_REDIRECTIONS + 1):
            url = _joined(url, address)
            try:
                # A new line each time: none is used for another name than it was made for.
                async with httpx.AsyncHTTPTransport(verify=trusted) as line:
                    answer = await line.handle_async_request(self._request(url))
                    if not answer.has_redirect_location:
                        return await self._keep(answer, url, folder)
                    address = answer.headers["Location"]
            except (OSError, httpx.TransportError) as error:
                raise UnreadableDocument(
                    "{host} cannot be reached ({cause}); look whether a browser shows it",
                    host=url.host,
                    cause=(str(error) or type(error).__name__)[:100],
                ) from error
        raise UnreadableDocument(
            "the address leads on more than {most} times; name the one that it ends at",
            most=MOST_REDIRECTIONS,
        )

    def _request(self, url: httpx.URL) -> httpx.Request:
        """What is asked, of an address that was looked at, in the name of the host.

        Raises:
            UnreadableDocument: an address that the host's name stands for is not allowed.
        """
        host = url.raw_host.decode()
        addresses = self._resolve(host, url.port or _PORTS[url.scheme])
        if not addresses or not all(map(self._allowed, addresses)):
            raise UnreadableDocument(
                "{host} is an address of this machine, of a local network, or reserved, and only "
                "public ones are fetched; save the page, and ingest the file",
                host=url.host,
            )
        return httpx.Request(
            "GET",
            url.copy_with(host=addresses[0]),
            headers={"Host": url.netloc.decode(), **_HEADERS},
            extensions={"sni_hostname": host},
        )

    async def _keep(self, answer: httpx.Response, url: httpx.URL, folder: Path) -> Candidate:
        path = folder / _name(answer, url)
        with path.open("wb") as file:
            async for block in answer.aiter_raw():
                if answer.num_bytes_downloaded > self._most:
                    raise UnreadableDocument(
                        "it has more than the {most} MB that are fetched; download it, and ingest "
                        "the file",
                        most=self._most // 1_000_000,
                    )
                file.write(block)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return Candidate(path, None, (path.name, web_source(str(url), now)))


def _name(answer: httpx.Response, url: httpx.URL) -> str:
    """The last part of the address, with an ending that fits the type that is stated."""
    if answer.status_code != 200:
        raise UnreadableDocument(
            "the server answered {status} ({reason}); look whether a browser shows it",
            status=answer.status_code,
            reason=answer.reason_phrase[:100],
        )
    if (encoding := answer.headers.get("Content-Encoding", "identity")) != "identity":
        raise UnreadableDocument(
            "the server sends it packed ({encoding}), which was not asked for; download it "
            "with a browser, and ingest the file",
            encoding=encoding[:100],
        )
    stated = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    last = PurePosixPath(unquote(url.path)).name or url.host
    own = SUFFIXES.get(PurePosixPath(last).suffix.lower())
    if (ending := ENDINGS.get(stated)) is None and not (stated in _UNTYPED and own):
        raise UnreadableDocument(
            "the server sends {type}, which is not read; Rabbithole reads {formats}",
            type=stated or "?",
            formats=", ".join(SUFFIXES),
        )
    # Many servers call CSV and Markdown plain text.
    fits = ending is None or own == SUFFIXES[ending] or (own and stated == "text/plain")
    return file_name(last if fits else f"{last}{ending}")


def _joined(base: httpx.URL, address: str) -> httpx.URL:
    """Where an address leads from another one, without its fragment.

    Raises:
        UnreadableDocument: it is none that may be fetched.
    """
    try:
        url = base.join(address).copy_with(fragment=None)
        named = url.raw_host.decode().encode("idna")  # a part of more than 63 letters is none
        possible = url.scheme in _PORTS and named and (url.port or 0) < 1 << 16
    except (httpx.InvalidURL, ValueError):
        possible = False
    if not possible or url.userinfo:
        raise UnreadableDocument(
            "it is no address that can be fetched: write it as a browser shows it, "
            "https://host/path, without a name or password"
        )
    return url
