"""`rabbithole ask`, `feedback` and `search`: a quick answer with its proof, or the hits alone."""

from datetime import date
from functools import partial
from typing import Any, get_args

import click

from agent.engine.engine import Engine
from agent.engine.reports import read_answer
from app.cli.answer_text import answer_text, asked_back
from app.cli.client import of_engine, waiting
from app.cli.common import (
    DEPTHS,
    Shown,
    fail,
    in_collections,
    in_documents,
    k_passages,
    wants_json,
    with_profile,
)
from app.cli.research import how_to_go_on
from app.cli.terminal import Progress, warn
from services.domain import SearchFilter, SearchMode, SearchRequest
from services.locale import rendered


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


@click.command()
@click.argument("question")
@in_collections
@in_documents
@click.option(
    "--depth", type=click.Choice(DEPTHS), default="auto", help="How much work the answer may take."
)
@k_passages
@click.option("--thread", help="Continue this conversation, or start one with this id.")
@click.option("--explain", is_flag=True, help="Explain why it was answered this way.")
@with_profile
@of_engine(looks=True)
def ask(
    engine: Engine,
    question: str,
    thread: str | None,
    explain: bool,
    **options: Any,
) -> Shown:
    """Answer a question in seconds, with a numbered source for every sentence.

    Answers come from the documents alone; where they hold none, it says so.
    """
    asked = engine.answers.ask(question, thread_id=thread, **options)
    last = None
    with Progress(lasting=False, live=not wants_json()) as progress:
        for record in engine.threads.follow(asked.thread_id, asked.after):
            last = record.event
            progress.show(last)
    run = engine.threads.run(asked.thread_id)
    if run.pending is not None:
        pending = run.pending
        return Shown(waiting(run), lambda: asked_back(asked.thread_id, pending))
    answered = engine.answers.turns(asked.thread_id)
    if run.status != "done" or len(answered) < asked.turn:
        reason = run.error or f"The answer was stopped ({run.status})."
        fail(how_to_go_on(str(reason), asked.thread_id, last))
    turn = answered[asked.turn - 1]
    text = partial(answer_text, read_answer(turn), asked.thread_id, explain=explain)
    return Shown(rendered(turn), text)


@click.command()
@click.argument("thread")
@click.argument("vote", type=click.Choice(["up", "down"]))
@click.argument("text", default="")
@click.option("--turn", type=click.IntRange(1), help="Which answer; the last one if not given.")
@of_engine()
def feedback(engine: Engine, thread: str, vote: str, text: str, turn: int | None) -> Shown:
    """Rate an answer, with an optional comment.

    Enough votes move the thresholds at which questions to these collections get more depth, a
    little.
    """
    given = engine.answers.vote(thread, vote == "up", text, turn=turn)
    thresholds = engine.answers.thresholds(engine.threads.run(thread).collections)
    lines = [f"Answer {given.turn} of {thread}: {'up' if given.up else 'down'}"]
    lines += [f"threshold {name} {each.value:.2f} ({each.why})" for name, each in thresholds]
    return Shown({**dict(given), "thresholds": thresholds}, lambda: "\n".join(lines))
