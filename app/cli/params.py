"""Options that commands share, and the types of their values."""

import re
from datetime import date
from pathlib import Path

import click


class DayParameter(click.ParamType):
    """A date as YYYY-MM-DD, or "" if it ``may_be_empty``."""

    name = "YYYY-MM-DD"

    def __init__(self, *, may_be_empty: bool = False) -> None:
        self._may_be_empty = may_be_empty

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value and self._may_be_empty:
            return value
        try:
            return date.fromisoformat(value).isoformat()
        except ValueError:
            self.fail(f"{value!r} is not a date. Write it as YYYY-MM-DD.", param, ctx)


def _language_code(_: click.Context, parameter: click.Parameter, value: str) -> str:
    if value != "auto" and not re.fullmatch("[a-z]{2}", value):
        raise click.BadParameter(f"{value!r} is not a language code such as de or en.")
    return value


language = click.option(
    "--language", default="auto", callback=_language_code, help="auto, de, en, …"
)
collections = click.option(
    "--collection",
    "collections",
    multiple=True,
    callback=lambda _, __, names: names or None,
    help="Use only this collection; may be repeated.",
)
documents = click.option(
    "--document",
    "documents",
    multiple=True,
    help="Search only this document (file name or id); may be repeated.",
)
profile = click.option("--profile", help="Use the parameters of this profile.")
k_passages = click.option("-k", type=click.IntRange(1, 100), help="Number of passages to retrieve.")
k_hits = click.option(
    "-k", type=click.IntRange(1, 100), help="Maximum hits per search; default: maxDocs."
)
DEPTHS = ("auto", "fast", "enhanced", "structured", "agent")
any_file = click.Path(path_type=Path, dir_okay=False)
existing_file = click.Path(exists=True, dir_okay=False, path_type=Path)
yes = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
output = click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(path_type=Path),
    help="Output file, or a folder (the file is then named after the question); default: "
    "standard output.",
)
force = click.option("--force", is_flag=True, help="Overwrite an existing file.")
