"""The sections that an answer cites, and the sections connected to them by references."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, Final

from services.export.texts import labels_for
from services.language.text.normal import one_line

Link = tuple[str, str]
"""Names of the referring section and of the section that it refers to."""
FARTHEST: Final = 2
"""References from a cited section to the farthest ones shown."""
MOST_AT_A_DISTANCE: Final = 10
"""Sections shown at each distance."""
_DIGITS: Final = 9


@dataclass(frozen=True)
class Neighbourhood:
    """Names of the cited sections, and the references between sections.

    ``left_out`` counts sections that are too far away, or too many, to be shown.
    """

    cited: tuple[str, ...]
    links: tuple[Link, ...]
    left_out: int = 0


def of_report(report: Mapping[str, Any]) -> Neighbourhood:
    """Return the neighbourhood of a report, from its citations and the references it followed."""
    references = [ref for ref in report.get("references", ()) if ref["resolved_to"]]
    short_names = _short_names(report, references)
    cited = {
        " ".join(filter(None, (_document(citation, short_names), one_line(citation["section"]))))
        for sentence in report["sentences"]
        for citation in sentence["citations"]
    }
    links = ((one_line(ref["from"]), one_line(ref["resolved_to"])) for ref in references)
    return nearest(cited, links)


def nearest(cited: Iterable[str], links: Iterable[Link]) -> Neighbourhood:
    """Keep the sections with the most links at each distance from the cited ones, ties by name."""
    import networkx as nx

    graph = nx.DiGraph(link for link in links if link[0] != link[1])
    graph.add_nodes_from(cited := set(cited))
    distance: dict[str, int] = (
        nx.multi_source_dijkstra_path_length(graph.to_undirected(as_view=True), cited, FARTHEST)
        if cited
        else {}
    )
    ranked = sorted(
        distance, key=lambda name: (distance[name], -graph.degree[name], natural_key(name))
    )
    visible = {
        name
        for _, names in groupby(ranked, distance.__getitem__)
        for name in islice(names, MOST_AT_A_DISTANCE)
    }
    edges = sorted(graph.edges, key=lambda link: (natural_key(link[0]), natural_key(link[1])))
    return Neighbourhood(
        cited=tuple(sorted(cited & visible, key=natural_key)),
        links=tuple(link for link in edges if visible.issuperset(link)),
        left_out=len(graph) - len(visible),
    )


def natural_key(name: str) -> tuple[tuple[int, str], ...]:
    """Return a key that sorts § 83 before § 167."""
    runs = re.findall(rf"(\d{{1,{_DIGITS}}})|(\D+)", name)
    return tuple((int(number or 0), text) for number, text in runs)


def sentences(neighbourhood: Neighbourhood, language: str) -> list[str]:
    """Describe in sentences what a section refers to, or which others refer to a cited one."""
    if not neighbourhood.links:
        return []
    labels = labels_for(language).neighbourhood
    outgoing: dict[str, list[str]] = {}
    incoming: dict[str, list[str]] = {}
    for source, target in neighbourhood.links:
        if target in neighbourhood.cited and source not in neighbourhood.cited:
            incoming.setdefault(target, []).append(source)
        else:
            outgoing.setdefault(source, []).append(target)
    texts = [labels.link.format(source, ", ".join(to)) for source, to in outgoing.items()]
    for target, sources in incoming.items():
        label = labels.link if len(sources) == 1 else labels.links
        texts.append(label.format(", ".join(sources), target))
    if neighbourhood.left_out:
        texts.append(labels.left_out.format(neighbourhood.left_out))
    return texts


def _document(citation: Mapping[str, Any], short_names: Mapping[str, str]) -> str:
    name: str = citation["document"]
    return short_names.get(name) or one_line(name).rsplit(".", 1)[0]


def _short_names(
    report: Mapping[str, Any], references: Iterable[Mapping[str, Any]]
) -> dict[str, str]:
    """Return the short name by file name, if a reference that leads to evidence uses one."""
    evidence = {p["chunk_id"]: p for p in report.get("evidence", ()) if p.get("document")}
    names: dict[str, str] = {}
    for reference in references:
        name = one_line(reference["resolved_to"])
        for passage in map(evidence.get, reference.get("chunk_ids", ())):
            label = one_line(passage["section"]) if passage else ""
            if passage and label and name.endswith(f" {label}"):
                names.setdefault(passage["document"], name.removesuffix(label).strip())
    return names
