"""Several workers of one home in PostgreSQL: killed at random, without a database, and how fast.

    python -m tests.benchmarks.workers [kills|outage|ingestion|grid] [--times 30] [--seconds 0.3]

Workers are processes of their own with real stores; the model is scripted and thinks for so many
seconds before each answer, about two prompts at once. ``kills``: three workers, of which one that
drives a research is killed at a random moment, so many times. ``outage``: the database is stopped
amid so many researches and started again. ``ingestion``: the worker that takes in a folder is
killed at a random moment, so many times; what the home then holds is compared with an undisturbed
ingestion. ``grid``: how long ten questions to so many documents take with one worker and with two.
"""

import random
import statistics
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, select

from agent.engine.engine import Engine
from agent.engine.grids import columns_of
from services.catalog.work_models import QueuedJobRow
from services.domain.grids import Form
from services.domain.runs import RunInfo
from tests.benchmarks import common
from tests.support import postgres
from tests.support.crew import Crew, crew
from tests.support.deadly_works import law
from tests.support.desk import QUESTION, until_ended
from tests.support.grid_model import PERIODS, grid_rules, write_contracts
from tests.support.research import STRAIGHT, kinds, report_of, rules
from tests.support.waiting import until

DRIVEN_S = 120.0
FILES = 40
FOLDER = "folder"


def begun(engine: Engine) -> str:
    return engine.threads.start(QUESTION, options=STRAIGHT)


def faults_of(engine: Engine, thread: str, whole: list[str], answer: str) -> list[str]:
    """What is wrong with how a thread ended, compared with one that nobody disturbed."""
    run, told = engine.threads.run(thread), kinds(engine, thread)
    if run.status != "done":
        return [f"{run.status}: {run.error}"]
    found = [] if told.count("run_finished") == 1 else [f"{told.count('run_finished')} ends"]
    found += [] if Counter(told) == Counter(whole) else ["other events"]
    return found + ([] if report_of(engine, thread)["answer"] == answer else ["another answer"])


def holder(at_work: Crew, thread: str) -> str | None:
    return at_work.services.catalog.leases.holder(thread)


def kills(at_work: Crew, times: int) -> int:
    """Kills a driving worker again and again; how many runs ended otherwise than undisturbed."""
    engine, bad, waited = at_work.engine, 0, list[float]()
    whole = begun(engine)
    assert until_ended(engine, whole) == "done"
    told, answer = kinds(engine, whole), report_of(engine, whole)["answer"]
    span = _seconds(engine.threads.run(whole))
    while len(waited) < times:
        threads = [begun(engine) for _ in range(2)]
        until(lambda thread=threads[0]: holder(at_work, thread) is not None, seconds=DRIVEN_S)
        time.sleep(random.uniform(0, span))
        if (drives := holder(at_work, threads[0])) is not None:
            name = drives.split("-")[0]
            at_work.kill(name)
            moved = partial(
                lambda thread, dead: holder(at_work, thread) != dead, threads[0], drives
            )
            since = time.monotonic()
            until(moved, seconds=DRIVEN_S)
            waited.append(time.monotonic() - since)
        for each in threads:
            until_ended(engine, each)
        found = {each: faults_of(engine, each, told, answer) for each in threads}
        bad += sum(map(bool, found.values()))
        if drives:
            print(f"{len(waited)}: {name} killed, missed in {waited[-1]:.1f} s;", found, flush=True)
            at_work.start(f"w{len(waited) + 3}")
    spread = f"median {statistics.median(waited):.1f}, at most {max(waited):.1f} s"
    print(f"{times} kills: {bad} runs ended otherwise; missed in {spread}")
    return bad


def outage(at_work: Crew, times: int) -> int:
    """Stops the database amid work; how many runs ended otherwise."""
    engine, bad = at_work.engine, 0
    whole = begun(engine)
    assert until_ended(engine, whole) == "done"
    told, answer = kinds(engine, whole), report_of(engine, whole)["answer"]
    for n in range(times):
        threads = [begun(engine) for _ in range(2)]
        until(lambda thread=threads[0]: holder(at_work, thread) is not None, seconds=DRIVEN_S)
        seconds = random.choice([0.5, 3.0, 15.0])
        time.sleep(random.uniform(0, 1))
        with postgres.away(at_work.services.settings.catalog_url):
            time.sleep(seconds)
        back = time.monotonic()
        for each in threads:
            while until_ended(engine, each) in ("queued", "running"):
                time.sleep(0.1)
        took = time.monotonic() - back
        found = {each: faults_of(engine, each, told, answer) for each in threads}
        bad += sum(map(bool, found.values()))
        print(f"{n + 1}: away {seconds} s, both done {took:.1f} s after;", found, flush=True)
    print(f"{bad} of {2 * times} runs ended otherwise")
    return bad


def grid(at_work: Crew, documents: int) -> int:
    """How long a grid of so many documents takes with one worker, with two, and with one again."""
    folder = at_work.services.settings.home / "contracts"
    write_contracts(folder, documents)
    at_work.engine.library.ingest([folder], "contracts")
    for name in ("w2", "w3"):
        at_work.end(name)
    one = _grid_seconds(at_work, "number")
    at_work.start("w4")
    two = _grid_seconds(at_work, "text")
    at_work.end("w4")
    again = _grid_seconds(at_work, "party")
    ratio = (one + again) / 2 / two
    print(f"one worker {one:.1f} and {again:.1f} s, two {two:.1f} s: {ratio:.2f} times as fast")
    return 0


def _grid_seconds(at_work: Crew, form: Form) -> float:
    """Read all contracts; in another form a question is another one, so nothing is known."""
    grids, columns = at_work.engine.grids, columns_of([(question, form) for question in PERIODS])
    begin, thread = time.monotonic(), grids.create(form, columns, collections=["contracts"])
    grids.run(thread)
    assert until_ended(at_work.engine, thread) == "done", at_work.engine.threads.run(thread).error
    table = grids.table(thread)
    assert table.cells_read == len(table.cells) > 0
    return time.monotonic() - begin


def ingestion(at_work: Crew, times: int) -> int:
    """Kills the worker that takes in a folder again and again; how often something was amiss."""
    folder, bad, tries = at_work.services.settings.home / FOLDER, 0, 0
    folder.mkdir()
    for number in range(FILES):
        (folder / f"G{number}.txt").write_text(law(f"G{number}", f"Stoff{number}"), "utf-8")
    begin = time.monotonic()
    at_work.engine.library.ingest([folder], FOLDER)
    span, whole = time.monotonic() - begin, held(at_work)
    assert len(whole["documents"]) == FILES and len(whole["vectors"]) == len(whole["keywords"]) > 0
    killed = 0
    with ThreadPoolExecutor(1) as pool:
        while killed < times:
            at_work.engine.library.delete_collection(FOLDER)
            tries += 1
            begin = time.monotonic()
            done = pool.submit(at_work.engine.library.ingest, [folder], FOLDER)
            until(lambda: _reader(at_work) is not None, seconds=DRIVEN_S)
            time.sleep(random.uniform(0, span))
            if (reads := _reader(at_work)) is None:
                done.result()
                span = time.monotonic() - begin  # sooner done than the first
                continue
            at_work.kill(name := reads.split("-")[0])
            killed, at = killed + 1, time.monotonic() - begin
            done.result()
            found = held(at_work)
            amiss = [each for each in whole if found[each] != whole[each]]
            bad += bool(amiss)
            took = f"{name} killed after {at:.1f} s, done after {time.monotonic() - begin:.1f} s"
            print(f"{killed}: {took}; amiss: {amiss}", flush=True)
            at_work.start(f"w{killed + 3}")
    print(f"{killed} kills in {tries} ingestions (at last {span:.1f} s undisturbed): {bad} amiss")
    return bad


def _reader(at_work: Crew) -> str | None:
    """Who does the ingestion that is under way."""
    running = (QueuedJobRow.kind == "ingest") & (QueuedJobRow.status == "running")
    database = create_engine(at_work.services.settings.catalog_url)
    with database.connect() as connection:
        holder: str | None = connection.scalar(select(QueuedJobRow.holder).where(running))
    database.dispose()
    return holder


def held(at_work: Crew) -> dict[str, Any]:
    """What the folder's collection has in catalog and indexes."""
    library, services = at_work.engine.library, at_work.services
    collection = library.collection(FOLDER).collection_id
    ids = sorted(services.vectors.ids(collection))
    vectors = services.vectors.vectors(collection, ids)
    return {
        "documents": sorted(
            (d.document, d.sha256, d.status, d.chunks) for d in library.documents(FOLDER)
        ),
        "vectors": [(each, vectors[each].tobytes()) for each in ids],
        "keywords": sorted(services.lexical.ids(collection)),
        "hits": [
            sorted(services.lexical.search(collection, w, 999)) for w in ("Grenzwert", "Stoff7")
        ],
        "health": [each.healthy for each in library.check(FOLDER).collections],
    }


def _seconds(run: RunInfo) -> float:
    begin, end = map(datetime.fromisoformat, (run.created_at, run.updated_at))
    return (end - begin).total_seconds()


ACTIONS = {"kills": kills, "outage": outage, "ingestion": ingestion, "grid": grid}


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("what", choices=ACTIONS)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=0.3)
    options = parser.parse_args()
    script = grid_rules if options.what == "grid" else rules
    with (
        tempfile.TemporaryDirectory() as home,
        postgres.server() as server,
        postgres.database(server) as url,
        crew(
            Path(home),
            url,
            "w1",
            "w2",
            "w3",
            seconds=options.seconds,
            person_runs=99,
            script=script,
        ) as at_work,
    ):
        raise SystemExit(bool(ACTIONS[options.what](at_work, options.times)))


if __name__ == "__main__":
    main()
