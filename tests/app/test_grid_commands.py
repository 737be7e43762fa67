"""``rabbithole grid`` and ``sweep``: here, and at a server whose model is scripted."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from services.models.base import ChatRequest, Completion
from services.settings import Settings
from tests.support.api_server import Served, serving
from tests.support.grid_house import House, long_text
from tests.support.grid_model import DEPOSIT, NOTICE, prompt_of
from tests.support.scripted_model import Answer, ScriptedModel
from tests.support.shell import Shell


class Desk(Shell):
    """Leases at a server, and the commands of a person against it."""

    def __init__(self, house: House, at: Served, home: Path) -> None:
        self.house, self.at = house, {"RABBITHOLE_SERVER": at.url, "RABBITHOLE_TOKEN": at.token()}
        super().__init__(home, **self.at)

    def grid(self, name: str = "Mieten") -> dict[str, Any]:
        columns = ("--column", f"{NOTICE}::number", "--column", f"{DEPOSIT}::number")
        return self.json("grid", "create", name, "--collection", "miete", *columns)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with at_server(tmp_path) as desk:
        yield desk


@contextmanager
def at_server(tmp_path: Path, model: ScriptedModel | None = None) -> Iterator[Desk]:
    home = tmp_path / "home"
    house = House(home, model)
    with house.engine, serving(house.engine, Settings(home=home, llm="none")) as at:
        yield Desk(house, at, tmp_path / "other")


def test_a_grid_is_created_read_and_shown(desk: Desk) -> None:
    desk.grid()
    ran = desk.run("grid", "run", "Mieten")
    assert "6 of 6 cells to read: about 6 model calls" in ran.stderr
    assert "nord.md: drei Monate" in ran.stderr
    assert f"nord.md\n  {NOTICE}  drei Monate\n  {DEPOSIT}  (nicht im Dokument" in ran.stdout
    assert ran.stdout == desk.run("grid", "show", "Mieten").stdout
    shown = desk.json("grid", "show", "Mieten")
    assert [cell["value"] for cell in shown["cells"]][2:4] == ["drei Monate", "2.400 Euro"]
    assert "0 of 6 cells to read" in desk.run("grid", "run", "Mieten").stderr


def test_a_cell_shows_its_proof(desk: Desk) -> None:
    desk.grid()
    desk.run("grid", "run", "Mieten")
    shown = desk.run("grid", "show", "Mieten", "--cell", "sued.md", 2).stdout
    assert "2.400 Euro (verified)" in shown
    assert "sued.md § 2: “Die Kaution beträgt 2.400 Euro.”" in shown
    missing = desk.run("grid", "show", "Mieten", "--cell", 1, DEPOSIT).stdout
    assert "(nothing found in 3 of 3 sections)" in missing
    nowhere = desk.run("grid", "show", "Mieten", "--cell", "ost.md", 2)
    assert nowhere.exit_code == 1 and "has no row 'ost.md'. Rows: nord.md" in nowhere.stderr


def test_a_person_decides_on_cells(desk: Desk) -> None:
    desk.grid()
    desk.run("grid", "run", "Mieten")
    assert "accepted by local" in desk.run("grid", "accept", "Mieten", "nord.md", 1).stdout
    corrected = desk.json("grid", "correct", "Mieten", 2, 2, "2.450 Euro")["review"]
    assert (corrected["value"], corrected["corrected"]) == ("2.450 Euro", True)
    assert "2.450 Euro (korrigiert von local" in desk.run("grid", "show", "Mieten").stdout


def test_columns_are_added_and_removed(desk: Desk) -> None:
    desk.grid()
    changed = desk.json("grid", "edit", "Mieten", "--remove", 1, "--column", f"{NOTICE}::text")
    assert [(c["id"], c["form"]) for c in changed["columns"]] == [(2, "number"), (3, "text")]
    assert "no column 1" in desk.error("grid", "edit", "Mieten", "--remove", 1)


def test_a_sweep_takes_a_budget(desk: Desk) -> None:
    question = "Welche Kündigungsfristen gibt es?"
    thread = desk.json("sweep", question, "--collection", "miete")["thread_id"]
    assert desk.json("grid", "edit", thread, "--max-calls", 4)["columns"] == []
    assert desk.json("runs", "show", thread)["options"]["max_calls"] == 4


def test_a_grid_is_exported(desk: Desk, tmp_path: Path) -> None:
    desk.grid()
    desk.run("grid", "run", "Mieten")
    file = tmp_path / "mieten.xlsx"
    done = desk.json("grid", "export", "Mieten", "--format", "xlsx", "-o", file)
    assert done["bytes"] == file.stat().st_size
    assert openpyxl.load_workbook(BytesIO(file.read_bytes())).sheetnames[0] == "Werte"
    named = desk.json("grid", "export", "Mieten", "--format", "csv", "-o", tmp_path)["file"]
    assert Path(named) == tmp_path / "Mieten.csv" and Path(named).is_file()
    assert "--force" in desk.error("grid", "export", "Mieten", "--format", "csv", "-o", file)
    assert "drei Monate" in desk.run("grid", "export", "Mieten", "--format", "csv").stdout


def test_a_cell_is_read_again(desk: Desk) -> None:
    desk.grid()
    desk.run("grid", "run", "Mieten")
    asked = desk.house.asked("fill_in")
    assert desk.run("grid", "run", "Mieten", "--again", "nord.md", 1).exit_code == 0
    assert desk.house.asked("fill_in") == asked + 1


def test_a_sweep_tells_what_it_takes_and_asks(desk: Desk) -> None:
    question = "Welche Kündigungsfristen gibt es?"
    told = desk.json("sweep", question, "--collection", "miete")
    assert told["estimate"]["cells_left"] == 8 and desk.house.asked("look_through") == 0
    assert desk.error("sweep", question) and desk.house.asked("look_through") == 0
    ran = desk.run("sweep", question, "--collection", "miete", "--yes")
    assert "8 of 8 sections to read: about 6 model calls" in ran.stderr
    assert "drei Monate" in ran.stderr
    places = ran.stdout.partition("drei Monate\n  Stellen  ")[2].splitlines()[0]
    assert {place.split(",")[0] for place in places.split("; ")} == {"nord.md", "sued.md"}
    assert ran.stdout.count("    “Die Kündigungsfrist beträgt drei Monate.”") == 2
    assert ran.stdout.rstrip().endswith("8 von 8 Abschnitten wurden gelesen.\n8 Modellaufrufe")


def test_a_sweep_that_finds_nothing_says_so(desk: Desk) -> None:
    everything = list(range(1, 99))
    desk.house.play(look_through=json.dumps({"items": [], "nothing_in": everything}))
    said = desk.run("sweep", "Gibt es Haustiere?", "--collection", "miete", "--yes").stdout
    assert said.startswith("Keiner der 8 Abschnitte beantwortet die Frage.")


class GatedModel(ScriptedModel):
    """Answers for the first document alone, until its gate is opened."""

    def __init__(self) -> None:
        super().__init__(slots=3)
        self.gate = threading.Event()

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        while request.task == "fill_in" and "Nord" not in prompt_of(request):
            if await asyncio.to_thread(self.gate.wait, 0.05):
                break
        return await super().complete(request, on_text)


def test_ctrl_c_says_how_far_it_came_and_what_goes_on(tmp_path: Path) -> None:
    model = GatedModel()
    with at_server(tmp_path, model) as desk:
        thread = desk.grid()["thread_id"]
        command = ["-X", "faulthandler", "-m", "app.cli.main", "grid", "run", "Mieten"]
        process = subprocess.Popen(  # a job in the background of a shell ignores SIGINT
            [sys.executable, *command],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **desk.at},
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        )
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        assert any("nord.md: drei Monate" in line for line in lines)
        process.send_signal(signal.SIGINT)
        abort = threading.Timer(60, process.send_signal, [signal.SIGABRT])  # shows where it hangs
        abort.start()
        told = process.stderr.read()
        abort.cancel()
        assert process.wait(30) == 1, told
        end = f"2 of 6 cells were read. Continue with: rabbithole grid run {thread}\n"
        assert told.endswith(end)
        model.gate.set()
        assert "4 of 6 cells to read" in desk.run("grid", "run", thread).stderr
        assert desk.house.asked("fill_in") == 3


def test_a_grid_is_found_by_name_or_thread(desk: Desk) -> None:
    thread = desk.grid()["thread_id"]
    assert desk.json("grid", "show", thread)["name"] == "Mieten"
    again = desk.run("grid", "create", "Mieten", "--collection", "miete", "--column", NOTICE)
    assert again.exit_code == 1 and "Choose another name" in again.stderr
    assert "rabbithole grid list" in desk.error("grid", "run", "Pachten")
    assert thread in desk.run("grid", "list").stdout


def test_the_list_of_a_sweep_becomes_rows(desk: Desk) -> None:
    question = "Welche Kündigungsfristen gibt es?"
    desk.run("sweep", question, "--collection", "miete", "--yes")
    desk.json("grid", "create", "Fristen", "--rows", question, "--column", DEPOSIT)
    rows = desk.json("grid", "run", "Fristen")["rows"]
    assert {row["name"] for row in rows} == {"drei Monate", "30 Tage"}


def test_without_a_model_nothing_is_read_and_that_is_said(shell: Shell) -> None:
    question = "Welcher Grenzwert gilt für Beschäftigte?"
    shell.json("grid", "create", "Lärm", "--collection", "laerm", "--column", question)
    ran = shell.run("grid", "run", "Lärm")
    assert "no model has passed the reading test" in ran.stderr
    assert "85 Dezibel" in ran.stdout and "kein Modell hat sie gelesen" in ran.stdout
    swept = shell.run("sweep", question, "--collection", "laerm", "--yes").stdout
    assert "kein Modell hat sie gelesen" in swept and "0 von" in swept


def test_ask_names_the_sweep_for_a_question_that_asks_for_all(desk: Desk) -> None:
    words: Answer = {"queries": ["Pflichten"], "passage": "Pflichten"}
    read: Answer = {"answered": "no", "claims": [], "missing": ""}
    desk.house.play(**{"words|rewrite|title": words, "read": read})
    question = ("ask", "Nenne alle Pflichten des Mieters", "--collection", "miete")
    assert "rabbithole sweep" not in desk.run(*question).stdout, "all of it was read"
    desk.house.write("lang.md", long_text("Pflicht des Mieters"))
    desk.house.ingest()
    said = desk.run(*question).stdout
    assert "rabbithole sweep 'Nenne alle Pflichten des Mieters' --collection miete" in said
    assert "rabbithole sweep" not in desk.run("ask", NOTICE, "--collection", "miete").stdout


def test_commands_of_threads_lead_to_a_grid(desk: Desk) -> None:
    thread = desk.grid()["thread_id"]
    assert "grid" in desk.run("runs", "show", thread).stdout
    assert "rabbithole grid show" in desk.error("export", thread, "--format", "md")
    assert "rabbithole grid show" in desk.error("trace", "export", thread)
    assert "not a research thread" in desk.error("runs", "fork", thread)
    assert desk.json("runs", "cancel", thread)["status"] == "cancelled"


@pytest.mark.slow
def test_the_demo_fills_a_grid_over_the_sample_contracts(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    table = shell.json("demo", "--grid")
    assert (len(table["rows"]), len(table["cells"])) == (12, 48)
    said = shell.run("grid", "show", "contracts").stdout
    assert "GBP 75,000" in said and "0 of 48 cells were read." in said
    outline = shell.run("documents", "show", "softwarepflege.txt").stdout
    assert "§ 9 is replaced by softwarepflege-nachtrag-1.txt" in outline
    assert shell.json("demo", "--grid")["thread_id"] == table["thread_id"]
