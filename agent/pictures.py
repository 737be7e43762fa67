"""Pictures of reports for the pages, in the language of their reader."""

from collections.abc import Mapping
from typing import Any


def neighbourhood(report: Mapping[str, Any], language: str) -> str:
    """What the cited sections refer to, as SVG with all foreign text escaped; "" if nothing."""
    from services.export.pictures.neighbourhood import of_report
    from services.export.pictures.neighbourhood_svg import neighbourhood_svg

    return neighbourhood_svg(of_report(report), language)
