"""Fetching from the web: what it takes, where it never goes, and what a server can do to it."""

import gzip
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from services.domain.collections import read_web_source, web_source
from services.domain.errors import UnreadableDocument
from services.ingestion.fetch import MOST_REDIRECTIONS, Fetcher, is_public
from services.ingestion.parse import FileParser
from services.settings import Settings
from tests.support.bad_files import good_pdf
from tests.support.catalogs import new_catalog
from tests.support.ingestion import Bench

PAGE = b"<html><title>Noise</title><p>At night 40 decibels hold.</p></html>"
LIMIT_S = 1.0


class Site:
    """A server on this machine that stands for ``docs.example``, and the network around it.

    ``pages`` gives by path a type and a body, or headers with a status. What a name stands for
    is in ``names``, an answer after the other; other names stand for themselves.
    """

    def __init__(self) -> None:
        site = self
        self.asked: list[str] = []
        self.names: dict[str, list[str]] = {"docs.example": ["127.0.0.1"]}
        self.resolved: list[str] = []
        self.pages: dict[str, tuple[int, dict[str, str], bytes]] = {}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                status, headers, body = site.pages[self.path]
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(body)
                    while headers.get("X-Endless"):
                        self.wfile.write(b"x" * int(headers["X-Endless"]))
                        time.sleep(0.01)
                except OSError:
                    pass

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def url(self, path: str, host: str = "docs.example") -> str:
        return f"http://{host}:{self.server.server_address[1]}{path}"

    def add(self, path: str, kind: str, body: bytes, status: int = 200, **headers: str) -> str:
        stated = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = (status, {"Content-Type": kind, **stated}, body)
        return self.url(path)

    def resolve(self, host: str, port: int) -> list[str]:
        self.resolved.append(host)
        left = self.names.get(host, [host])
        return [left.pop(0)] if len(left) > 1 else left

    def fetcher(self, **limits: Any) -> Fetcher:
        """One that may go to this site, and else to no address that is not public."""
        allowed = lambda each: each == "127.0.0.1" or is_public(each)  # noqa: E731
        return Fetcher(resolve=self.resolve, allowed=allowed, limit_s=LIMIT_S, **limits)


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.server.shutdown()
    made.server.server_close()


def refused(fetch: Fetcher, url: str, folder: Path) -> str:
    with pytest.raises(UnreadableDocument) as told:
        fetch(url, folder)
    return str(told.value)


@pytest.mark.parametrize(
    ("path", "kind", "name"),
    [
        ("/report.pdf", "application/pdf", "report.pdf"),
        ("/get?id=5", "application/pdf", "get.pdf"),
        ("/", "text/html; charset=utf-8", "docs.example.html"),
        ("/a/page.php", "text/html", "page.php.html"),
        ("/rows.csv", "text/plain", "rows.csv"),
        ("/book.epub", "application/octet-stream", "book.epub"),
        ("/login.pdf", "text/html", "login.pdf.html"),
        ("/%C3%96l%2F..%2Fx", "text/html", "x.html"),
    ],
)
def test_the_name_says_what_it_is(
    site: Site, tmp_path: Path, path: str, kind: str, name: str
) -> None:
    got = site.fetcher()(site.add(path, kind, b"x"), tmp_path)
    assert (got.document, got.path.read_bytes(), got.shown) == (name, b"x", site.url(path))


def test_the_address_is_where_it_was_in_the_end(site: Site, tmp_path: Path) -> None:
    site.add("/moved", "text/html", b"", 302, Location="/new/page.html#part")
    site.add("/new/page.html", "text/html", PAGE)
    got = site.fetcher()(site.url("/moved#top"), tmp_path)
    url, fetched_at = read_web_source(got.source)
    assert url == site.url("/new/page.html")
    assert fetched_at and fetched_at.startswith("20") and fetched_at.endswith("+00:00")


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1"),
        *("169.254.169.254", "100.64.0.1", "192.0.2.1", "224.0.0.1", "240.0.0.1"),
        *("255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1"),
        *("fec0::1", "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b:1::127.0.0.1", "4000::1"),
    ],
)
def test_no_address_of_a_network_of_ones_own_is_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("93.184.215.14", "2606:2800:21f:cb07::1", "::ffff:8.8.8.8"),
        *("64:ff9b::808:808", "2002:808:808::1"),
    ],
)
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1"])
def test_this_machine_is_never_asked(site: Site, tmp_path: Path, host: str) -> None:
    site.add("/", "text/html", PAGE)
    refused(Fetcher(limit_s=LIMIT_S), site.url("/", host), tmp_path)
    assert site.asked == []


def test_one_private_address_among_others_is_too_many(site: Site, tmp_path: Path) -> None:
    fetch = Fetcher(resolve=lambda host, port: ["93.184.215.14", "10.0.0.1"], limit_s=LIMIT_S)
    assert "local network" in refused(fetch, site.url("/"), tmp_path)


@pytest.mark.parametrize("to", ["http://10.0.0.1/", "http://[::1]/", "http://inside.example/"])
def test_a_redirection_leads_to_public_addresses_only(site: Site, tmp_path: Path, to: str) -> None:
    site.names["inside.example"] = ["169.254.169.254"]
    assert "local network" in refused(
        site.fetcher(), site.add("/", "text/html", b"", 301, Location=to), tmp_path
    )
    assert site.asked == ["/"]


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://docs.example/", "javascript:1"])
def test_a_redirection_leads_to_the_web_only(site: Site, tmp_path: Path, to: str) -> None:
    url = site.add("/", "text/html", b"", 301, Location=to)
    assert "no address" in refused(site.fetcher(), url, tmp_path)


def test_a_name_that_changes_its_address_is_looked_at_again(site: Site, tmp_path: Path) -> None:
    site.names["docs.example"] = ["127.0.0.1", "10.0.0.1"]
    url = site.add("/", "text/html", b"", 302, Location="/next")
    assert "local network" in refused(site.fetcher(), url, tmp_path)
    assert (site.asked, site.resolved) == (["/"], ["docs.example"] * 2)


def test_a_connection_goes_to_the_address_that_was_looked_at(site: Site, tmp_path: Path) -> None:
    site.names["docs.example"] = ["127.0.0.1", "10.0.0.1"]
    site.fetcher()(site.add("/", "text/html", PAGE), tmp_path)
    assert site.resolved == ["docs.example"]  # nobody resolves it again to connect


def certificate(folder: Path, name: str) -> Path:
    """A key and a certificate for a name, signed by itself."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    owner = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder(owner, owner, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = folder / "both.pem"
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.mark.parametrize("host", ["docs.example", "other.example"])
def test_a_certificate_is_held_against_the_name(
    site: Site, tmp_path: Path, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = certificate(tmp_path, "docs.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(both))
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(both)
    site.server.socket = server.wrap_socket(site.server.socket, server_side=True)
    site.names["other.example"] = site.names["docs.example"]
    site.add("/", "text/html", PAGE)
    url = site.url("/", host).replace("http:", "https:")
    if host == "docs.example":
        assert site.fetcher()(url, tmp_path).path.read_bytes() == PAGE
    else:
        assert "Hostname mismatch" in refused(site.fetcher(), url, tmp_path)


def test_no_proxy_of_the_environment_is_asked(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9/")
    assert site.fetcher()(site.add("/", "text/html", PAGE), tmp_path).path.read_bytes() == PAGE


def test_redirections_end(site: Site, tmp_path: Path) -> None:
    url = site.add("/", "text/html", b"", 302, Location="/")
    assert "leads on" in refused(site.fetcher(), url, tmp_path)
    assert len(site.asked) == MOST_REDIRECTIONS + 1


@pytest.mark.parametrize("piece", ["1", "5000000"])
def test_a_body_without_end_is_cut(site: Site, tmp_path: Path, piece: str) -> None:
    url = site.add("/", "text/html", b"x", X_Endless=piece)
    began = time.monotonic()
    said = refused(site.fetcher(most_bytes=3_000_000), url, tmp_path)
    assert ("longer than" if piece == "1" else "more than the 3 MB") in said
    assert time.monotonic() - began < LIMIT_S + 2


def test_headers_without_end_are_cut(site: Site, tmp_path: Path) -> None:
    url = site.add("/", "text/html", b"")
    site.pages["/"] = (100, {"X-Endless": "1"}, b"")
    assert refused(site.fetcher(), url, tmp_path)


def test_what_was_packed_unasked_is_not_unpacked(site: Site, tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(50_000_000))
    url = site.add("/", "text/html", bomb, Content_Encoding="gzip")
    assert "packed (gzip)" in refused(site.fetcher(), url, tmp_path)


@pytest.mark.parametrize(
    ("kind", "status", "said"),
    [
        ("image/png", 200, "image/png, which is not read"),
        ("application/octet-stream", 200, "octet-stream, which is not read"),
        ("text/html", 404, "answered 404"),
        ("text/html", 206, "answered 206"),
    ],
)
def test_what_cannot_be_read_is_told(
    site: Site, tmp_path: Path, kind: str, status: int, said: str
) -> None:
    assert said in refused(site.fetcher(), site.add("/x", kind, b"x", status), tmp_path)


def test_half_a_file_is_told(site: Site, tmp_path: Path) -> None:
    url = site.add("/", "text/html", b"half", Content_Length="9")
    assert "cannot be reached" in refused(site.fetcher(), url, tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        *("https://", "https://user:secret@docs.example/", "http://docs.example:99999/"),
        *("https://[::1/", "http://" + "a" * 70 + ".example/", "gopher://docs.example/"),
    ],
)
def test_what_is_no_address_is_told(site: Site, tmp_path: Path, url: str) -> None:
    assert "no address" in refused(site.fetcher(), url, tmp_path)
    assert site.resolved == []


def test_a_page_is_a_document_with_its_source(site: Site, tmp_path: Path) -> None:
    url = site.add("/noise", "text/html", PAGE)
    (tmp_path / "noise.html").write_bytes(PAGE.replace(b"40", b"50"))
    with new_catalog(tmp_path / "catalog.sqlite") as catalog:
        bench = Bench(
            catalog, tmp_path / "home", parser=FileParser(Settings()), fetch=site.fetcher()
        )
        gone = site.add("/gone", "text/html", b"", 404)
        first, missing = bench.ingest(addresses=[url, gone, url]).files
        assert (first.status, first.path, missing.status) == ("added", url, "failed")
        info = catalog.documents.info(str(first.document_id))
        assert (info.document, info.url) == ("noise.html", url)
        assert bench.statuses(tmp_path / "noise.html") == ["added"]  # another file of this name
        later = (info.document, web_source(url, "2030-01-01"))
        bench.fetch = lambda *of: replace(site.fetcher()(*of), called=later)
        assert bench.statuses(addresses=[url]) == ["unchanged"]
        assert (
            info.fetched_at != catalog.documents.info(info.document_id).fetched_at == "2030-01-01"
        )
        site.add("/noise", "text/html", PAGE.replace(b"40", b"35"))
        assert bench.statuses(addresses=[url]) == ["updated"]
        assert bench.names() == ["noise.html"] * 2
        assert bench.agrees()


def test_a_fetched_pdf_is_kept(site: Site, tmp_path: Path) -> None:
    url = site.add("/a.pdf", "application/pdf", good_pdf())
    with new_catalog(tmp_path / "catalog.sqlite") as catalog:
        bench = Bench(
            catalog, tmp_path / "home", parser=FileParser(Settings()), fetch=site.fetcher()
        )
        (outcome,) = bench.ingest(addresses=[url]).files
        assert (bench.home / "originals" / str(outcome.document_id)).read_bytes() == good_pdf()
