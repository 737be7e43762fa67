"""`rabbithole serve`: the app in the browser."""

import os
import sys
from pathlib import Path

import click

from app.cli.common import as_admin, guarded, make_settings


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8501, show_default=True, type=click.IntRange(1, 65535))
@click.option("--user", help="Act as this user; RABBITHOLE_USER, else local.")
@as_admin
@guarded
def serve(host: str, port: int, user: str | None, admin: bool) -> None:
    """Open the app in the browser."""
    os.environ.update(identity(user, admin=admin))
    make_settings()
    script = Path(__file__).parent.with_name("with_doors.py")
    root = script.parent.parent
    os.chdir(root)  # Streamlit would read the .streamlit of whatever lies where one is.
    arguments = ["--server.address", host, "--server.port", str(port), "--server.headless", "true"]
    command = [sys.executable, "-m", "app.server", "run", str(script), *arguments]
    click.echo(f"Rabbithole on http://{host}:{port} (end with Ctrl+C)", err=True)
    os.execv(sys.executable, command)


def identity(user: str | None, *, admin: bool) -> dict[str, str]:
    """Who sits at the browser, as the settings of the server name it."""
    named = {} if user is None else {"RABBITHOLE_USER": user}
    return {**named, "RABBITHOLE_ROLE": "admin"} if admin else named
