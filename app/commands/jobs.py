"""`rabbithole jobs`: what was taken in when, and how it ended."""

from typing import TYPE_CHECKING, Any

import click

from app.commands.common import Shown, of_client

if TYPE_CHECKING:
    from agent.client import Client


@click.group()
def jobs() -> None:
    """List ingestions."""


@jobs.command("list")
@of_client(admin=True)
def list_(client: "Client") -> Shown:
    """Your last 20 ingestions, newest first; an administrator sees everybody's."""
    rows = [job.model_dump(mode="json") for job in client.jobs()]
    return Shown({"jobs": rows}, lambda: table(rows))


def table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "No ingestions yet. Start one: rabbithole ingest PATH... --collection NAME"
    return "\n".join(map(line, rows))


def line(row: dict[str, Any]) -> str:
    files = f"{row['files_done'] + row['files_failed']}/{row['files_total']} files"
    failed = f", {row['files_failed']} failed" if row["files_failed"] else ""
    error = f"  {row['error']}" if row["error"] else ""
    return (
        f"{row['job_id']:>5}  {row['status']:<11} {row['started_at'][:16]}  {files}{failed}, "
        f"{row['pages']} pages, {row['chunks']} chunks  {row['collection']}{error}"
    )
