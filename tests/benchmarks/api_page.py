"""Writes docs/api.md from the schema of the HTTP API.

    python -m tests.benchmarks.api_page

What stands above the first operation is kept in ``data/api_head.md``; a test holds the page
current.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.api.gateway import ApiGateway
from app.api.server import make_app
from services.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "api.md"
HEAD = Path(__file__).with_name("data") / "api_head.md"
GROUPS = {
    "library": "Collections, documents, jobs",
    "ask": "Search and quick answers",
    "research": "Research, conversations, reports",
    "grids": "Grids and sweeps",
    "graph": "Knowledge graph",
    "openai": "OpenAI-compatible",
}


def page() -> str:
    """The page as it has to be."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder), llm="none")
        schema = make_app(ApiGateway(lambda: None, settings)).openapi()  # type: ignore[arg-type, return-value]
    lines = [HEAD.read_text(encoding="utf-8").rstrip()]
    for tag, title in GROUPS.items():
        lines += [
            "",
            f"## {title}",
            "",
            "| call | what it does | body, parameters |",
            "|---|---|---|",
        ]
        lines += [row(schema, *each) for each in operations(schema) if tag in each[2]["tags"]]
    optional = "A `?` marks an optional field."
    return "\n".join([*lines, "", "## Fields of the bodies", "", optional, *fields(schema), ""])


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def row(schema: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> str:
    query = [each["name"] for each in operation.get("parameters", ()) if each["in"] != "path"]
    sent = [*map(named, bodies(operation)), *(f"`{name}`" for name in query)]
    what = operation["description"].split("\n\n")[0].replace("\n", " ")
    return f"| `{method} {path}` | {what} | {', '.join(sent)} |"


def bodies(operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for body in operation.get("requestBody", {}).get("content", {}).values():
        yield body["schema"]


def named(schema: dict[str, Any]) -> str:
    reference = schema.get("$ref", "").rsplit("/", 1)[-1]
    return f"`{reference}`" if reference else "JSON"


def fields(schema: dict[str, Any]) -> Iterator[str]:
    """Each body with its fields; a field without a default must be given."""
    seen = set()
    for _, _, operation in operations(schema):
        for body in bodies(operation):
            name = body.get("$ref", "").rsplit("/", 1)[-1]
            if not name or name in seen:
                continue
            seen.add(name)
            known = schema["components"]["schemas"][name]
            needed = known.get("required", ())
            told = (f"`{f}`{'' if f in needed else '?'}" for f in known["properties"])
            about = " ".join(known.get("description", "").split())
            yield f"\n**{name}**: {', '.join(told)}.{f' {about}' if about else ''}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
