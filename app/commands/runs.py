"""`rabbithole runs`: threads of research and quick answers, their past, and forks of it."""

from typing import TYPE_CHECKING

import click

from app.commands.common import Shown, as_json, as_user, guarded, of_client, open_client, show

if TYPE_CHECKING:
    from agent.client import Client
from app.commands.watching import watch


@click.group()
def runs() -> None:
    """List, show, pause, cancel, fork, restore evidence of, rename and delete threads."""


@runs.command("list")
@of_client()
def list_(client: "Client") -> Shown:
    """All threads, newest first."""
    from app.terminal import run_table

    rows = [run.model_dump(mode="json") for run in client.runs()]
    return Shown({"runs": rows}, lambda: run_table(rows))


@runs.command("show")
@click.argument("thread")
@of_client()
def show_run(client: "Client", thread: str) -> Shown:
    """A thread's state and its report, if it has one."""
    from app.terminal import run_table, run_text

    run = client.run(thread).model_dump(mode="json")
    report = client.report(thread)
    value = {**run, "report": report}
    return Shown(value, lambda: run_table([run]) + (f"\n\n{run_text(report)}" if report else ""))


@runs.command("pause")
@click.argument("thread")
@of_client()
def pause(client: "Client", thread: str) -> Shown:
    """Stop a thread; it can be resumed."""
    client.pause(thread)
    return Shown({"thread_id": thread, "status": "paused"}, lambda: f"{thread} paused")


@runs.command("cancel")
@click.argument("thread")
@of_client()
def cancel(client: "Client", thread: str) -> Shown:
    """End a thread, with a report of what was found so far."""
    client.cancel(thread)
    return Shown({"thread_id": thread, "status": "cancelled"}, lambda: f"{thread} cancelled")


@runs.command("fork")
@click.argument("thread")
@click.option("--checkpoint", metavar="ID", help="Continue from here; without, they are listed.")
@as_user
@as_json
@guarded
def fork(thread: str, checkpoint: str | None, user: str, json_: bool) -> None:
    """A new thread that continues a thread from a checkpoint; the old one stays as it is."""
    from app.terminal import checkpoint_table

    with open_client(user) as client:
        if checkpoint is not None:
            new = client.fork(thread, checkpoint)
            click.echo(f"rabbithole: {new} continues {thread}", err=True)
            watch(client, new, json_)
            return
        rows = [info.model_dump(mode="json") for info in client.checkpoints(thread)]
    value = {"thread_id": thread, "checkpoints": rows}
    show(value, json_, lambda: checkpoint_table(thread, rows))


@runs.command("restore")
@click.argument("thread")
@click.argument("evidence", metavar="[EVIDENCE_ID]...", nargs=-1)
@as_user
@as_json
@guarded
def restore(thread: str, evidence: tuple[str, ...], user: str, json_: bool) -> None:
    """Let dropped evidence count again; without ids, what was dropped is listed.

    It is judged and the answer is written anew; nothing is searched again.
    """
    from app.terminal import dropped_table

    with open_client(user) as client:
        if evidence:
            after = client.last_event(thread)
            client.restore_evidence(thread, evidence)
            watch(client, thread, json_, after)
            return
        client.run(thread)
        report = client.report(thread) or {}
    rows = report.get("dropped", [])
    show({"thread_id": thread, "dropped": rows}, json_, lambda: dropped_table(thread, rows))


@runs.command("rename")
@click.argument("thread")
@click.argument("title")
@of_client()
def rename(client: "Client", thread: str, title: str) -> Shown:
    """Give a thread a title; an empty one gives it back its question."""
    client.rename_run(thread, title)
    run = client.run(thread)
    name = run.title or run.question
    value = {"thread_id": thread, "title": run.title}
    return Shown(value, lambda: f"{thread} is called {name!r} now")


@runs.command("delete")
@click.argument("thread")
@click.option("--yes", is_flag=True, help="Do not ask.")
@of_client()
def delete(client: "Client", thread: str, yes: bool) -> Shown:
    """Delete a thread with its events, checkpoints, answers and report."""
    run = client.run(thread)
    name = run.title or run.question
    if not yes:
        click.confirm(f"Delete {thread} ({name[:70]}) and its report?", abort=True, err=True)
    client.delete_run(thread)
    return Shown({"thread_id": thread, "deleted": True}, lambda: f"{thread} deleted")
