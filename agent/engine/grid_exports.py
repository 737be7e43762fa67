"""Export a grid or a sweep as a file, with everything that was read for it."""

from agent.grid.models import GridOptions
from services.catalog.grids import Grids
from services.domain.errors import InvalidInput
from services.domain.grids import SWEPT, GridTable, SweepResult
from services.export.formats import GRID_FORMATS, as_json, render_listing
from services.export.grids import listing_of_grid, listing_of_sweep
from services.locale import rendered

__all__ = ["GRID_FORMATS", "export"]


def export(
    listed: GridTable | SweepResult, options: GridOptions, format_name: str, grids: Grids
) -> bytes:
    """Return a grid or a sweep in one of ``GRID_FORMATS``; raises InvalidInput for another."""
    if format_name not in GRID_FORMATS:
        raise InvalidInput(
            "There is no format {format!r}. Use one of {formats}.",
            format=format_name,
            formats=", ".join(GRID_FORMATS),
        )
    columns = [SWEPT] if isinstance(listed, SweepResult) else [c.id for c in listed.columns]
    readings = {
        (row, column): reading
        for column in columns
        for row, reading in grids.readings(listed.thread_id, column)
    }
    if format_name == "json":
        content = listed.model_dump(mode="json") | {"language": options.language}
        if isinstance(listed, GridTable):
            cells = (
                cell.model_copy(update={"reading": readings.get((cell.row, cell.column))})
                for cell in listed.cells
            )
            content["cells"] = [cell.model_dump(mode="json") for cell in cells]
        return as_json(rendered(content))
    if isinstance(listed, GridTable):
        listing = listing_of_grid(listed, readings, options.language)
    else:
        sections = [(row.name, (row.id, SWEPT) in readings) for row in grids.rows(listed.thread_id)]
        listing = listing_of_sweep(listed, sections, options.language)
    return render_listing(listing, format_name)
