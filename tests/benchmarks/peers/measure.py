"""Runs the systems one after the other on one model server; called again it asks what is open.

    python3 -m venv PEERS/langchain && PEERS/langchain/bin/pip install langchain-chroma ...
    python -m tests.benchmarks.peers.measure --peers PEERS --files DIR --out OUT
        [--questions tests/benchmarks/data/fresh/locked.jsonl --answerable 12 --unanswerable 4]

``PEERS`` holds an environment for each system, named as in ``SYSTEMS``; what is not there is passed
over. ``OUT`` gets ``answers.jsonl``, ``calls.jsonl`` and each system's home. ``--upstream`` names
a server of OpenAI's chat completions, with ``--model``; else the embedded model is used.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import httpx
import psutil

from tests.benchmarks import common
from tests.benchmarks.peers.compare import DATA

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SYSTEMS = {
    "rabbithole": ("ask_rabbithole.py", ""),
    "rabbithole-research": ("ask_rabbithole.py", ""),
    "langchain": (
        "ask_langchain.py",
        "langchain-community langchain-openai langchain-chroma docx2txt pypdf",
    ),
    "paper-qa": ("ask_paperqa.py", "paper-qa"),
    "local-deep-research": ("ask_local_deep_research.py", "local-deep-research"),
}
"""The script of each system, and what its environment is made with: ``pip install`` these."""

START_S = 300
EVERY_S = 0.5
"""Between two looks at the memory of a system."""


def environment(system: str, peers: Path) -> dict[str, str]:
    """Depth and import path of ours; for all the word lists that litellm ships, without network."""
    known = dict(os.environ)
    if system.startswith("rabbithole"):
        depth = system.partition("-")[2] or "fast"
        return {**known, "DEPTH": depth, "PYTHONPATH": str(ROOT)}
    lists = next(
        peers.glob("*/lib/python*/site-packages/litellm/litellm_core_utils/tokenizers"), ""
    )
    return {**known, "TIKTOKEN_CACHE_DIR": str(lists)} if lists else known


def interpreter(system: str, peers: Path) -> Path:
    return Path(sys.executable) if "rabbithole" in system else peers / system / "bin" / "python"


def ready(url: str) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        try:
            httpx.get(f"{url}/models", trust_env=False).raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(1)
    raise TimeoutError("the model server does not start")


def measure(given: argparse.Namespace, url: str, system: str, ids: Sequence[str]) -> None:
    python = interpreter(system, given.peers)
    if not python.exists():
        print(f"{system}: no environment")
        return
    command: list[object] = [python, HERE / SYSTEMS[system][0], "--files", given.files]
    command += ["--llm-url", url, "--model", given.model]
    command += ["--questions", given.questions, "--out", given.out / "answers.jsonl"]
    command += ["--home", given.out / system, "--question-s", given.question_s]
    command += ["--ingestion-s", given.ingestion_s, "--only", *ids]
    print(f"{system}, load {os.getloadavg()[0]:.1f}", flush=True)
    known = environment(system, given.peers)
    running, peak = psutil.Popen(list(map(str, command)), env=known, cwd=HERE), 0.0
    while running.poll() is None:
        peak = max(peak, tree_mb(running))
        time.sleep(EVERY_S)
    print(f"{system}: {peak:.0f} MB at most", flush=True)


def tree_mb(root: psutil.Process) -> float:
    """Resident megabytes of a process and all below it; shared pages count more than once."""
    sizes = []
    for process in (root, *root.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            sizes.append(process.memory_info().rss)
    return sum(sizes) / 1e6


def chosen(given: argparse.Namespace) -> list[str]:
    """The ids asked for, or the first by id whose documents are there: so many with an answer.

    Of the fresh questions, whose ids end in a hash, that is a random draw from one collection.
    """
    if given.only:
        return list(given.only)
    there = {path.name for path in given.files.iterdir()}
    rows = [
        row
        for row in sorted(common.read_lines(given.questions), key=lambda row: row["id"])
        if row.get("collection", given.files.name) == given.files.name
        and there.issuperset(row.get("documents", ()))
    ]
    answerable = [row["id"] for row in rows if row["gold"]][: given.answerable]
    return answerable + [row["id"] for row in rows if not row["gold"]][: given.unanswerable]


def main() -> None:
    parser = common.arguments(__doc__, "out")
    parser.add_argument("--peers", type=Path, required=True)
    parser.add_argument("--files", type=Path, required=True)
    parser.add_argument("--systems", nargs="*", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--questions", type=Path, default=DATA / "questions.jsonl")
    parser.add_argument("--answerable", type=int, help="at most so many that have an answer")
    parser.add_argument("--unanswerable", type=int, help="at most so many that have none")
    parser.add_argument("--only", nargs="*", help="ids of questions")
    parser.add_argument("--question-s", type=int, default=300)
    parser.add_argument("--ingestion-s", type=int, default=900)
    parser.add_argument("--port", type=int, default=8399)
    parser.add_argument("--upstream", default="", help="ends with /v1")
    parser.add_argument("--model", default="qwen2.5-coder-1.5b-instruct")
    given = parser.parse_args()
    given.peers, given.files, given.out, given.questions = (
        path.resolve() for path in (given.peers, given.files, given.out, given.questions)
    )
    given.out.mkdir(parents=True, exist_ok=True)
    ids = chosen(given)
    log, url = given.out / "calls.jsonl", f"http://127.0.0.1:{given.port}/v1"
    serve = [sys.executable, "-m", "tests.benchmarks.peers.server", "--log", str(log)]
    serve += ["--port", str(given.port), "--upstream", given.upstream]
    server = subprocess.Popen(serve, cwd=ROOT)
    try:
        ready(url)
        for system in given.systems:
            measure(given, url, system, ids)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
