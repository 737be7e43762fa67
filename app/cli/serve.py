"""`rabbithole serve`: the app in the browser."""

import ipaddress
import os
import sys
from pathlib import Path

import click

from app.cli.common import as_admin, guarded, make_settings
from services.domain.errors import InvalidInput
from services.login import read_login
from services.settings import Settings


@click.command()
@click.option("--host", default="127.0.0.1")
@click.option("--port", default=8501, type=click.IntRange(1, 65535))
@click.option(
    "--name", "names", multiple=True, help="Another host name under which browsers may reach it."
)
@click.option("--login", type=click.Path(path_type=Path), help="How people log in; docs/login.md.")
@click.option("--i-know", is_flag=True, help="Allow a --host beyond this machine without a login.")
@click.option("--user", help="Act as this user; RABBITHOLE_USER, else local.")
@as_admin
@guarded
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
    os.environ.update(from_anywhere(settings))
    if settings.login is not None:
        read_login(settings.login)  # what is wrong with it is said here, in one line
    if not (is_loopback(host) or settings.login or i_know):
        raise InvalidInput(
            "At {host} everybody who reaches this machine would work as {user}. Have people log "
            "in (--login FILE, see docs/login.md), or let them in: --i-know",
            host=host,
            user=settings.user,
        )
    script = Path(__file__).parent.with_name("asgi.py")
    root = script.parent.parent
    os.chdir(root)  # Streamlit would read the .streamlit of whatever lies where one is.
    arguments = ["--server.address", host, "--server.port", str(port), "--server.headless", "true"]
    for name in (*names, host):
        arguments += ["--server.allowedHosts", name]
    command = [sys.executable, "-m", "app.server", "run", str(script), *arguments]
    click.echo(f"Rabbithole on http://{host}:{port} (end with Ctrl+C)", err=True)
    os.execv(sys.executable, command)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def from_anywhere(settings: Settings) -> dict[str, str]:
    """The folders and files that are named, whatever folder the server works in."""
    named = ((name, getattr(settings, name)) for name in settings.model_fields_set)
    return {
        f"RABBITHOLE_{name.upper()}": str(place.resolve())
        for name, place in named
        if isinstance(place, Path)
    }


def identity(user: str | None, *, admin: bool) -> dict[str, str]:
    """Who sits at the browser, as the settings of the server name it."""
    named = {} if user is None else {"RABBITHOLE_USER": user}
    return {**named, "RABBITHOLE_ROLE": "admin"} if admin else named
