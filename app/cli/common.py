"""What all commands share: options, errors as one line, how results print."""

import functools
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, ParamSpec, TypeVar

import click
from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python
from pydantic_settings import SettingsError

from app.formats import escape_controls, terminal_line
from services.domain.errors import InvalidInput, RabbitholeError
from services.locale import rendered
from services.settings import Settings

if TYPE_CHECKING:
    from app.cli.remote import RemoteEngine

P = ParamSpec("P")
T = TypeVar("T")


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Shows errors as one line that says how to go on; a traceback only when debugging."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt as stop:
            fail(str(stop) or "stopped; what was running can be resumed.")
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception as problem:
            if os.environ.get("RABBITHOLE_DEBUG") == "1":
                raise
            if isinstance(problem, RabbitholeError):
                fail(str(problem))
            fail(
                f"unexpected error ({type(problem).__name__}: {problem}). Try again; "
                "RABBITHOLE_DEBUG=1 shows where it happened."
            )

    return run


def fail(message: str) -> NoReturn:
    """Ends the command with one line on standard error that steers no terminal."""
    click.echo(f"rabbithole: {terminal_line(message)}", err=True)
    sys.exit(1)


as_json = click.option("--json", "json_", is_flag=True, help="Print one JSON object.")


def _code(_: click.Context, parameter: click.Parameter, value: str) -> str:
    if value != "auto" and not re.fullmatch("[a-z]{2}", value):
        raise click.BadParameter(f"{value!r} is no code of a language, such as de or en.")
    return value


def _name(_: click.Context, parameter: click.Parameter, value: str) -> str:
    if not value.strip():
        raise click.BadParameter("a user needs a name.")
    return value


as_user = click.option("--user", default="local", callback=_name, help="Act as this user.")


def at_server(command: Callable[..., None]) -> Callable[..., None]:
    """The options ``--server`` and ``--token``."""
    server = click.option(
        "--server",
        envvar="RABBITHOLE_SERVER",
        metavar="URL",
        help="Use this server instead of a local home.  [env: RABBITHOLE_SERVER]",
    )
    token = click.option(
        "--token",
        envvar="RABBITHOLE_TOKEN",
        help="Access token.  [env: RABBITHOLE_TOKEN]",
    )
    return server(token(command))


def open_server(
    url: str, token: str | None, *, user: str = "local", admin: bool = False
) -> "RemoteEngine":
    """A server in the place of a home."""
    from app.cli.remote import connect_to_server

    if admin or user != "local":
        raise click.UsageError("With --server the token says who acts, not --user.")
    return connect_to_server(url, token)


of_language = click.option("--language", default="auto", callback=_code, help="auto, de, en, …")
in_collections = click.option(
    "--collection",
    "collections",
    multiple=True,
    callback=lambda _, __, named: named or None,
    help="Search here only; may be repeated.",
)
in_documents = click.option(
    "--document", "documents", multiple=True, help="Only in this file, or id; may be repeated."
)
as_admin = click.option(
    "--admin",
    is_flag=True,
    help="Act as administrator.",
)
with_profile = click.option("--profile", help="Use the parameters of this profile.")
k_passages = click.option("-k", type=click.IntRange(1, 100), help="Passages to search for.")
k_hits = click.option("-k", default=10, type=click.IntRange(1, 100))
DEPTHS = ("auto", "fast", "enhanced", "structured", "agent")
any_file = click.Path(path_type=Path, dir_okay=False)
existing_file = click.Path(exists=True, dir_okay=False, path_type=Path)
yes = click.option("--yes", is_flag=True, help="Do not ask.")


class Shown(NamedTuple):
    """What a command shows: one JSON object, or text for people; it failed where it is not ok.

    The object may be a model, or hold some.
    """

    value: Mapping[str, Any] | BaseModel
    text: Callable[[], str]
    ok: bool = True


def listed(key: str, items: Sequence[T], line: Callable[[T], str], nothing: str) -> Shown:
    """All of a kind, in text on a line each, or that there is ``nothing``."""
    return Shown({key: items}, lambda: "\n".join(map(line, items)) or nothing)


Command = Callable[..., Shown | None]


def prints(command: Command) -> Callable[..., None]:
    """Prints what the command returns, with ``--json`` as such; exit status 1 where it failed.

    Where it returns None it has printed.
    """

    @functools.wraps(command)
    def run(*args: Any, json_: bool, **options: Any) -> None:
        shown = command(*args, **options)
        if shown is not None:
            show(shown, json_)
            if not shown.ok:
                sys.exit(1)

    return as_json(guarded(run))


def wants_json() -> bool:
    """Whether the command that runs was given ``--json``."""
    return bool(click.get_current_context().params["json_"])


def make_settings(**overrides: Any) -> Settings:
    """Settings from the environment; a bad value is an error that names the variable."""
    try:
        return Settings(**overrides)
    except ValidationError as problem:
        detail = problem.errors()[0]
        name = f"RABBITHOLE_{str(detail['loc'][0]).upper()}"
        raise InvalidInput(f"{name}: {detail['msg']}. Correct or unset it.") from problem
    except SettingsError as problem:
        raise InvalidInput(
            'RABBITHOLE_ADMINS is no list of names. Write it as ["anna", "ben"], or unset it.'
        ) from problem


def show(shown: Shown, json_: bool) -> None:
    """Prints the result: as one JSON object, or as text for people.

    Names and texts of documents may hold what steers a terminal; none of it gets there.
    """
    if json_:
        said = json.dumps(rendered(to_jsonable_python(shown.value)), ensure_ascii=False)
    else:
        said = shown.text()
    click.echo(escape_controls(said))
