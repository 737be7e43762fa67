"""Measure grids, sweeps or contradictions with a model behind any OpenAI-compatible server.

    python -m tests.benchmarks.grids --set grid|sweep|contradictions --server URL --model NAME \
        [--home HOME] [--only NAME ...] [--again] [--score]

Each matter, question or group of pairs is a unit with a home of its own in HOME, where its result
is kept: a unit that was read is not read again, and several runs with ``--only`` may share HOME at
the same time. ``--again`` reads all once more beside the first run, and says what is the same.
``--score`` reads nothing. Of the locked half only totals are shown.
"""

import json
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tests.benchmarks import common
from tests.benchmarks.common import Row
from tests.benchmarks.grids.gold import SETS, Unit, units
from tests.benchmarks.grids.run import read_unit
from tests.benchmarks.grids.score import Figures, compare, score
from tests.benchmarks.reading.run import settings_for

DEFAULT_HOME = Path(tempfile.gettempdir()) / "rabbithole-grids"
AT_ONCE = 20
"""Calls of a unit."""
FIRST, AGAIN = "first", "again"


def read(set_: str, unit: Unit, folder: Path, server: str, model: str) -> None:
    """Read a unit whose result is not in ``folder`` yet, and store the result there."""
    path = folder / f"{unit.name}.json"
    if path.exists():
        return
    settings = settings_for(folder / unit.name, server, AT_ONCE, model=model, summaries=False)
    result = read_unit(set_, unit, settings)
    written = path.with_suffix(".part")
    written.write_text(json.dumps(result, ensure_ascii=False, indent=1), encoding="utf-8")
    written.replace(path)
    print(f"{unit.name}: {result['calls']} calls, {result['tokens']} tokens", flush=True)


def report(set_: str, folder: Path, read_units: Sequence[Unit]) -> list[str]:
    """Return a line for each figure, of the units that have a result."""
    open_, locked, same = Figures(), Figures(), Figures()
    results: list[Row] = []
    for unit in read_units:
        first = _result(folder / FIRST, unit)
        again = _result(folder / AGAIN, unit)
        if first is not None:
            results.append(first)
            score(set_, unit, first, open_, locked)
            if again is not None:
                compare(set_, first, again, same)
    calls, tokens = (sum(result[name] for result in results) for name in ("calls", "tokens"))
    return [
        f"{len(results)} of {len(read_units)} units read, {calls} calls, {tokens} tokens",
        "open half:",
        *open_.lines(),
        *("  " + miss for miss in open_.misses),
        "locked half:",
        *locked.lines(),
        *same.lines(),
    ]


def _result(folder: Path, unit: Unit) -> Row | None:
    path = folder / f"{unit.name}.json"
    return common.read_json(path) if path.exists() else None


def main(argv: Sequence[str] | None = None) -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--set", choices=SETS, required=True)
    parser.add_argument("--server", help="base URL, e.g. http://127.0.0.1:8900/v1")
    parser.add_argument("--model", default="large")
    parser.add_argument("--home", type=Path, default=DEFAULT_HOME)
    parser.add_argument("--only", nargs="*", default=(), help="matters, questions or groups")
    parser.add_argument("--again", action="store_true", help="read once more, and compare")
    parser.add_argument("--score", action="store_true", help="score what was read, read nothing")
    parser.add_argument("--at-once", type=int, default=3, help="units that are read at once")
    options = parser.parse_args(argv)
    chosen, folder = units(options.set, options.only), options.home / options.set
    if not options.score:
        if not options.server:
            parser.error("--server or --score is needed")
        run = folder / (AGAIN if options.again else FIRST)
        run.mkdir(parents=True, exist_ok=True)
        reads = partial(read, options.set, folder=run, server=options.server, model=options.model)
        with ThreadPoolExecutor(options.at_once) as pool:
            for done in [pool.submit(reads, unit) for unit in chosen]:
                done.result()
    print("\n".join(report(options.set, folder, chosen)))


if __name__ == "__main__":
    main()
