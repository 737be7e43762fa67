"""`rabbithole ask`, `feedback` and `search`: a quick answer with its proof, or passages alone."""

from collections.abc import Iterator
from shlex import join
from typing import Any, get_args

import click

from agent.engine.engine import Engine
from agent.engine.reports import read_answer
from app.cli import params
from app.cli.answer_text import answer_text, questions_text
from app.cli.common import LONGEST_LINE, Result, engine_command, fail, page_suffix, wants_json, warn
from app.cli.research import how_to_continue, waiting_json
from app.cli.terminal import ProgressPrinter
from services.domain import SearchFilter, SearchMode, SearchRequest
from services.locale import rendered

NO_DOCUMENTS = "No documents yet. Add some: rabbithole ingest PATH... --collection NAME"


@engine_command(read_only=True)
@click.argument("query")
@params.collections
@params.k_hits
@click.option("--mode", type=click.Choice(get_args(SearchMode)), default="hybrid")
@click.option(
    "--context",
    is_flag=True,
    help="Print the hits and their neighbouring passages as text for a language model, up to "
    "maxTokens.",
)
@params.documents
@click.option("--section", "sections", multiple=True, help="Only in this section: '§ 78'.")
@click.option("--tag", "tags", multiple=True, help="Only in documents with this tag.")
@click.option("--category", "categories", multiple=True, help="Only in documents of this category.")
@click.option(
    "--author", "authors", multiple=True, help="Only by this author; part of a name is enough."
)
@click.option(
    "--from",
    "since",
    type=params.DayParameter(),
    help="Only in documents dated on or after this day.",
)
@click.option(
    "--to",
    "until",
    type=params.DayParameter(),
    help="Only in documents dated on or before this day.",
)
@params.profile
def search(engine: Engine, **options: Any) -> Result:
    """Search the collections and explain each hit.

    Hits below minRelevanceScore are left out. If an option is repeated, any of its values may
    match. Documents without a date are left out if --from or --to is given.
    """
    names = SearchFilter.model_fields.keys() & options.keys()
    only = SearchFilter.model_validate({name: options.pop(name) for name in names})
    if only.since and only.until and only.since > only.until:
        raise click.UsageError(f"--from {only.since} is after --to {only.until}.")
    request = SearchRequest(only=only, **options)
    result = engine.library.find(request)
    for warning in result.warnings:
        warn(warning)
    without = {"__all__": {"text_id"}}
    value = result.model_dump(mode="json", exclude={"hits": without, "below": without})
    if below := value["below"]:
        of_profile = f" --profile {request.profile}" if request.profile else ""
        lines = [
            f"Nothing found with a relevance of {result.min_relevance:.2f} or more "
            "(minRelevanceScore). The closest passages:",
            *_hit_lines(below),
            f"To see all: rabbithole config set minRelevanceScore 0{of_profile}",
        ]
        return Result(value, lines)
    if value["hits"]:
        return Result(value, result.context or _hit_lines(value["hits"]))
    empty = not engine.library.collections()
    return Result(value, f"Nothing found. {NO_DOCUMENTS}" if empty else "Nothing found.")


def _hit_lines(hits: list[dict[str, Any]]) -> Iterator[str]:
    for number, hit in enumerate(hits, start=1):
        ranks = ", ".join(f"{name} #{score['rank']}" for name, score in hit["explain"].items())
        read = " (recognised text)" * hit.get("recognised", False)
        source = f"{hit['document']} {hit['section']}{page_suffix(hit)}{read}"
        yield f"{number}. {source}  {hit['relevance']:.2f} ({ranks})"
        yield f"   {' '.join(hit['text'].split())[:LONGEST_LINE]}"


@engine_command(read_only=True)
@params.collections
@params.documents
@click.option(
    "--depth", type=click.Choice(params.DEPTHS), default="auto", help="How thorough to be."
)
@params.k_passages
@click.option("--thread", help="Continue this conversation, or start one with this id.")
@click.option("--explain", is_flag=True, help="Explain how the answer was found.")
@params.profile
def ask(engine: Engine, question: str, thread: str | None, explain: bool, **options: Any) -> Result:
    """Answer a question in seconds, with a numbered source for every sentence.

    Answers come only from your documents. If they do not answer the question, the answer says so.
    """
    started = engine.answers.ask(question, thread_id=thread, **options)
    event = None
    with ProgressPrinter(lasting=False, live=not wants_json()) as progress:
        for record in engine.threads.follow(started.thread_id, started.after):
            event = record.event
            progress.show(event)
    run = engine.threads.run(started.thread_id)
    if run.pending is not None:
        return Result(waiting_json(run), questions_text(started.thread_id, run.pending))
    turns = engine.answers.turns(started.thread_id)
    if run.status != "done" or len(turns) < started.turn:
        reason = run.error or f"The answer was stopped ({run.status})."
        fail(how_to_continue(str(reason), started.thread_id, event))
    turn = turns[started.turn - 1]
    answer = read_answer(turn)
    text = answer_text(answer, started.thread_id, explain=explain)
    if answer.sweep_sections:
        words = ["rabbithole", "sweep", answer.question_rewritten or answer.question]
        words += [word for name in options["collections"] or () for word in ("--collection", name)]
        words += [word for name in options["documents"] for word in ("--document", name)]
        text += f"\nTo read all {answer.sweep_sections} sections for this question: {join(words)}"
    return Result(rendered(turn), text)


@engine_command()
@click.argument("vote", type=click.Choice(["up", "down"]))
@click.argument("text", default="")
@click.option("--turn", type=click.IntRange(1), help="Number of the answer; default: the last one.")
def feedback(engine: Engine, thread: str, vote: str, text: str, turn: int | None) -> Result:
    """Rate an answer, with an optional comment.

    After enough ratings, Rabbithole searches more or less deeply for similar questions in these
    collections.
    """
    info = engine.answers.vote(thread, vote == "up", text, turn=turn)
    thresholds = engine.answers.thresholds(engine.threads.run(thread).searched)
    lines = [f"Answer {info.turn} of {thread}: {'up' if info.up else 'down'}"]
    lines += [f"threshold {name} {score.value:.2f} ({score.why})" for name, score in thresholds]
    return Result({**dict(info), "thresholds": thresholds}, lines)
