"""`rabbithole graph`: building the knowledge graph and looking into it."""

import sys
from typing import Any

import click

from agent.engine.engine import Engine
from agent.graph_paths import as_text
from app.cli.client import of_engine
from app.cli.common import Shown, in_collections
from app.formats import in_terminal
from app.terminal import Progress

STOPPED = "stopped. What was built and read is kept; the same command goes on from there."
LONGEST_LINE = 160
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
        click.confirm(_question(_cost_of(engine, collection)), abort=True, err=True)
    try:
        with Progress() as progress:
            report = engine.graph.build(collection, facts=facts, on_event=progress.show)
    except KeyboardInterrupt:
        click.echo(f"rabbithole: {STOPPED}", err=True)
        sys.exit(1)
    for warning in report.warnings:
        click.echo(f"rabbithole: {warning}", err=True)
    value = report.model_dump(mode="json")
    return Shown(value, lambda: _summary(value))


@graph.command()
@of_collection
@of_engine(admin=True)
def status(engine: Engine, collection: str | None) -> Shown:
    """How much of the graph is built, and what reading the facts would take."""
    value = engine.graph.status(collection).model_dump(mode="json")
    value["facts_cost"] = _cost_of(engine, collection)
    return Shown(value, lambda: _overview(value))


@graph.command()
@click.option("--collection", required=True, help="Name or id.")
@of_engine(admin=True)
def merges(engine: Engine, collection: str) -> Shown:
    """Which names were taken for one, and why."""
    rows = [merge.model_dump(mode="json") for merge in engine.graph.merges(collection)]
    return Shown({"merges": rows}, lambda: "\n".join(map(_merge, rows)) or "Nothing was merged.")


@graph.command()
@click.argument("node")
@click.option("--collection", required=True, help="Name or id.")
@of_engine(admin=True)
def unmerge(engine: Engine, node: str, collection: str) -> Shown:
    """Let NODE, as `graph merges` names it, stand for itself again, for good."""
    value = engine.graph.undo_merge(collection, node).model_dump(mode="json")
    return Shown(value, lambda: _merge(value))


@graph.command("show")
@click.argument("entity")
@in_collections
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 200))
@of_engine(admin=True)
def show_entity(engine: Engine, entity: str, collections: tuple[str, ...], limit: int) -> Shown:
    """What ENTITY is, what defines it, and what it is tied to.

    ENTITY is a section ("§ 78 StrlSchG"), a document, a defined term, an abbreviation or a word.
    """
    card = engine.graph.entity(entity, collections or None, limit=limit)
    lines = list(map(_step, card.neighbours))
    places = engine.graph.named_places(card.neighbours, collections or None)
    value = card.model_dump(mode="json")
    return Shown(value, lambda: _card(value, lines, places))


@graph.command("path")
@click.argument("first")
@click.argument("second")
@in_collections
@click.option("--limit", default=3, show_default=True, type=click.IntRange(1, 10))
@of_engine(admin=True)
def path(
    engine: Engine, first: str, second: str, collections: tuple[str, ...], limit: int
) -> Shown:
    """The shortest ways from FIRST to SECOND, one line a step with the place where it was read."""
    ways = engine.graph.paths(first, second, collections or None, limit=limit)
    shown = [
        list(zip(map(_step, way), engine.graph.named_places(way, collections or None), strict=True))
        for way in ways
    ]
    value = {"paths": [[step.model_dump(mode="json") for step in way] for way in ways]}
    return Shown(value, lambda: _ways(shown, first, second))


@graph.command("communities")
@in_collections
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 200))
@of_engine(admin=True)
def communities(engine: Engine, collections: tuple[str, ...], limit: int) -> Shown:
    """What the documents are about: groups of things and sections that belong together."""
    found = engine.graph.communities(collections or None, limit=limit)
    value = {"communities": [each.model_dump(mode="json") for each in found]}
    return Shown(value, lambda: "\n".join(map(_group, value["communities"])) or "No groups.")


def _cost_of(engine: Engine, collection: str | None) -> dict[str, Any]:
    return engine.graph.facts_cost(collection).model_dump(mode="json")


def _question(cost: dict[str, Any]) -> str:
    """What is asked before the language model reads."""
    return f"Reading the facts: {_price(cost)}. Go on?"


def _price(cost: dict[str, Any]) -> str:
    if cost["model"] is None:
        return f"{cost['passages']} passages, no language model set"
    minutes = max(1, round(cost["seconds"] / 60))
    return (
        f"{cost['passages']} passages, up to {cost['model_calls']} calls of {cost['model']}, "
        f"about {minutes} min"
    )


def _summary(report: dict[str, Any]) -> str:
    facts = ""
    if report["model_calls"]:
        facts = f", {report['passages']} passages read in {report['model_calls']} model calls"
    return (
        f"{report['built']} of {report['documents']} documents read{facts}, "
        f"{report['merges']} names merged in {report['seconds']:.1f} s"
    )


def _overview(value: dict[str, Any]) -> str:
    counts = [
        f"{title}: " + ", ".join(f"{count} {kind}" for kind, count in value[title].items())
        for title in ("nodes", "edges")
        if value[title]
    ]
    return "\n".join(
        [
            f"{value['built']} of {value['documents']} documents built, "
            f"facts read in {value['facts']}",
            *counts,
            f"merged names: {value['merges']}, communities: {value['communities']}",
            f"facts to read: {_price(value['facts_cost'])}",
        ]
    )


def _merge(merge: dict[str, Any]) -> str:
    undone = "  (undone)" if merge["undone"] else ""
    return f"{merge['node_id']} = {merge['into']}  ({merge['why']}){undone}"


def _group(group: dict[str, Any]) -> str:
    topics = _short(", ".join(group["topics"])) or "no name of its own"
    sections = [name for name in group["members"] if name not in group["topics"]]
    lines = [f"{group['size']} names and sections: {topics}", f"  {in_terminal(group['summary'])}"]
    return "\n".join([*lines, *([f"  {_short(', '.join(sections))}"] if sections else [])])


def _step(step: Any) -> str:
    """A step in words: ``StrlSchV § 77 refers to StrlSchV § 175``."""
    return _short(as_text([step]))


def _card(card: dict[str, Any], lines: list[str], places: list[str]) -> str:
    node = card["node"]
    times = f", named in {node['places']} places" if node["places"] else ""
    parts = [f"{_short(node['name'])} ({node['kind']}{times})"]
    if card["aliases"]:
        parts.append(f"Also called: {_short(', '.join(card['aliases']))}")
    if card["definition"]:
        parts.append(f"Definition: {_short(card['definition'])}")
    parts += [_placed(*pair) for pair in zip(lines, places, strict=True)]
    return "\n".join(parts)


def _ways(ways: list[list[tuple[str, str]]], first: str, second: str) -> str:
    if not ways:
        return f"No way leads from {first} to {second}."
    shown = []
    for number, way in enumerate(ways, start=1):
        shown.append(f"Way {number}")
        shown += [_placed(*step) for step in way]
    return "\n".join(shown)


def _placed(text: str, place: str) -> str:
    return f"  {text} [{in_terminal(place)}]" if place else f"  {text}"


def _short(text: str) -> str:
    return in_terminal(text, LONGEST_LINE)
