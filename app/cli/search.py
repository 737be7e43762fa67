"""`rabbithole search`: the hits of a search, and the options that narrow it."""

from datetime import date
from typing import Any, get_args

import click

from agent.engine.engine import Engine
from app.cli.client import of_engine
from app.cli.common import Shown, in_collections, in_documents, with_profile
from app.terminal import warn
from services.domain import SearchFilter, SearchMode, SearchRequest


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


@click.command()
@click.argument("query")
@in_collections
@click.option("-k", type=click.IntRange(1, 100), help="Maximum hits; default: maxDocs.")
@click.option("--mode", type=click.Choice(get_args(SearchMode)), default="hybrid")
@click.option(
    "--context",
    is_flag=True,
    help="Print the hits with their neighbours as text for a language model, within maxTokens.",
)
@in_documents
@click.option("--section", "sections", multiple=True, help="Only in this section: '§ 78'.")
@click.option("--tag", "tags", multiple=True, help="Only in documents with this tag.")
@click.option("--category", "categories", multiple=True, help="Only of this category.")
@click.option("--author", "authors", multiple=True, help="Only by this author; part of a name.")
@click.option("--from", "since", type=Day(), help="Only in documents of this day or later.")
@click.option("--to", "until", type=Day(), help="Only in documents of this day or earlier.")
@with_profile
@of_engine(looks=True)
def search(engine: Engine, **options: Any) -> Shown:
    """Search the collections and explain each hit.

    What is less relevant than minRelevanceScore is left out. Of an option that is repeated any
    value suffices; documents without a date lie in no range.
    """
    names = SearchFilter.model_fields.keys() & options.keys()
    only = SearchFilter.model_validate({name: options.pop(name) for name in names})
    if only.since and only.until and only.since > only.until:
        raise click.UsageError(f"--from {only.since} is after --to {only.until}.")
    request = SearchRequest(only=only, **options)
    result = engine.library.find(request)
    searched = bool(result.hits or engine.library.collections())
    for warning in result.warnings:
        warn(warning)
    without = {"__all__": {"text_id"}}
    value = result.model_dump(mode="json", exclude={"hits": without, "below": without})
    if below := value["below"]:
        return Shown(value, lambda: nothing_near(below, result.min_relevance, request.profile))
    return Shown(value, lambda: result.context or hit_list(value["hits"], searched=searched))


NO_DOCUMENTS = "No documents yet. Add some: rabbithole ingest PATH... --collection NAME"


def nothing_near(below: list[dict[str, Any]], least: float, profile: str | None) -> str:
    """That all lies below the least relevance, with the nearest, and how to see more."""
    of_profile = f" --profile {profile}" if profile else ""
    return (
        f"Nothing found with a relevance of {least:.2f} or more (minRelevanceScore). The nearest:\n"
        f"{hit_list(below)}\n"
        f"To see all: rabbithole config set minRelevanceScore 0{of_profile}"
    )


def hit_list(hits: list[dict[str, Any]], *, searched: bool = True) -> str:
    """Hits for people; ``searched`` tells whether there was a collection to search."""
    if not hits:
        return "Nothing found." if searched else f"Nothing found. {NO_DOCUMENTS}"
    lines = []
    for number, hit in enumerate(hits, start=1):
        place = f"{hit['document']} {hit['section']}"
        page = f", p. {hit['page']}" if hit["page"] else ""
        why = ", ".join(f"{name} #{s['rank']}" for name, s in hit["explain"].items())
        read = " (recognised text)" * hit.get("recognised", False)
        lines.append(f"{number}. {place}{page}{read}  {hit['relevance']:.2f} ({why})")
        lines.append(f"   {' '.join(hit['text'].split())[:160]}")
    return "\n".join(lines)
