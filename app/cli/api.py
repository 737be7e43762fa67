"""`rabbithole api`, `mcp` and `worker`: processes that stay until they are ended."""

import platform
import signal
import threading

import click

from agent.engine.engine import Engine, connect
from app.cli.client import of_engine
from app.cli.common import Shown, fail, guarded, make_settings
from services.settings import Settings

LOOPBACK = "127.0.0.1"
port_ = click.IntRange(1, 65535)


@click.command()
@click.option("--host", default=LOOPBACK)
@click.option("--port", default=8502, type=port_)
@guarded
def api(host: str, port: int) -> None:
    """Serve the HTTP API, OpenAI's endpoint and MCP alone; `serve` runs them with the app."""
    click.echo(f"Rabbithole's API on http://{host}:{port}/api/openapi.json", err=True)
    settings = make_settings()
    with connect(settings) as engine:
        _serve(engine, settings, host, port, "--port")


@click.command()
@click.option("--http", "port", type=port_, metavar="PORT", help="Serve at http://HOST:PORT/mcp.")
@click.option("--host", default=LOOPBACK, help="With --http.")
@of_engine()
def mcp(engine: Engine, port: int | None, host: str) -> Shown | None:
    """Run the MCP server: tools to search, ask, research, open citations and verify reports.

    Over standard input and output it acts for --user; over HTTP each client sends a token.
    """
    from app.api.gateway import ApiGateway
    from app.api.mcp import make_server

    if port is None:
        make_server(ApiGateway(lambda: engine, make_settings()), engine).run("stdio")
    else:
        click.echo(f"MCP on http://{host}:{port}/mcp", err=True)
        _serve(engine, make_settings(), host, port, "--http")
    return None


def _serve(engine: Engine, settings: Settings, host: str, port: int, option: str) -> None:
    """Serves until the process is told to end; ``option`` is what names the port."""
    from app.api.server import serve

    try:
        serve(engine, settings, host, port)
    except OSError as problem:
        fail(f"{host}:{port} cannot be used: {problem.strerror}. Choose another with {option}.")


@click.command()
@click.option(
    "--name",
    default=platform.node,
    show_default=False,
    help="Name of its leases; default: the machine's.",
)
@guarded
def worker(name: str) -> None:
    """Process the queue of a shared home, until Ctrl+C.

    Needs a catalog, vectors and keywords in PostgreSQL. While there is a worker, only workers take
    researches, questions and ingestions. Another one continues what one leaves behind.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    settings = make_settings()
    with connect(settings, worker=name) as engine:
        engine.work()
        click.echo(f"Working in {settings.home} (end with Ctrl+C)", err=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            click.echo("Handing over what is under way", err=True)
