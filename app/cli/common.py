"""What commands share: options, the connection to a home or a server, errors, and results."""

import codecs
import functools
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, ParamSpec, TypeVar

import click
from click.core import ParameterSource
from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python
from pydantic_settings import SettingsError

from app.formats import escape_controls, terminal_line
from services.domain import Principal
from services.domain.errors import InvalidInput, RabbitholeError
from services.domain.value import PageFields, page_name
from services.locale import rendered
from services.settings import Settings

if TYPE_CHECKING:  # both are slow to import, and some commands need neither
    from agent.engine.engine import Engine
    from agent.engine.runner import TakeUp
    from app.cli.remote import RemoteEngine

P = ParamSpec("P")
T = TypeVar("T")
LONGEST_LINE = 160
"""Characters of a document's text on one line."""


class Result(NamedTuple):
    """What a command prints: ``value`` as JSON, or ``text`` or its lines; if not ``ok``, exit 1."""

    value: Mapping[str, Any] | BaseModel
    text: str | Iterable[str]
    ok: bool = True


def page_suffix(location: Mapping[str, Any]) -> str:
    """Return ``, p. 6`` for a hit or citation in JSON; "" without pages."""
    fields = {name: location[name] for name in PageFields.__annotations__ if name in location}
    return ", " * bool(name := page_name(**fields)) + name


def listing(key: str, items: Sequence[T], line: Callable[[T], str], nothing: str) -> Result:
    """Return a list under a key, as text one line each; ``nothing`` is the text if it is empty."""
    return Result({key: items}, list(map(line, items)) or nothing)


def reports_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Print errors as one line that says what to do; with a traceback only when debugging."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        _refuse_useless_server()
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt as stop:
            fail(str(stop) or "stopped; a run that was in progress can be resumed.")
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception as problem:
            if os.environ.get("RABBITHOLE_DEBUG") == "1":
                raise
            if isinstance(problem, RabbitholeError):
                fail(str(problem))
            fail(
                f"unexpected error ({type(problem).__name__}: {problem}). Try again; set "
                "RABBITHOLE_DEBUG=1 to see where it happened."
            )

    return run


Function = Callable[..., Result | None]


def command(
    group: click.Group | None = None, name: str | None = None, params: Sequence[click.Option] = ()
) -> Callable[[Function], click.Command]:
    """Make a function a command that prints its result; ``params`` and ``--json`` come last.

    Its parameters without an option or a default become arguments. If it returns None, it has
    printed its result itself.
    """

    def decorate(function: Function) -> click.Command:
        @functools.wraps(function)
        def run(*, json_: bool, **options: Any) -> None:
            result = function(**options)
            if result is not None:
                print_result(result, json_)
                if not result.ok:
                    sys.exit(1)

        made = click.command(name)(reports_errors(run))
        made.params += [*params, AS_JSON]
        named = {"engine", *(param.name for param in made.params)}
        arguments = [
            click.Argument([parameter.name])
            for parameter in inspect.signature(function).parameters.values()
            if parameter.name not in named
            and parameter.kind is not parameter.VAR_KEYWORD
            and parameter.default is parameter.empty
        ]
        made.params = [*arguments, *made.params]
        if group is not None:
            group.add_command(made)
        return made

    return decorate


def engine_command(
    group: click.Group | None = None,
    name: str | None = None,
    *,
    admin: bool = False,
    read_only: bool = False,
) -> Callable[[Function], click.Command]:
    """Make a ``command`` whose ``engine`` acts for ``--user``, or for the token of ``--server``.

    A command with an option ``--repair`` first finishes what was killed, or changes nothing.

    Args:
        group: the group of the command.
        name: default: that of the function.
        admin: adds ``--admin``.
        read_only: whether the command also works in a read-only home, where nothing is stored.
    """

    def decorate(function: Function) -> click.Command:
        @functools.wraps(function)
        def run(
            *, user: str, server: str | None, token: str | None, admin: bool = False, **options: Any
        ) -> Result | None:
            opened: Any
            if server:
                opened = open_server(server, token, user=user, admin=admin)
            else:
                take_up: TakeUp = "last"
                if "repair" in options:
                    take_up = "first" if options["repair"] else "never"
                looks_only = read_only and take_up != "first"
                opened = open_engine(user, admin=admin, read_only=looks_only, take_up=take_up)
            with opened as engine:
                return function(engine, **options)

        return command(group, name, [*AT_SERVER, AS_USER, *([AS_ADMIN] if admin else [])])(run)

    return decorate


def print_result(result: Result, json_: bool) -> None:
    """Print a result as JSON or text; control characters in it do not reach the terminal."""
    if json_:
        print_json(rendered(to_jsonable_python(result.value)))
    else:
        print_text(result.text if isinstance(result.text, str) else "\n".join(result.text))


def print_json(value: object) -> None:
    """Print JSON on one line, in ASCII where standard output cannot take every character."""
    encoding = codecs.lookup(sys.stdout.encoding or "utf-8").name
    print_text(json.dumps(value, ensure_ascii=not encoding.startswith("utf")))


def print_text(text: str) -> None:
    # To a stream that is named, click writes as its encoding says, even if that is ASCII.
    click.echo(escape_controls(text), file=sys.stdout)


def wants_json() -> bool:
    """Whether the running command was given ``--json``."""
    return bool(click.get_current_context().params["json_"])


def warn(message: object) -> None:
    """Print one line on standard error."""
    click.echo(f"rabbithole: {terminal_line(str(message))}", err=True)


def fail(message: str) -> NoReturn:
    """End the command with one line on standard error."""
    warn(message)
    sys.exit(1)


def make_settings(**overrides: Any) -> Settings:
    """Return the settings of the environment; InvalidInput names a variable with a bad value."""
    try:
        return Settings(**overrides)
    except ValidationError as problem:
        detail = problem.errors()[0]
        name = f"RABBITHOLE_{str(detail['loc'][0]).upper()}"
        raise InvalidInput(f"{name}: {detail['msg']}. Correct or unset it.") from problem
    except SettingsError as problem:
        raise InvalidInput(
            'RABBITHOLE_ADMINS is not a list of names. Write it as ["anna", "ben"], or unset it.'
        ) from problem


def open_engine(
    user: str,
    settings: Settings | None = None,
    *,
    admin: bool = False,
    read_only: bool = False,
    take_up: "TakeUp" = "last",
) -> "AbstractContextManager[Engine]":
    """Connect to the home of the settings, or of the environment."""
    from agent.engine.engine import connect, looking

    principal = Principal(user=user, role="admin" if admin else "user")
    open_ = looking if read_only else connect
    return open_(settings or make_settings(), principal, take_up=take_up)


def open_server(
    url: str, token: str | None, *, user: str = "local", admin: bool = False
) -> "RemoteEngine":
    """Connect to a server, whose token says who acts."""
    from app.cli.remote import connect_to_server

    if admin or user != "local":
        raise click.UsageError("With --server, the token decides who you are; leave out --user.")
    return connect_to_server(url, token)


def _option_before_command(name: str) -> str | None:
    """Return an option of the group, which may come from the environment."""
    value: str | None = click.get_current_context().find_root().params.get(name)
    return value


def _refuse_useless_server() -> None:
    """Raise UsageError if ``--server`` stands before a command that runs on this machine only."""
    context = click.get_current_context()
    source = context.find_root().get_parameter_source("server")
    if source is ParameterSource.COMMANDLINE and "server" not in context.params:
        raise click.UsageError(
            f"`{context.info_name}` works on this machine only; leave out --server."
        )


def _user_name(_: click.Context, parameter: click.Parameter, value: str) -> str:
    if not value.strip():
        raise click.BadParameter("a user needs a name.")
    return value


AS_JSON = click.Option(
    ["--json", "json_"], is_flag=True, help="Print the result as one JSON object."
)
AS_USER = click.Option(["--user"], default="local", callback=_user_name, help="Act as this user.")
AS_ADMIN = click.Option(["--admin"], is_flag=True, help="Act as an administrator.")
AT_SERVER = [
    click.Option(
        ["--server"],
        default=functools.partial(_option_before_command, "server"),
        show_default=False,
        metavar="URL",
        help="Use this server instead of local data.  [env: RABBITHOLE_SERVER]",
    ),
    click.Option(
        ["--token"],
        default=functools.partial(_option_before_command, "token"),
        show_default=False,
        help="Access token.  [env: RABBITHOLE_TOKEN]",
    ),
]
"""They may also stand before the command."""
