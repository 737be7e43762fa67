"""How long the structured route takes to retrieve: six sub-queries that were never asked before.

    python -m tests.benchmarks.structured_latency --home HOME --collection NAME [--rounds N]

Retrieval is timed from the question to the coverage map: embedding, all strategies, fusion, reading
the passages and judging each piece. Without a graph there are three strategies and the filter.
"""

import argparse
import os
import statistics
from pathlib import Path

from agent.client import connect
from services.settings import Settings
from tests.benchmarks.structured_transcript import ask

SUBJECTS = (
    "Augenlinse", "Haut", "Hände", "Radon", "Strahlenpass", "Kontrollbereich", "Sperrbereich",
    "Freigrenzen", "Notfallplan", "Genehmigung", "Anzeige", "Strahlenschutzbeauftragten",
    "Dosisregister", "Röntgeneinrichtung", "Teleradiologie", "Baustoffe", "Altlasten", "Luftfahrt",
    "Fachkunde", "Unterweisung", "Messstelle", "Störstrahler", "Bauartzulassung", "Abfälle",
    "Freigabe", "Aufzeichnungen", "Medizinphysiker", "Schwangere", "Auszubildende", "Dosimeter",
)  # fmt: skip
PARTS = 6
WAYS = ("Welche Regeln gelten für", "Was ist zu beachten bei", "Wer ist zuständig für")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    times = []
    with connect(Settings(home=options.home)) as client:
        ask(client, "Was ist ein Strahlenpass?", options.collection)
        client._services.graph.wait()
        rounds = len(SUBJECTS) // PARTS
        for number in range(min(options.rounds, rounds * len(WAYS))):
            way, start = WAYS[number // rounds], number % rounds * PARTS
            subjects = SUBJECTS[start : start + PARTS]
            question = "\n".join(f"- {way} {subject}?" for subject in subjects)
            turn = ask(client, question, options.collection)
            first = [each for each in turn["sub_queries"] if not each["gap"]]
            times.append(turn["timings_ms"]["retrieval"])
            gap = len(turn["sub_queries"]) - len(first)
            print(f"{times[-1]:6.0f} ms  {len(first)} sub-queries, {gap} for gaps", flush=True)
    load = f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    spread = f"median {statistics.median(times):.0f} ms, {min(times):.0f} to {max(times):.0f}"
    print(f"{spread}; {load}")


if __name__ == "__main__":
    main()
