"""An address that nothing may ask for, and texts that try to make a page ask for it."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


class Trap:
    """A server on a port of its own on the loopback that keeps what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        handler = type("Handler", (_Handler,), {"asked": self.asked})
        self._httpd = ThreadingHTTPServer(("127.0.0.1", 0), handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._httpd.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._httpd.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._httpd.shutdown()
        self._httpd.server_close()


class _Handler(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()

    do_POST = do_HEAD = do_OPTIONS = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Kept in ``asked``."""


def attacks(address: str) -> tuple[str, ...]:
    """Each asks for ``address`` where it is read as Markdown, HTML, CSS, LaTeX or a directive.

    They are short: names and titles have room for about 200 characters.
    """
    return (
        f"![a]({address}/md.png) [b]({address}/md-link) <{address}/angle>",
        f'<img src="{address}/img.png"> <img src=x onerror="fetch(\'{address}/onerror\')">',
        f"<script>fetch('{address}/script')</script> <iframe src='{address}/frame'></iframe>",
        f"<style>@import url({address}/css); body {{ background: url({address}/bg) }}</style>",
        f'<div style="background:url({address}/div)">d</div> <link rel=prefetch href={address}/l>',
        f'<svg><image href="{address}/svg"/></svg> <video poster="{address}/video" src=x></video>',
        f"[c](javascript:fetch('{address}/js')) ![d](data:image/svg+xml,<svg/>) {address}/bare",
        f"$\\includegraphics{{{address}/tex}}$ $$\\href{{{address}/tex}}{{x}}$$ www.evil.example",
        f":material/home: :streamlit: :red[e] :blue-badge[f] ![g][ref] [ref]: {address}/ref",
        f"```mermaid graph LR; A[<img src='{address}/mermaid'>] ``` | h | ![]({address}/cell) |",
    )
