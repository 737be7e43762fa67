"""How long the structured route takes to retrieve: six sub-queries that were never asked before.

    python -m tests.benchmarks.structured_latency --home HOME --collection NAME [--rounds N]

Retrieval is timed from the question to the coverage map: embedding, all strategies, fusion, reading
the passages and judging each piece. Without a graph there are three strategies and the filter.
"""

import argparse
import os
import statistics
import time
from pathlib import Path

from agent.ask.structured import gather
from agent.engine.engine import connect
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


def measured_work() -> list[float]:
    """Seconds of processor time of searching and of judging, as they are done from now on."""
    seconds: list[float] = []
    searched, judged = gather.search_all, gather.assess

    async def search_all(*arguments, **options):
        begin = time.process_time()
        found = await searched(*arguments, **options)
        seconds.append(time.process_time() - begin)
        return found

    def assess(*arguments):
        begin = time.process_time()
        found = judged(*arguments)
        seconds.append(time.process_time() - begin)
        return found

    gather.search_all, gather.assess = search_all, assess
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    times, work, processor = [], [], measured_work()
    with connect(Settings(home=options.home, llm="none")) as client:
        ask(client, "Was ist ein Strahlenpass?", options.collection)
        client._services.graph.wait()
        rounds = len(SUBJECTS) // PARTS
        for number in range(min(options.rounds, rounds * len(WAYS))):
            way, start = WAYS[number // rounds], number % rounds * PARTS
            subjects = SUBJECTS[start : start + PARTS]
            question = "\n".join(f"- {way} {subject}?" for subject in subjects)
            processor.clear()
            turn = ask(client, question, options.collection)
            work.append(1000 * sum(processor[:2]))
            first = [each for each in turn["sub_queries"] if not each["gap"]]
            times.append(turn["timings_ms"]["retrieval"])
            gap = len(turn["sub_queries"]) - len(first)
            print(
                f"{times[-1]:6.0f} ms, processor without gaps {work[-1]:4.0f} ms  "
                f"{len(first)} sub-queries, {gap} for gaps",
                flush=True,
            )
    load = f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    spread = f"median {statistics.median(times):.0f} ms, {min(times):.0f} to {max(times):.0f}"
    busy = f"processor median {statistics.median(work):.0f} ms, {min(work):.0f} to {max(work):.0f}"
    print(f"{spread}; {busy}; {load}")


if __name__ == "__main__":
    main()
