"""What becomes of each file of a folder: ``python -m tests.benchmarks.bad_files FOLDER``.

Every file is ingested alone, in a process of its own, by the product's ingestion with the fake
embedder of the tests. Prints outcome, seconds, and the peak memory of ingestion and of parser
(Linux only).
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from services.ingestion.parse import FileParser
from services.settings import Settings
from tests.support.catalogs import new_catalog
from tests.support.ingestion import Bench

MODULE = "tests.benchmarks.bad_files"


def main(folder: Path) -> None:
    print(f"{'seconds':>7} {'MB':>5} {'parser':>6}  file: outcome")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            row = measured(path)
            outcome = f"{path.relative_to(folder)}: {row['outcome']}"
            print(f"{row['seconds']:7.2f} {row['mb']:5.0f} {row['parser_mb']:6.0f}  {outcome}")


def measured(path: Path) -> dict[str, Any]:
    """Ingest a file in a process of its own."""
    command = [sys.executable, "-m", MODULE, "--one"]
    done = subprocess.run([*command, str(path)], capture_output=True, check=True)
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def ingest(path: Path) -> dict[str, Any]:
    """Ingest a file here; memory is in megabytes, resident, at its highest."""
    import resource

    with tempfile.TemporaryDirectory() as home, new_catalog(Path(home) / "c.sqlite3") as catalog:
        bench = Bench(catalog, Path(home), parser=FileParser(Settings()))
        started = time.perf_counter()
        (outcome,) = bench.ingest(path).files
        seconds = time.perf_counter() - started
    return {
        "outcome": str(outcome.error)
        if outcome.error
        else f"{outcome.status}, {outcome.chunks} chunks",
        "seconds": round(seconds, 2),
        "mb": peak_mb(),
        "parser_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    }


def peak_mb() -> float:
    """This process's own peak; that of getrusage begins with what its parent used."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (peak,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return int(peak) / 1024


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(json.dumps(ingest(Path(sys.argv[2]))))
    else:
        main(Path(sys.argv[1]))
