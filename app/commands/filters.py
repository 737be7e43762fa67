"""Options that narrow a search, and the dates that people write in options."""

import functools
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from services.types import SearchFilter


class Day(click.ParamType):
    """A date as YYYY-MM-DD, handed on as it is; or nothing, where that ``may_be_empty``."""

    name = "YYYY-MM-DD"

    def __init__(self, *, may_be_empty: bool = False) -> None:
        self._may_be_empty = may_be_empty

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value and self._may_be_empty:
            return value
        try:
            return date.fromisoformat(value).isoformat()
        except ValueError:
            self.fail(f"{value!r} is no date. Write it as YYYY-MM-DD.", param, ctx)


OPTIONS = (
    click.option("--document", "documents", multiple=True, help="Only in this file, or id."),
    click.option("--section", "sections", multiple=True, help="Only in this section: '§ 78'."),
    click.option("--tag", "tags", multiple=True, help="Only in documents with this tag."),
    click.option("--category", "categories", multiple=True, help="Only of this category."),
    click.option("--author", "authors", multiple=True, help="Only by this author; part of a name."),
    click.option("--from", "since", type=Day(), help="Only in documents of this day or later."),
    click.option("--to", "until", type=Day(), help="Only in documents of this day or earlier."),
)
NAMES = ("documents", "sections", "tags", "categories", "authors", "since", "until")


def with_filter(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options, and hands them to the command as the filter ``only``."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        only = make_filter({name: options.pop(name) for name in NAMES})
        command(*args, **options, only=only)

    for option in reversed(OPTIONS):
        run = option(run)
    return run


def make_filter(options: dict[str, Any]) -> "SearchFilter":
    """The filter that the options name; a range without a day is an error of usage."""
    from services.types import SearchFilter

    only = SearchFilter.model_validate(options)
    if only.since and only.until and only.since > only.until:
        raise click.UsageError(f"--from {only.since} is after --to {only.until}.")
    return only
