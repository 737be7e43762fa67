"""Grids and sweeps over HTTP and MCP: what the engine says, and what it takes before it reads."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from services.settings import Settings
from tests.support.api_server import Served, client, events, serving
from tests.support.assistant import over_http, said
from tests.support.grid_house import House
from tests.support.grid_model import DEPOSIT, NOTICE

COLUMNS = [
    {"id": 1, "question": NOTICE, "form": "number"},
    {"id": 2, "question": DEPOSIT, "form": "number"},
]
GRIDS = "/api/v1/grids"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    opened = House(tmp_path_factory.mktemp("grids") / "home")
    with opened.engine:
        yield opened


@pytest.fixture(scope="module")
def desk(house: House, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = Settings(home=tmp_path_factory.mktemp("api"), llm="none")
    with serving(house.engine, settings) as at:
        yield at


@pytest.fixture
def http(desk: Served, house: House) -> httpx.Client:
    house.play()
    return client(desk)


def created(http: httpx.Client, **options: Any) -> str:
    body = {"name": "Mieten", "columns": COLUMNS, "collections": ["miete"]} | options
    answer = http.post(GRIDS, json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["thread_id"])


def read(http: httpx.Client, thread: str) -> None:
    started = http.post(f"{GRIDS}/{thread}/run")
    assert started.status_code == 202, started.text
    after = started.json()["after"]
    last = events(http, f"/api/v1/runs/{thread}/events?after={after}")[-1]
    assert json.loads(last["data"])["status"] == "done"


def test_a_grid_is_estimated_read_and_shown(http: httpx.Client) -> None:
    thread = created(http)
    assert http.get(f"{GRIDS}/{thread}/estimate").json()["cells"] == 6
    read(http, thread)
    table = http.get(f"{GRIDS}/{thread}").json()
    assert [cell["value"] for cell in table["cells"]][3] == "2.400 Euro"
    row = table["rows"][1]["id"]
    cell = http.get(f"{GRIDS}/{thread}/cells/{row}/2").json()
    assert cell["reading"]["findings"][0]["citations"][0]["document"] == "sued.md"
    assert thread in {run["thread_id"] for run in http.get(GRIDS).json()["grids"]}


def test_a_cell_is_decided_on_and_read_again(http: httpx.Client) -> None:
    thread = created(http)
    read(http, thread)
    row = http.get(f"{GRIDS}/{thread}").json()["rows"][0]["id"]
    cell = f"{GRIDS}/{thread}/cells/{row}/1"
    assert http.post(f"{cell}/review", json={"value": "4 Monate"}).json()["review"]["corrected"]
    assert http.delete(f"{cell}/review").json()["review"] is None
    assert http.post(f"{cell}/read").status_code == 202
    events(http, f"/api/v1/runs/{thread}/events")
    assert http.get(cell).json()["value"] == "drei Monate"
    assert http.get(f"{GRIDS}/{thread}/cells/{row}/9").status_code == 404


def test_columns_are_changed(http: httpx.Client) -> None:
    thread = created(http)
    changed = http.patch(f"{GRIDS}/{thread}", json={"columns": COLUMNS[:1], "max_calls": 4}).json()
    assert [column["id"] for column in changed["columns"]] == [1]
    http.patch(f"{GRIDS}/{thread}", json={"columns": COLUMNS})
    assert http.get(f"/api/v1/runs/{thread}").json()["options"]["max_calls"] == 4
    refused = http.patch(f"{GRIDS}/{thread}", json={"columns": [COLUMNS[0], COLUMNS[0]]})
    assert refused.status_code == 422 and "own" in refused.json()["detail"]


def test_a_sweep_is_read_and_exported(http: httpx.Client) -> None:
    body = {"question": "Welche Kündigungsfristen gibt es?", "collections": ["miete"]}
    thread = http.post("/api/v1/sweeps", json=body).json()["thread_id"]
    read(http, thread)
    result = http.get(f"/api/v1/sweeps/{thread}").json()
    assert {group["value"] for group in result["groups"]} == {"drei Monate", "30 Tage"}
    assert result["sections_read"] == result["sections"] == 8
    file = http.get(f"{GRIDS}/{thread}/export", params={"format": "csv"})
    assert file.headers["content-type"].startswith("text/csv") and "30 Tage" in file.text
    assert http.get(f"/api/v1/sweeps/{created(http)}").status_code == 422


def test_who_may_not_write_or_see_it_does_not(http: httpx.Client, desk: Served) -> None:
    thread = created(http)
    reader, other = client(desk, "read"), client(desk, "write", "mallory")
    assert reader.get(f"{GRIDS}/{thread}").status_code == 200
    assert reader.post(f"{GRIDS}/{thread}/run").status_code == 403
    assert other.get(f"{GRIDS}/{thread}").status_code == 404
    assert other.get(f"{GRIDS}/{thread}/cells/x/1").status_code == 404


async def test_an_assistant_is_told_what_reading_takes_before_it_reads(
    http: httpx.Client, desk: Served
) -> None:
    async with over_http(desk, "write") as client:
        told = await said(client, "grid", name="Neu", columns=COLUMNS[:1], collections=["miete"])
        assert told["estimate"]["cells"] == 3
        table = await said(client, "grid", thread_id=told["thread_id"], read=True)
        assert table["cells"][0]["value"] == "drei Monate"
        row = {"row": table["rows"][0]["id"], "column": 1}
        cell = await said(client, "grid_cell", thread_id=told["thread_id"], **row)
        assert cell["reading"]["state"] == "verified"
        told = await said(client, "sweep", question=NOTICE, collections=["miete"])
        swept = await said(client, "sweep", thread_id=told["thread_id"], read=True)
        assert swept["sections_read"] == swept["sections"] == 8
