"""The neighbourhood of an answer: the sections that it cites, and what those refer to."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, Final

from services.export.clean import one_line
from services.export.words import words_for

Link = tuple[str, str]
"""The name of the section that refers, and of the one that it refers to."""
FARTHEST: Final = 2
"""Steps from a cited section at which others are still shown."""
MOST_AT_A_DISTANCE: Final = 10
_DIGITS: Final = 9


@dataclass(frozen=True)
class Neighbourhood:
    """Names of sections: those that the answer cites, and who refers to whom.

    ``left_out`` counts sections that are too far away or too many to be shown.
    """

    cited: tuple[str, ...]
    links: tuple[Link, ...]
    left_out: int = 0


def of_report(report: Mapping[str, Any]) -> Neighbourhood:
    """From the citations of a report and the references that were followed for it."""
    references = [each for each in report.get("references", ()) if each["resolved_to"]]
    short = _short_names(report, references)
    cited = {
        " ".join(filter(None, (_document(citation, short), one_line(citation["section"]))))
        for sentence in report["sentences"]
        for citation in sentence["citations"]
    }
    links = ((one_line(each["from"]), one_line(each["resolved_to"])) for each in references)
    return nearest(cited, links)


def nearest(cited: Iterable[str], links: Iterable[Link]) -> Neighbourhood:
    """Of each distance from what is cited the sections with the most links, ties by name."""
    import networkx as nx

    graph = nx.DiGraph(link for link in links if link[0] != link[1])
    graph.add_nodes_from(cited := set(cited))
    either_way = graph.to_undirected(as_view=True)
    distance: dict[str, int] = (
        nx.multi_source_dijkstra_path_length(either_way, cited, FARTHEST) if cited else {}
    )
    ranked = sorted(distance, key=lambda name: (distance[name], -graph.degree[name], order(name)))
    shown = {
        name
        for _steps, names in groupby(ranked, distance.__getitem__)
        for name in islice(names, MOST_AT_A_DISTANCE)
    }
    links_by_name = sorted(graph.edges, key=lambda link: (order(link[0]), order(link[1])))
    return Neighbourhood(
        cited=tuple(sorted(cited & shown, key=order)),
        links=tuple(link for link in links_by_name if shown.issuperset(link)),
        left_out=len(graph) - len(shown),
    )


def order(name: str) -> tuple[tuple[int, str], ...]:
    """As people sort: § 83 before § 167."""
    parts = re.findall(rf"(\d{{1,{_DIGITS}}})|(\D+)", name)
    return tuple((int(number or 0), text) for number, text in parts)


def sentences(around: Neighbourhood, language: str) -> list[str]:
    """The neighbourhood in words: a sentence for all that a section refers to.

    One more says for each cited section which others refer to it; nothing where there is no link.
    """
    if not around.links:
        return []
    words = words_for(language).neighbourhood
    left_out = [words.left_out.format(around.left_out)] if around.left_out else []
    to: dict[str, list[str]] = {}
    by: dict[str, list[str]] = {}
    for source, target in around.links:
        if target in around.cited and source not in around.cited:
            by.setdefault(target, []).append(source)
        else:
            to.setdefault(source, []).append(target)

    def told() -> Iterator[str]:
        for source, targets in to.items():
            yield words.link.format(source, ", ".join(targets))
        for target, sources in by.items():
            link = words.link if len(sources) == 1 else words.links
            yield link.format(", ".join(sources), target)

    return [*told(), *left_out]


def _document(citation: Mapping[str, Any], short: Mapping[str, str]) -> str:
    name: str = citation["document"]
    return short.get(name) or one_line(name).rsplit(".", 1)[0]


def _short_names(
    report: Mapping[str, Any], references: Iterable[Mapping[str, Any]]
) -> dict[str, str]:
    """File name -> the short name of it that references use, where one leads to evidence."""
    places = {each["chunk_id"]: each for each in report.get("evidence", ()) if each.get("document")}
    names: dict[str, str] = {}
    for reference in references:
        for chunk_id in reference.get("chunk_ids", ()):
            place, name = places.get(chunk_id), one_line(reference["resolved_to"])
            label = one_line(place["section"]) if place else ""
            if place and label and name.endswith(f" {label}"):
                names.setdefault(place["document"], name.removesuffix(label).strip())
    return names
