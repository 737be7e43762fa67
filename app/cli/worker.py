"""`rabbithole worker`: a process that does what others have put into the queue."""

import platform
import signal
import threading

import click

from agent.engine.engine import connect
from app.cli.common import guarded, make_settings


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
