"""An address that nothing may ask for, and texts that try to make a page ask for it."""

from tests.support.loopback import Body, LoopbackServer, Out


class Trap(LoopbackServer):
    """Keeps the paths that it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    address = LoopbackServer.url

    def handle(self, path: str, body: Body, out: Out) -> None:
        self.asked.append(path)
        out.json({}, Access_Control_Allow_Origin="*")


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
