"""`rabbithole graph`: build the knowledge graph and explore it."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from agent.engine.engine import Engine
from agent.graph_paths import Step, as_text, location_name
from app.cli import params
from app.cli.common import LONGEST_LINE, Result, engine_command, fail, listing, warn
from app.cli.terminal import ProgressPrinter
from app.formats import terminal_line

STOPPED = "stopped. What was built so far is kept; the same command continues from there."
Collections = tuple[str, ...] | None
of_collection = click.option("--collection", help="Name or id; default: all.")
_short = partial(terminal_line, limit=LONGEST_LINE)


graph = click.Group("graph", help="Build the knowledge graph of your documents and explore it.")


@engine_command(graph, admin=True)
@of_collection
@click.option("--facts", is_flag=True, help="Also extract facts with the language model.")
@click.option("--yes", is_flag=True, help="Do not ask before extracting facts.")
def build(engine: Engine, collection: str | None, facts: bool, yes: bool) -> Result:
    """Build the missing parts of the graph; ingestion does this too.

    With --facts, the language model extracts entities and relations from every passage. This takes
    a long time: the cost is shown first, and you can stop at any time and continue later.
    """
    if facts and not yes:
        price = _price(engine.graph.facts_cost(collection))
        click.confirm(f"Extracting facts: {price}. Continue?", abort=True, err=True)
    try:
        with ProgressPrinter() as progress:
            report = engine.graph.build(collection, facts=facts, on_event=progress.show)
    except KeyboardInterrupt:
        fail(STOPPED)
    for warning in report.warnings:
        warn(warning)
    from_model = ""
    if report.model_calls:
        from_model = f", facts from {report.passages} passages in {report.model_calls} model calls"
    text = (
        f"{report.built} of {report.documents} documents added{from_model}, "
        f"{report.merges} names merged in {report.seconds:.1f} s"
    )
    return Result(report, text)


@engine_command(graph, admin=True)
@of_collection
def status(engine: Engine, collection: str | None) -> Result:
    """Show how much of the graph is built, and what extracting facts would cost."""
    state, cost = engine.graph.status(collection), engine.graph.facts_cost(collection)
    built = f"{state.built} of {state.documents} documents are in the graph"
    lines = [f"{built}, {state.facts} with facts"]
    for title, numbers in (("nodes", state.nodes), ("edges", state.edges)):
        if numbers:
            counts = (f"{count} {kind}" for kind, count in numbers.items())
            lines.append(f"{title}: {', '.join(counts)}")
    lines.append(f"merged names: {state.merges}, communities: {state.communities}")
    lines.append(f"facts still to extract: {_price(cost)}")
    return Result({**dict(state), "facts_cost": cost}, lines)


@engine_command(graph, admin=True)
@click.option("--collection", required=True, help="Name or id.")
def merges(engine: Engine, collection: str) -> Result:
    """List names that were merged into one, and why."""
    return listing("merges", engine.graph.merges(collection), _merge_line, "Nothing was merged.")


@engine_command(graph, admin=True)
@click.option("--collection", required=True, help="Name or id.")
def unmerge(engine: Engine, node: str, collection: str) -> Result:
    """Undo the merge of NODE for good (NODE as listed by `graph merges`)."""
    undone = engine.graph.undo_merge(collection, node)
    return Result(undone, _merge_line(undone))


@engine_command(graph, "show", admin=True)
@params.collections
@click.option("--limit", default=20, type=click.IntRange(1, 200))
def show_entity(engine: Engine, entity: str, collections: Collections, limit: int) -> Result:
    """Show what ENTITY is, its definition and its relations.

    ENTITY is a section ("§ 78 StrlSchG"), a document, a defined term, an abbreviation or a word.
    """
    card = engine.graph.entity(entity, collections, limit=limit)
    times = f", mentioned in {card.node.places} places" if card.node.places else ""
    lines = [f"{_short(card.node.name)} ({card.node.kind}{times})"]
    if card.aliases:
        lines.append(f"Also called: {_short(', '.join(card.aliases))}")
    if card.definition:
        lines.append(f"Definition: {_short(card.definition)}")
    return Result(card, [*lines, *_step_lines(engine, card.neighbours, collections)])


@engine_command(graph, "path", admin=True)
@params.collections
@click.option("--limit", default=3, type=click.IntRange(1, 10))
def path(engine: Engine, first: str, second: str, collections: Collections, limit: int) -> Result:
    """Show the shortest paths from FIRST to SECOND, each step with its source."""
    paths = engine.graph.paths(first, second, collections, limit=limit)
    lines = []
    for number, steps in enumerate(paths, start=1):
        lines += [f"Path {number}", *_step_lines(engine, steps, collections)]
    return Result({"paths": paths}, lines or [f"No path leads from {first} to {second}."])


@engine_command(graph, "communities", admin=True)
@params.collections
@click.option("--limit", default=20, type=click.IntRange(1, 200))
def communities(engine: Engine, collections: Collections, limit: int) -> Result:
    """Show what the documents are about: groups of entities and sections that belong together."""
    groups = engine.graph.communities(collections, limit=limit)
    return listing("communities", groups, _group_lines, "No communities.")


def _price(cost: Any) -> str:
    if cost.model is None:
        return f"{cost.passages} passages, no language model set"
    minutes = max(1, round(cost.seconds / 60))
    return (
        f"{cost.passages} passages, up to {cost.model_calls} calls of {cost.model}, "
        f"about {minutes} min"
    )


def _merge_line(merge: Any) -> str:
    undone = "  (undone)" if merge.undone else ""
    return f"{merge.node_id} = {merge.into}  ({merge.why}){undone}"


def _group_lines(group: Any) -> str:
    topics = _short(", ".join(group.topics)) or "no topic"
    sections = _short(", ".join(name for name in group.members if name not in group.topics))
    title = terminal_line(" · ".join(group.title))
    lines = [f"{group.size} names and sections: {topics}", title, sections]
    return "\n  ".join(filter(None, lines))


def _step_lines(engine: Engine, steps: Sequence[Step], collections: Collections) -> list[str]:
    """Return a line such as ``§ 77 refers to § 175 [StrlSchV.pdf § 77, p. 52]`` for each step."""
    sources = engine.graph.places_of(steps, collections)
    return [
        f"  {_short(as_text([step]))}"
        + (f" [{terminal_line(location_name(source))}]" if source else "")
        for step, source in zip(steps, sources, strict=True)
    ]
