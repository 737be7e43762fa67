"""Fetching a document from the web: once, when a person asks, and from public addresses only.

A server can be told by a name to reach its own machine or network. So a name is resolved here,
every address that it has is looked at, and the connection goes to one of those that were looked
at; a redirection begins anew. No proxy is used, and nothing is sent that tells who asks.
"""

import http.client
import ipaddress
import socket
import ssl
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit, urlunsplit

from services.domain.collections import web_source
from services.domain.errors import UnreadableDocument
from services.ingestion.extraction import ENDINGS, SUFFIXES, file_name
from services.ingestion.files import Candidate

MOST_BYTES: Final = 100_000_000
LIMIT_S: Final = 60.0
MOST_REDIRECTIONS: Final = 5
_BLOCK: Final = 1 << 16
_MOVED: Final = (301, 302, 303, 307, 308)
_PORTS: Final = {"http": 80, "https": 443}
_HEADERS: Final = {"Accept-Encoding": "identity", "User-Agent": "Rabbithole", "Accept": "*/*"}
_SENT: Final = "%/:=&?~+!$,;'@()*[]"
"""What stands in an address as it is, beside letters and digits."""
_UNTYPED: Final = ("", "application/octet-stream", "binary/octet-stream")

Resolve = Callable[[str, int], Sequence[str]]
"""The addresses (IPv4 or IPv6) of a host; raises OSError."""


@dataclass(frozen=True)
class Fetched:
    """A file that was fetched: from which address in the end, and when (ISO 8601)."""

    path: Path
    url: str
    fetched_at: str


Fetch = Callable[[str, Path], Fetched]
"""Fetches an address into a folder; raises UnreadableDocument."""


@contextmanager
def fetched_files(addresses: Sequence[str], fetch: Fetch) -> Iterator[list[Candidate]]:
    """What lies at addresses, each once, as files for as long as they are read."""
    with tempfile.TemporaryDirectory() as folder:
        yield [
            _file_at(address, fetch, Path(folder, str(number)))
            for number, address in enumerate(dict.fromkeys(addresses))
        ]


def _file_at(address: str, fetch: Fetch, folder: Path) -> Candidate:
    folder.mkdir()
    try:
        got = fetch(address, folder)
    except UnreadableDocument as error:
        return Candidate(folder, error.notice, (address, address))
    return Candidate(got.path, None, (got.path.name, web_source(got.url, got.fetched_at)))


def is_public(address: str) -> bool:
    """Whether an address is one of the internet: not this machine, a local network, or reserved."""
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        inside = [found.ipv4_mapped, found.sixtofour, *(found.teredo or ())]
        if found in _TRANSLATED:
            inside.append(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF))
        if any(each is not None and not each.is_global for each in inside):
            return False
        if found.ipv4_mapped is not None:
            return is_public(str(found.ipv4_mapped))
    return found.is_global and not found.is_multicast


_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""Addresses of IPv4 as a translator (NAT64) writes them."""


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

    def __call__(self, url: str, folder: Path) -> Fetched:
        """Fetch a file into a folder, under a name whose ending says what it is.

        Raises:
            UnreadableDocument: it cannot be had, or may not; the message says why.
        """
        end = time.monotonic() + self._limit_s
        for _ in range(MOST_REDIRECTIONS + 1):
            url = _plain(url)
            with self._answer(url, end) as answer:
                if answer.status not in _MOVED or not (to := answer.headers["Location"]):
                    return self._keep(answer, url, folder, end)
                url = urljoin(url, to.encode("latin-1", "replace").decode(errors="replace"))
        raise UnreadableDocument(
            "the address leads on more than {most} times; name the one that it ends at",
            most=MOST_REDIRECTIONS,
        )

    @contextmanager
    def _answer(self, url: str, end: float) -> Iterator[http.client.HTTPResponse]:
        """What a server answers. When the time is over the line is cut, wherever it is."""
        parts = urlsplit(url)
        host, port = str(parts.hostname), parts.port or _PORTS[parts.scheme]
        with ExitStack() as closing:
            try:
                address = self._address(host, port)
                line = socket.create_connection((address, port), max(0.1, end - time.monotonic()))
                closing.callback(line.close)
                if parts.scheme == "https":
                    line = _private(line, host)
                    closing.callback(line.close)
                late = threading.Timer(max(0.0, end - time.monotonic()), _cut, [line])
                late.daemon = True
                late.start()
                closing.callback(late.cancel)
                if isinstance(line, ssl.SSLSocket):
                    line.do_handshake()
                connection = http.client.HTTPConnection(host, port)
                connection.default_port, connection.sock = _PORTS[parts.scheme], line
                target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
                connection.request("GET", target, headers=_HEADERS)
                yield connection.getresponse()
            except (OSError, http.client.HTTPException, ValueError) as error:
                if time.monotonic() >= end:
                    raise _too_slow(self._limit_s) from None
                cause = getattr(error, "strerror", None) or str(error) or type(error).__name__
                raise UnreadableDocument(
                    "{host} cannot be reached ({cause}); look whether a browser shows it",
                    host=host,
                    cause=str(cause)[:100],
                ) from error

    def _address(self, host: str, port: int) -> str:
        """Where to connect to: nowhere unless all that the host's name stands for is allowed."""
        addresses = self._resolve(host, port)
        if not addresses or not all(map(self._allowed, addresses)):
            raise UnreadableDocument(
                "{host} is an address of this machine, of a local network, or reserved, and only "
                "public ones are fetched; save the page, and ingest the file",
                host=host,
            )
        return addresses[0]

    def _keep(
        self, answer: http.client.HTTPResponse, url: str, folder: Path, end: float
    ) -> Fetched:
        path = folder / self._name(answer, url)
        size = 0
        with path.open("wb") as file:
            while block := answer.read(_BLOCK):
                size += len(block)
                if size > self._most:
                    raise UnreadableDocument(
                        "it has more than the {most} MB that are fetched; download it, and ingest "
                        "the file",
                        most=self._most // 1_000_000,
                    )
                file.write(block)
        if time.monotonic() >= end:  # the line was cut, which may look like an end
            raise _too_slow(self._limit_s)
        if answer.length:
            raise http.client.IncompleteRead(b"", answer.length)
        return Fetched(path, url, datetime.now(UTC).isoformat(timespec="seconds"))

    def _name(self, answer: http.client.HTTPResponse, url: str) -> str:
        """The last part of the address, with an ending that fits the type that is stated."""
        if answer.status != 200:
            raise UnreadableDocument(
                "the server answered {status} ({reason}); look whether a browser shows it",
                status=answer.status,
                reason=answer.reason[:100],
            )
        if (encoding := answer.headers.get("Content-Encoding", "identity")) != "identity":
            raise UnreadableDocument(
                "the server sends it packed ({encoding}), which was not asked for; download it "
                "with a browser, and ingest the file",
                encoding=encoding[:100],
            )
        parts = urlsplit(url)
        stated = answer.headers.get_content_type() if answer.headers["Content-Type"] else ""
        last = PurePosixPath(unquote(parts.path)).name or str(parts.hostname)
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


def _plain(url: str) -> str:
    """An address in the letters that are sent, without its fragment.

    Raises:
        UnreadableDocument: it is none that may be fetched.
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        parts, host, port = SplitResult("", "", "", "", ""), "", ""
    if parts.scheme not in _PORTS or not host or parts.username is not None:
        raise UnreadableDocument(
            "it is no address that can be fetched: write it as a browser shows it, "
            "https://host/path, without a name or password"
        )
    place = f"[{host}]{port}" if ":" in host else f"{host}{port}"
    path, query = quote(parts.path, safe=_SENT), quote(parts.query, safe=_SENT)
    return urlunsplit((parts.scheme, place, path, query, ""))


def _private(line: socket.socket, host: str) -> ssl.SSLSocket:
    """A line on which nobody listens, once it has shaken hands with the host."""
    return ssl.create_default_context().wrap_socket(
        line, server_hostname=host, do_handshake_on_connect=False
    )


def _cut(line: socket.socket) -> None:
    with suppress(OSError):  # it is closed already
        socket.socket.shutdown(line, socket.SHUT_RDWR)


def _too_slow(seconds: float) -> UnreadableDocument:
    return UnreadableDocument(
        "it took longer than {seconds:g} s; download it, and ingest the file", seconds=seconds
    )
