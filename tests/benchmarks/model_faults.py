"""Shows each fault of a model server at each task that a depth asks of it, one at a time.

    python -m tests.benchmarks.model_faults [fast] [enhanced] ... [--task NAME] [--fault NAME]

Which tasks are asked is read off a run without a fault. A run survives if it ends in time and
without a traceback, quotes the law, says nothing that the fault brought, and names each task that
fell back: the one with the fault, unless a text was whole and checked like any other.
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.benchmarks import common
from tests.support.faulty_runs import KINDS, faulty
from tests.support.faulty_tasks import FAULTS

DEADLINE_S: Final = "4"


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []])
    parser.add_argument("--task", action="append", help="only these")
    parser.add_argument("--fault", action="append", choices=FAULTS, help="only these")
    options = parser.parse_args()
    faults = options.fault or FAULTS
    os.environ["RABBITHOLE_MODEL_DEADLINE_S"] = DEADLINE_S
    count = bad = 0
    with tempfile.TemporaryDirectory() as folder, faulty(Path(folder)) as trial:
        for kind in options.kinds or KINDS:
            tasks = [each for each in trial.tasks(kind) if each in (options.task or [each])]
            lost = 0
            for task in tasks:
                for fault in faults:
                    problems = trial.tried(kind, task, fault)
                    lost += bool(problems)
                    if problems:
                        print(f"{kind}, {task}, {fault}:", *problems, sep="\n  ", flush=True)
            tried = len(tasks) * len(faults)
            print(f"{kind} ({', '.join(tasks)}): {tried - lost} of {tried} survived", flush=True)
            count, bad = count + tried, bad + lost
    print(f"{count - bad} of {count} survived")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
