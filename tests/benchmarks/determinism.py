"""The same questions in ten fresh processes: are evidence and answers the same, byte for byte?

    python -m tests.benchmarks.determinism HOME [--processes 10] [--collection NAME]

HOME holds ingested documents and is only read but for runs that are deleted again. The model is
the one of ``RABBITHOLE_LLM``; with one, set ``RABBITHOLE_DETERMINISTIC=1``. Hash seeds differ
among the processes, caches of searches and answers are those of the process, thus empty.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter

from agent.client import connect
from services.settings import Settings
from services.types import Principal
from tests.support.same_answer import answered

QUESTIONS = (
    "Welche Grenzwerte gelten für Schwangere und für Beschäftigte unter 18 Jahren?",
    "Worin unterscheiden sich Anzeige und Genehmigung beim Betrieb von Röntgeneinrichtungen?",
    "Wie lange sind Aufzeichnungen aufzubewahren?",
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--collection", action="append")
    parser.add_argument("--alone", action="store_true", help="be one of the processes")
    options = parser.parse_args()
    if options.alone:
        one(options.collection)
        return
    digests: dict[str, Counter[str]] = {}
    for seed in range(options.processes):
        for name, digest in another(options, seed).items():
            digests.setdefault(name, Counter())[digest] += 1
    for name, found in digests.items():
        verdict = "identical" if len(found) == 1 else f"{len(found)} different"
        print(f"{verdict:12} {sum(found.values()):3} processes  {name}")


def another(options: argparse.Namespace, seed: int) -> dict[str, str]:
    """Digests of evidence and answer by question, from a process of its own."""
    chosen = [word for name in options.collection or () for word in ("--collection", name)]
    command = [sys.executable, "-m", "tests.benchmarks.determinism", options.home, "--alone"]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "RABBITHOLE_HOME": options.home}
    ran = subprocess.run([*command, *chosen], env=environment, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(ran.stderr)
    found: dict[str, str] = json.loads(ran.stdout.splitlines()[-1])
    return found


def one(collections: list[str] | None) -> None:
    """Answers every question in this process."""
    digests: dict[str, str] = {}
    with connect(Settings(), Principal()) as client:
        for question in QUESTIONS:
            found = answered(client, question, tuple(collections) if collections else None)
            for kind, report in found.items():
                for part in ("evidence", "sentences", "answer"):
                    if part in report:
                        text = json.dumps(report[part], sort_keys=True)
                        name = f"{kind} {part}: {question}"
                        digests[name] = hashlib.sha256(text.encode()).hexdigest()
    print(json.dumps(digests))


if __name__ == "__main__":
    main()
