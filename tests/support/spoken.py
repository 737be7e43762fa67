"""What the engine can say, read off its source: the sentences of errors, warnings and reasons."""

import ast
from collections.abc import Iterator
from pathlib import Path

from services.domain import errors

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("agent", "app", "services")
NOT_FOR_THE_APP = ("services/evaluation/", "app/cli/main.py", "app/cli/")
"""What only the command line runs."""
HOLE = "\0"
ERRORS = {name for name in vars(errors) if isinstance(vars(errors)[name], type)}
SPEAKING = {
    "_no_report",
    "_unknown",
    "_unsupported",
    "_what_happened",
    "_stumbled",
    "damage_message",
    "reason",
}
"""Functions that return a sentence, or a part of one, for somebody else to raise."""
CALLS = {"Candidate", "Resolution", "ReferenceRecord", "warn", "warnings.append", "damaged"}
"""Calls that take a sentence without being an error."""
INSERTED = {"_supported()": f"Rabbithole reads {HOLE}"}
"""Parts of sentences that stand in a function of their own."""


def sentences() -> Iterator[tuple[str, str]]:
    """Where it is said, and the sentence with ``HOLE`` for every value."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if not place.startswith(NOT_FOR_THE_APP):
                yield from _of_file(place, ast.parse(path.read_text(encoding="utf-8")))


def _of_file(place: str, tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func) in ERRORS | CALLS:
            given = [*node.args, *(word.value for word in node.keywords)]
        elif isinstance(node, ast.FunctionDef) and node.name in SPEAKING:
            given = [each.value for each in ast.walk(node) if isinstance(each, ast.Return)]
        else:
            continue
        for value in given:
            for said in _templates(value):
                if " " in said.replace(HOLE, "").strip():
                    yield f"{place}:{node.lineno}", said


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return "warnings.append" if ast.unparse(function) == "warnings.append" else function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _templates(value: ast.expr | None) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(_part(part) for part in parts)
        case ast.IfExp(body=body, orelse=other):
            yield from _templates(body)
            yield from _templates(other)
        case ast.BoolOp(values=values):
            for each in values:
                yield from _templates(each)


def _part(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    inner = ast.unparse(part.value) if isinstance(part, ast.FormattedValue) else ""
    if inner in INSERTED:
        return INSERTED[inner]
    quoted = isinstance(part, ast.FormattedValue) and part.conversion == ord("r")
    return f"'{HOLE}'" if quoted else HOLE
