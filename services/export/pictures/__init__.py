"""Pictures of reports as SVG: pure functions of the report, the same bytes for the same report."""
