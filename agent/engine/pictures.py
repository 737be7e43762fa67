"""Pictures of reports and turns for the pages, in the language of their reader."""

from collections.abc import Mapping
from typing import Any

from services.export.coverage import APP_COLUMNS, Matrix, matrix
from services.export.coverage_picture import CoverageTable, coverage_svg, coverage_table
from services.export.neighbourhood import Neighbourhood, of_entity, of_report
from services.export.neighbourhood_picture import neighbourhood_list, neighbourhood_svg
from services.graph.values import EntityCard

__all__ = ["Neighbourhood", "around", "coverage", "entity", "needed", "neighbourhood"]


def neighbourhood(report: Mapping[str, Any], language: str) -> str:
    """What the cited sections refer to, as SVG with all foreign text escaped; "" if nothing."""
    return neighbourhood_svg(of_report(report), language)


def around(found: Neighbourhood, language: str) -> tuple[str, list[str]]:
    """The neighbourhood of a quick answer, as SVG and in sentences that say the same.

    Foreign text is escaped in the picture alone. Both are empty where there is no reference.
    """
    return neighbourhood_svg(found, language), neighbourhood_list(found, language)


def entity(card: EntityCard, language: str) -> str:
    """What a node of the knowledge graph is tied to, as SVG; "" if to nothing."""
    from agent.graph_paths import relation

    ties = [(relation(each, language), each.target.name, each.against) for each in card.neighbours]
    return neighbourhood_svg(of_entity(card.node.name, ties), language, of_entity=True)


def needed(value: Mapping[str, Any]) -> Matrix:
    """What a report or a turn needed, by all documents; without rows for a quick answer."""
    return matrix(value)


def coverage(value: Mapping[str, Any], language: str) -> tuple[CoverageTable, str]:
    """What a report or a turn needed by documents: a table, and a file of SVG; nothing escaped
    in the table, everything in the picture.
    """
    found = matrix(value, APP_COLUMNS)
    return coverage_table(found, language), coverage_svg(found, language, paper=True)
