"""`rabbithole graph`: building the knowledge graph, how far it is, what was taken for one."""

import sys
from typing import TYPE_CHECKING, Any

import click

from app.commands.common import Shown, of_client
from app.commands.graph_show import communities, path, show_entity

if TYPE_CHECKING:
    from agent.client import Client

STOPPED = "stopped. What was built and read is kept; the same command goes on from there."
of_collection = click.option("--collection", help="Name or id; omitted means all.")


@click.group()
def graph() -> None:
    """Build the knowledge graph of your documents and look into it."""


graph.add_command(show_entity)
graph.add_command(path)
graph.add_command(communities)


@graph.command()
@of_collection
@click.option("--facts", is_flag=True, help="Have the language model read the texts too.")
@click.option("--yes", is_flag=True, help="Do not ask before the language model reads.")
@of_client(admin=True)
def build(client: "Client", collection: str | None, facts: bool, yes: bool) -> Shown:
    """Build what is missing; ingesting does so too.

    With --facts the language model names and relates what the passages speak of. That takes
    long: what it costs is shown first, it may be ended at any time, and goes on where it was.
    """
    from app.terminal import Progress

    if facts and not yes:
        click.confirm(question(cost_of(client, collection)), abort=True, err=True)
    try:
        with Progress() as progress:
            report = client.build_graph(collection, facts=facts, on_event=progress.show)
    except KeyboardInterrupt:
        click.echo(f"rabbithole: {STOPPED}", err=True)
        sys.exit(1)
    for warning in report.warnings:
        click.echo(f"rabbithole: {warning}", err=True)
    value = report.model_dump(mode="json")
    return Shown(value, lambda: summary(value))


@graph.command()
@of_collection
@of_client(admin=True)
def status(client: "Client", collection: str | None) -> Shown:
    """How much of the graph is built, and what reading the facts would take."""
    value = client.graph_status(collection).model_dump(mode="json")
    value["facts_cost"] = cost_of(client, collection)
    return Shown(value, lambda: overview(value))


@graph.command()
@click.option("--collection", required=True, help="Name or id.")
@of_client(admin=True)
def merges(client: "Client", collection: str) -> Shown:
    """Which names were taken for one, and why."""
    rows = [merge.model_dump(mode="json") for merge in client.graph_merges(collection)]
    return Shown({"merges": rows}, lambda: "\n".join(map(line, rows)) or "Nothing was merged.")


@graph.command()
@click.argument("node")
@click.option("--collection", required=True, help="Name or id.")
@of_client(admin=True)
def unmerge(client: "Client", node: str, collection: str) -> Shown:
    """Let NODE, as `graph merges` names it, stand for itself again, for good."""
    value = client.undo_merge(collection, node).model_dump(mode="json")
    return Shown(value, lambda: line(value))


def cost_of(client: "Client", collection: str | None) -> dict[str, Any]:
    return client.facts_cost(collection).model_dump(mode="json")


def question(cost: dict[str, Any]) -> str:
    """What is asked before the language model reads."""
    return f"Reading the facts: {price(cost)}. Go on?"


def price(cost: dict[str, Any]) -> str:
    if cost["model"] is None:
        return f"{cost['passages']} passages, no language model set"
    minutes = max(1, round(cost["seconds"] / 60))
    return (
        f"{cost['passages']} passages, up to {cost['model_calls']} calls of {cost['model']}, "
        f"about {minutes} min"
    )


def summary(report: dict[str, Any]) -> str:
    facts = ""
    if report["model_calls"]:
        facts = f", {report['passages']} passages read in {report['model_calls']} model calls"
    return (
        f"{report['built']} of {report['documents']} documents read{facts}, "
        f"{report['merges']} names merged in {report['seconds']:.1f} s"
    )


def overview(value: dict[str, Any]) -> str:
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
            f"facts to read: {price(value['facts_cost'])}",
        ]
    )


def line(merge: dict[str, Any]) -> str:
    undone = "  (undone)" if merge["undone"] else ""
    return f"{merge['node_id']} = {merge['into']}  ({merge['why']}){undone}"
