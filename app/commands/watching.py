"""Following a run in the terminal until it ends or somebody is asked."""

import sys
from typing import TYPE_CHECKING

import click

from app.commands.common import show

if TYPE_CHECKING:
    from agent.client import Client


def watch(client: "Client", thread: str, json_: bool, after: int = 0) -> None:
    """Follows a run; in a terminal its questions are answered on the spot."""
    from app.terminal import Progress, ask, run_text, waiting_text

    interactive = sys.stdin.isatty() and not json_
    while True:
        with Progress() as progress:
            for record in client.follow(thread, after):
                after = record.seq
                progress.show(record.event)
        run = client.run(thread)
        if run.pending is None or not interactive:
            break
        ask(client, thread, run.pending)
    if run.status == "failed":
        click.echo(f"rabbithole: {run.error} Go on with: rabbithole resume {thread}", err=True)
        sys.exit(1)
    if run.pending is not None:
        pending = run.pending
        value = {
            "thread_id": thread,
            "status": run.status,
            "pending": pending.model_dump(mode="json"),
        }
        show(value, json_, lambda: waiting_text(thread, pending))
        return
    report = client.report(thread) or {"thread_id": thread, "status": run.status}
    show(report, json_, lambda: run_text(report))
