"""What the scripts of the peers share. Runs with each peer's own interpreter: nothing but Python.

A script gives :func:`run` two functions: one that takes the files in, one that answers a question.
What comes is one JSON line a question: ``answer``, ``sentences`` with their ``citations`` (file and
the words cited, empty where a system names the file alone), ``first_s`` and ``last_s``, ``error``.
"""

import argparse
import json
import re
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

Citation = dict[str, str]
"""``file`` and ``text``, the words that it points at."""

EMBEDDING = "multilingual-e5-small"
NO_KEY = "sk-none"


@dataclass(frozen=True)
class Given:
    """Where everything is."""

    files: Path
    home: Path
    url: str
    model: str

    @property
    def documents(self) -> list[Path]:
        return sorted(path for path in self.files.iterdir() if path.is_file())


@dataclass
class Answer:
    """What a system said."""

    text: str
    sentences: list[dict[str, Any]]
    first_s: float | None = None
    certainty: str | None = None
    """``answered``, ``perhaps`` or ``refused``, where a system says so itself."""


def by_marks(text: str, cited: Mapping[str, Sequence[Citation]], mark: str) -> list[dict[str, Any]]:
    """The sentences of an answer with what their marks point at; ``mark`` finds each mark."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z\"*(])", line):
            marks = list(dict.fromkeys(re.findall(mark, sentence)))
            found.append(
                {"text": sentence, "citations": [c for m in marks for c in cited.get(m, ())]}
            )
    return found


def run(
    system: str,
    ingest: Callable[[Given], Any],
    ask: Callable[[Given, Any, str], Answer],
    *,
    versions: Mapping[str, str],
) -> None:
    """Take the files in, ask every question that the result file has not, keep what came."""
    parser = argparse.ArgumentParser(description=f"Ask {system}.")
    for name in ("files", "questions", "out", "home"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--llm-url", required=True, help="ends with /v1")
    parser.add_argument("--model", required=True)
    parser.add_argument("--question-s", type=int, default=300)
    parser.add_argument("--ingestion-s", type=int, default=900)
    parser.add_argument("--only", nargs="*", help="ids of questions; none: the ingestion alone")
    options = parser.parse_args()
    options.home.mkdir(parents=True, exist_ok=True)
    places = options.files.resolve(), options.home.resolve()
    given = Given(*places, options.llm_url, options.model)
    signal.signal(signal.SIGALRM, too_long)

    def keep(row: dict[str, Any]) -> None:
        with options.out.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
        print(row["id"], row["last_s"], row.get("error", ""), flush=True)

    ingested: list[Any] = []
    row = timed(options.ingestion_s, lambda: ingested.append(ingest(given)))
    keep({"system": system, "id": "ingestion", **row, "versions": dict(versions)})
    if not ingested:
        return
    done = answered_before(options.out, system)
    lines = options.questions.read_text(encoding="utf-8").splitlines()
    for question in map(json.loads, lines):
        chosen = options.only is None or question["id"] in options.only
        if chosen and question["id"] not in done:
            answered = partial(ask, given, ingested[0], question["q"])
            keep({"system": system, "id": question["id"], **asked(answered, options.question_s)})


def answered_before(out: Path, system: str) -> set[str]:
    """Questions that the result file has an answer of this system to."""
    lines = out.read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["system"] == system]
    return {row["id"] for row in rows if "error" not in row}


def asked(answered: Callable[[], Answer], limit_s: int) -> dict[str, Any]:
    """What was answered, with its times; nothing where it failed."""
    said: list[Answer] = []
    times = timed(limit_s, lambda: said.append(answered()))
    answer = said[0] if said else Answer("", [])
    return {
        "answer": answer.text,
        "sentences": answer.sentences,
        "first_s": answer.first_s,
        "certainty": answer.certainty,
        **times,
    }


def timed(limit_s: int, action: Callable[[], Any]) -> dict[str, Any]:
    """When an action began and ended, and the error that it ended with."""
    begun, said = time.time(), {}
    signal.alarm(limit_s)
    try:
        action()
    except Exception as error:  # noqa: BLE001 what a peer fails with is a result
        said["error"] = f"{type(error).__name__}: {error}"[:500]
    finally:
        signal.alarm(0)
    ended = time.time()
    return {"begun": begun, "ended": ended, "last_s": round(ended - begun, 1), **said}


def too_long(*_: Any) -> None:
    raise TimeoutError("over the limit")
