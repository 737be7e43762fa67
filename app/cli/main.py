"""The `rabbithole` command; it imports the module of a subcommand when that is called."""

import io
import logging
import os
import sys
from importlib import import_module
from typing import Any, Final

import click

from app.formats import terminal_line
from services.domain.model_kinds import FORMS, SERVERS

SERVER_LINES: Final = "\n".join(
    f"  {server.url_variable:<25} address of {server.form}"
    + (f"; default: {server.default_url}" if server.default_url else "")
    for server in SERVERS.values()
)
MODELS = f"""\b
Environment variables name the models; you can also choose the language model in the app:
  RABBITHOLE_LLM            {FORMS}
  RABBITHOLE_EMBEDDING      bundled, ollama:MODEL, or a sentence-transformers model by
                            name or folder
  RABBITHOLE_CROSS_ENCODER  a sentence-transformers model for the reranker, which is turned on by:
                            rabbithole config set reranking cross-encoder
{SERVER_LINES}
A collection keeps the embedding model that indexed it.
"""
"""The end of the help."""

COMMANDS: Final = {
    "api": ("serve", "Serve the HTTP API, an OpenAI-compatible endpoint and MCP, without the app."),
    "ask": ("ask", "Answer a question in seconds, with a numbered source for every sentence."),
    "backup": ("maintenance", "Back up the data of all users to FILE."),
    "classify": ("checks", "Show the type, the entities and the complexity of a question."),
    "collections": (
        "library",
        "Manage collections: list, create, rename, share, subscribe, export, restore, delete.",
    ),
    "config": ("config", "Show and change parameters, locks and profiles."),
    "demo": ("ingest", "Ingest a sample and research one question."),
    "doctor": ("maintenance", "Check the indexes and stored files of your collections."),
    "documents": ("library", "Manage documents: list, show, edit, remove, bin."),
    "eval": (
        "evaluate",
        "Measure how good answers or search are, on questions with known answers.",
    ),
    "export": ("exports", "Write a report or a conversation to a file."),
    "feedback": ("ask", "Rate an answer, with an optional comment."),
    "graph": ("graph", "Build the knowledge graph of your documents and explore it."),
    "grid": (
        "grid",
        "Ask many documents the same questions: create, run, show, edit, accept, correct, export.",
    ),
    "ingest": (
        "ingest",
        "Add documents to a collection: PDF, Office, HTML, EPUB, e-mails, text, or folders.",
    ),
    "jobs": ("maintenance", "List ingestions."),
    "mcp": ("serve", "Run the MCP server."),
    "move": ("maintenance", "Copy the catalog and threads to another, empty database."),
    "plans": ("config", "Manage remembered plans: list, show, forget."),
    "research": ("research", "Research a question and write a report; pauses for your input."),
    "restore": ("maintenance", "Restore a backup into an empty data folder."),
    "resume": ("research", "Continue a thread: answer its questions, approve its plan."),
    "review": ("research", "Review the sentences of an answer, and sign it."),
    "runs": ("research", "Manage threads: list, show, pause, cancel, fork, rename, delete."),
    "search": ("ask", "Search the collections and explain each hit."),
    "serve": ("serve", "Open the app in the browser."),
    "sweep": ("grid", "Ask one question of every section, and list all answers."),
    "tokens": ("config", "Create, list and revoke access tokens for programs."),
    "trace": ("exports", "Record a run with its model's replies, and replay it."),
    "verify": ("checks", "Check every citation of a report against its documents."),
    "worker": ("serve", "Process the job queue of a shared installation."),
    "watch": ("ingest", "Keep a collection in sync with a folder."),
}
"""The module of each command, and the beginning of its help."""


class Notices(logging.Handler):
    """Prints warnings of the log; tracebacks are printed only when debugging."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING and not record.exc_info:
            click.echo(terminal_line(record.getMessage()), err=True)


class LazyGroup(click.Group):
    """Imports the module of a command when it is called, so that the help is fast."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command; what the encoding of the terminal lacks is escaped as in Python."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        return super().main(*args, **extra)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"app.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, "evaluate" if cmd_name == "eval" else cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


SETTINGS: Final = {"help_option_names": ["-h", "--help"], "show_default": True}


@click.group(cls=LazyGroup, context_settings=SETTINGS, epilog=MODELS)
@click.version_option(package_name="rabbithole")
@click.option(
    "--server",
    envvar="RABBITHOLE_SERVER",
    metavar="URL",
    help="Use this server instead of local data.  [env: RABBITHOLE_SERVER]",
)
@click.option("--token", envvar="RABBITHOLE_TOKEN", help="Access token.  [env: RABBITHOLE_TOKEN]")
@click.pass_context
def main(context: click.Context, **_: str | None) -> None:
    """Answers from your own documents, with the source of every sentence."""
    context.obj = os.umask(0o077)  # exports use the old one; only the user may read the home
    context.call_on_close(lambda: os.umask(context.obj))
    if os.environ.get("RABBITHOLE_DEBUG") != "1" and not logging.getLogger().handlers:
        logging.getLogger().addHandler(Notices())


if __name__ == "__main__":
    main()
