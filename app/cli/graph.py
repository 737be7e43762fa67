"""`rabbithole graph`: building the knowledge graph and looking into it."""

from collections.abc import Sequence
from typing import Any

import click

from agent.engine.engine import Engine
from agent.graph_paths import Step, as_text, location_name
from app.cli.client import of_engine
from app.cli.common import Shown, fail, in_collections, listed
from app.cli.terminal import Progress, warn
from app.formats import terminal_line

STOPPED = "stopped. What was built and read is kept; the same command goes on from there."
LONGEST_LINE = 160
Collections = tuple[str, ...] | None
of_collection = click.option("--collection", help="Name or id; omitted means all.")


@click.group()
def graph() -> None:
    """Build the knowledge graph of your documents and look into it."""


@graph.command()
@of_collection
@click.option("--facts", is_flag=True, help="Have the language model read the texts too.")
@click.option("--yes", is_flag=True, help="Do not ask before the language model reads.")
@of_engine(admin=True)
def build(engine: Engine, collection: str | None, facts: bool, yes: bool) -> Shown:
    """Build what is missing; ingesting does so too.

    With --facts the language model names and relates what the passages speak of. That takes
    long: what it costs is shown first, it may be ended at any time, and goes on where it was.
    """
    if facts and not yes:
        price = _price(engine.graph.facts_cost(collection))
        click.confirm(f"Reading the facts: {price}. Go on?", abort=True, err=True)
    try:
        with Progress() as progress:
            report = engine.graph.build(collection, facts=facts, on_event=progress.show)
    except KeyboardInterrupt:
        fail(STOPPED)
    for warning in report.warnings:
        warn(warning)
    return Shown(report, lambda: _summary(report))


@graph.command()
@of_collection
@of_engine(admin=True)
def status(engine: Engine, collection: str | None) -> Shown:
    """How much of the graph is built, and what reading the facts would take."""
    state, cost = engine.graph.status(collection), engine.graph.facts_cost(collection)
    return Shown({**dict(state), "facts_cost": cost}, lambda: _overview(state, cost))


@graph.command()
@click.option("--collection", required=True, help="Name or id.")
@of_engine(admin=True)
def merges(engine: Engine, collection: str) -> Shown:
    """List names that were merged into one, and why."""
    return listed("merges", engine.graph.merges(collection), _merge, "Nothing was merged.")


@graph.command()
@click.argument("node")
@click.option("--collection", required=True, help="Name or id.")
@of_engine(admin=True)
def unmerge(engine: Engine, node: str, collection: str) -> Shown:
    """Undo the merge of NODE, as `graph merges` names it, permanently."""
    undone = engine.graph.undo_merge(collection, node)
    return Shown(undone, lambda: _merge(undone))


@graph.command("show")
@click.argument("entity")
@in_collections
@click.option("--limit", default=20, type=click.IntRange(1, 200))
@of_engine(admin=True)
def show_entity(engine: Engine, entity: str, collections: Collections, limit: int) -> Shown:
    """What ENTITY is, what defines it, and what it is tied to.

    ENTITY is a section ("§ 78 StrlSchG"), a document, a defined term, an abbreviation or a word.
    """
    card = engine.graph.entity(entity, collections, limit=limit)
    steps = _placed(engine, card.neighbours, collections)
    return Shown(card, lambda: _card(card, steps))


@graph.command("path")
@click.argument("first")
@click.argument("second")
@in_collections
@click.option("--limit", default=3, type=click.IntRange(1, 10))
@of_engine(admin=True)
def path(engine: Engine, first: str, second: str, collections: Collections, limit: int) -> Shown:
    """The shortest ways from FIRST to SECOND, one line a step with the place where it was read."""
    ways = engine.graph.paths(first, second, collections, limit=limit)
    shown = [_placed(engine, way, collections) for way in ways]
    return Shown({"paths": ways}, lambda: _ways(shown, first, second))


@graph.command("communities")
@in_collections
@click.option("--limit", default=20, type=click.IntRange(1, 200))
@of_engine(admin=True)
def communities(engine: Engine, collections: Collections, limit: int) -> Shown:
    """What the documents are about: groups of things and sections that belong together."""
    found = engine.graph.communities(collections, limit=limit)
    return listed("communities", found, _group, "No groups.")


def _price(cost: Any) -> str:
    if cost.model is None:
        return f"{cost.passages} passages, no language model set"
    minutes = max(1, round(cost.seconds / 60))
    return (
        f"{cost.passages} passages, up to {cost.model_calls} calls of {cost.model}, "
        f"about {minutes} min"
    )


def _summary(report: Any) -> str:
    facts = ""
    if report.model_calls:
        facts = f", {report.passages} passages read in {report.model_calls} model calls"
    return (
        f"{report.built} of {report.documents} documents read{facts}, "
        f"{report.merges} names merged in {report.seconds:.1f} s"
    )


def _overview(state: Any, cost: Any) -> str:
    counts = [
        f"{title}: " + ", ".join(f"{count} {kind}" for kind, count in numbers.items())
        for title, numbers in (("nodes", state.nodes), ("edges", state.edges))
        if numbers
    ]
    return "\n".join(
        [
            f"{state.built} of {state.documents} documents built, facts read in {state.facts}",
            *counts,
            f"merged names: {state.merges}, communities: {state.communities}",
            f"facts to read: {_price(cost)}",
        ]
    )


def _merge(merge: Any) -> str:
    undone = "  (undone)" if merge.undone else ""
    return f"{merge.node_id} = {merge.into}  ({merge.why}){undone}"


def _group(group: Any) -> str:
    topics = _short(", ".join(group.topics)) or "no name of its own"
    sections = _short(", ".join(name for name in group.members if name not in group.topics))
    title = terminal_line(" · ".join(group.title))
    lines = [f"{group.size} names and sections: {topics}", title, sections]
    return "\n  ".join(filter(None, lines))


def _placed(engine: Engine, way: Sequence[Step], collections: Collections) -> list[str]:
    """``StrlSchV § 77 refers to StrlSchV § 175 [StrlSchV.pdf § 77, p. 52]``, a line a step."""
    places = engine.graph.places_of(way, collections)
    return [
        f"  {_short(as_text([step]))}"
        + (f" [{terminal_line(location_name(place))}]" if place else "")
        for step, place in zip(way, places, strict=True)
    ]


def _card(card: Any, steps: list[str]) -> str:
    times = f", named in {card.node.places} places" if card.node.places else ""
    parts = [f"{_short(card.node.name)} ({card.node.kind}{times})"]
    if card.aliases:
        parts.append(f"Also called: {_short(', '.join(card.aliases))}")
    if card.definition:
        parts.append(f"Definition: {_short(card.definition)}")
    return "\n".join([*parts, *steps])


def _ways(ways: list[list[str]], first: str, second: str) -> str:
    if not ways:
        return f"No way leads from {first} to {second}."
    numbered = enumerate(ways, start=1)
    return "\n".join(line for number, way in numbered for line in (f"Way {number}", *way))


def _short(text: str) -> str:
    return terminal_line(text, LONGEST_LINE)
