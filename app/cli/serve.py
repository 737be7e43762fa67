"""`rabbithole serve`, `api`, `mcp` and `worker`: processes that run until they are stopped."""

import ipaddress
import os
import platform
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import engine_command, fail, make_settings, reports_errors
from services.domain.errors import InvalidInput
from services.login import read_login
from services.settings import FOLDER, Settings

if TYPE_CHECKING:  # slow to import, and `serve` does not need it
    from agent.engine.engine import Engine

LOOPBACK = "127.0.0.1"
port_number = click.IntRange(1, 65535)


@click.command()
@click.option("--host", default=LOOPBACK, help="Address to listen on.")
@click.option("--port", default=8501, type=port_number, help="Port to listen on.")
@click.option(
    "--name",
    "names",
    multiple=True,
    help="Host name under which browsers may also reach the app; may be repeated.",
)
@click.option("--login", type=click.Path(path_type=Path), help="Login file (see docs/login.md).")
@click.option("--i-know", is_flag=True, help="Allow access from other machines without a login.")
@click.option("--user", help="Act as this user; default: RABBITHOLE_USER or local.")
@click.option("--admin", is_flag=True, help="Act as an administrator.")
@reports_errors
def serve(
    host: str,
    port: int,
    names: tuple[str, ...],
    login: Path | None,
    i_know: bool,
    user: str | None,
    admin: bool,
) -> None:
    """Open the app in the browser."""
    os.environ.update(identity(user, admin=admin))
    settings = make_settings(**({} if login is None else {"login": login}))
    os.environ.update(_absolute_paths(settings) | {FOLDER: str(Path.cwd())})
    if settings.login is not None:
        read_login(settings.login)  # so that an error in the file is reported here
    if not (is_loopback(host) or settings.login or i_know):
        raise InvalidInput(
            "At {host}, everybody who can reach this machine would act as {user}. Configure a "
            "login "
            "(--login FILE, see docs/login.md), or allow this with --i-know.",
            host=host,
            user=settings.user,
        )
    script = Path(__file__).parent.with_name("asgi.py")
    root = script.parent.parent
    os.chdir(root)  # Streamlit would read a .streamlit of the current folder
    arguments = ["--server.address", host, "--server.port", str(port), "--server.headless", "true"]
    for name in (*names, host):
        arguments += ["--server.allowedHosts", name]
    command = [sys.executable, "-m", "app.server", "run", str(script), *arguments]
    click.echo(f"Rabbithole on http://{host}:{port} (stop with Ctrl+C)", err=True)
    os.execv(sys.executable, command)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _absolute_paths(settings: Settings) -> dict[str, str]:
    fields = ((name, getattr(settings, name)) for name in settings.model_fields_set)
    return {
        f"RABBITHOLE_{name.upper()}": str(path.resolve())
        for name, path in fields
        if isinstance(path, Path)
    }


def identity(user: str | None, *, admin: bool) -> dict[str, str]:
    """Return the environment of a server whose browser acts as this user."""
    variables = {} if user is None else {"RABBITHOLE_USER": user}
    return {**variables, "RABBITHOLE_ROLE": "admin"} if admin else variables


@click.command()
@click.option("--host", default=LOOPBACK, help="Address to listen on.")
@click.option("--port", default=8502, type=port_number, help="Port to listen on.")
@reports_errors
def api(host: str, port: int) -> None:
    """Serve the HTTP API, an OpenAI-compatible endpoint and MCP, without the app.

    `serve` includes all of them.
    """
    click.echo(f"Rabbithole's API on http://{host}:{port}/api/openapi.json", err=True)
    from agent.engine.engine import connect

    settings = make_settings()
    with connect(settings) as engine:
        _serve(engine, settings, host, port, "--port")


@engine_command()
@click.option(
    "--http", "port", type=port_number, metavar="PORT", help="Serve at http://HOST:PORT/mcp."
)
@click.option("--host", default=LOOPBACK, help="Address for --http.")
def mcp(engine: "Engine", port: int | None, host: str) -> None:
    """Run the MCP server: tools to search, ask, research, open citations and verify reports.

    Over standard input and output, the server acts as --user; over HTTP, each client sends a token.
    """
    from app.api.gateway import ApiGateway
    from app.api.mcp import make_server

    if port is None:
        make_server(ApiGateway(lambda: engine, make_settings()), engine).run("stdio")
    else:
        click.echo(f"MCP on http://{host}:{port}/mcp", err=True)
        _serve(engine, make_settings(), host, port, "--http")


def _serve(engine: "Engine", settings: Settings, host: str, port: int, option: str) -> None:
    """Serve until the process is told to end; ``option`` is the one that sets the port."""
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
    help="Name of this worker; default: the name of the machine.",
)
@reports_errors
def worker(name: str) -> None:
    """Process the job queue of a shared installation, until Ctrl+C.

    It needs the catalog, vectors and keywords in PostgreSQL. While a worker is running, workers
    run all research, questions and ingestions. If one stops, another continues its work.
    """
    from agent.engine.engine import connect

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    settings = make_settings()
    with connect(settings, worker=name) as engine:
        engine.work()
        click.echo(f"Processing jobs of {settings.home} (stop with Ctrl+C)", err=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            click.echo("Handing over unfinished jobs", err=True)
