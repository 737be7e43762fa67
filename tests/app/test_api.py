"""The HTTP API: the engine's own answers, for whom a token acts, and nobody else's."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from app.api import gateway
from app.api.events import stream_of
from app.api.gateway import ApiGateway
from services.domain import Principal, SearchRequest
from services.domain.errors import (
    AskPerson,
    InvalidInput,
    NoModel,
    NotFound,
    StoresBusy,
    Unauthorized,
)
from services.locale import rendered
from services.settings import Settings
from tests.benchmarks.api_page import PAGE, page
from tests.support.api_server import Served, broken_by, client, events, served, serving
from tests.support.desk import QUESTION, ask, open_desk, until_ended
from tests.support.research import FaultyModel

PLENTY = 1_000_000
JSON = "application/json"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("api"), api_requests_per_minute=PLENTY) as desk:
        yield desk


@pytest.fixture(scope="module")
def http(desk: Served) -> httpx.Client:
    return client(desk)


def as_json(value: Any) -> Any:
    return json.loads(value.model_dump_json())


def test_the_engine_and_the_api_say_the_same(desk: Served, http: httpx.Client) -> None:
    engine = desk.engine
    thread = ask(engine, QUESTION)["thread_id"]
    same: list[tuple[str, Any]] = [
        ("collections", {"collections": [as_json(s) for s in engine.library.shelves()]}),
        ("collections/laerm", as_json(engine.library.shelf("laerm"))),
        ("documents", {"documents": [as_json(d) for d in engine.library.documents()]}),
        (f"runs/{thread}", as_json(engine.threads.run(thread))),
        (f"runs/{thread}/report", rendered(engine.threads.report(thread))),
    ]
    for path, expected in same:
        assert http.get(f"/api/v1/{path}").json() == expected, path
    found = http.post("/api/v1/search", json={"query": "Grenzwert", "k": 3}).json()["hits"]
    assert [h["chunk_id"] for h in found] == [
        h.chunk_id for h in engine.library.find(SearchRequest(query="Grenzwert", k=3)).hits
    ]
    for name in ("md", "json", "bib"):
        got = http.get(f"/api/v1/runs/{thread}/export", params={"format": name})
        assert got.content == engine.threads.export_report(thread, name)
    report = http.get(f"/api/v1/runs/{thread}/report").json()
    checked = http.post("/api/v1/verify", json=report).json()
    assert checked["ok"] and checked["checked"] > 0
    (citation,) = report["turns"][0]["citations"][:1]
    place = f"/api/v1/documents/{citation['document_id']}/text"
    span = {name: citation[name] for name in ("start", "end")}
    assert http.get(place, params=span).json()["text"] == citation["quote"]


def test_no_collection_named_means_all_at_every_call(desk: Served, http: httpx.Client) -> None:
    found = http.post("/api/v1/search", json={"query": "Grenzwert", "collections": []}).json()
    assert found["hits"]
    asked = {"question": QUESTION, "collections": []}
    for call in ("ask", "research"):
        thread = http.post(f"/api/v1/{call}", json=asked).json()["thread_id"]
        assert desk.engine.threads.run(thread).collections == ("laerm",)
    desk.engine.threads.cancel(thread)


def test_a_research_goes_from_question_to_report(desk: Served, http: httpx.Client) -> None:
    asked = {"question": QUESTION, "options": {"clarify": False}}
    thread = http.post("/api/v1/research", json=asked).json()["thread_id"]
    assert events(http, f"/api/v1/runs/{thread}/events")[-1]["data"] == '{"status": "waiting"}'
    pending = http.get(f"/api/v1/runs/{thread}").json()["pending"]
    interrupt = {"interrupt_id": pending["interrupt_id"]}
    items = pending["items"][:1]
    steered = http.post(f"/api/v1/runs/{thread}/approve", json={**interrupt, "items": items})
    assert steered.status_code == 202
    rest = events(http, f"/api/v1/runs/{thread}/events?after={steered.json()['after']}")
    assert rest[-1]["data"] == '{"status": "done"}'
    again = http.post(f"/api/v1/runs/{thread}/approve", json=interrupt)
    assert (again.status_code, again.json()["code"]) == (409, "already-answered")
    assert http.get(f"/api/v1/runs/{thread}/report").json()["sentences"]
    place = http.get(f"/api/v1/runs/{thread}/checkpoints").json()["checkpoints"][-2]["id"]
    forked = http.post(f"/api/v1/runs/{thread}/fork", json={"checkpoint_id": place}).json()
    assert forked["thread_id"] != thread
    until_ended(desk.engine, forked["thread_id"])


def test_events_go_on_after_the_last_that_was_seen(desk: Served, http: httpx.Client) -> None:
    thread = ask(desk.engine, QUESTION)["thread_id"]
    path = f"/api/v1/runs/{thread}/events"
    whole = events(http, path)
    numbers = [int(each["id"]) for each in whole[:-1]]
    assert numbers == sorted(set(numbers)) == [e.seq for e in desk.engine.threads.events(thread)]
    assert events(http, path, **{"Last-Event-ID": whole[3]["id"]}) == whole[4:]


async def test_a_stream_of_what_is_deleted_meanwhile_ends(desk: Served) -> None:
    thread = ask(desk.engine, QUESTION)["thread_id"]
    told = stream_of(ApiGateway(lambda: desk.engine, Settings()).follow_thread(desk.engine, thread))
    first = await anext(told)
    desk.engine.threads.delete(thread)
    rest = [each async for each in told]
    assert first.startswith("id: ") and not any("event: end" in each for each in rest)


def test_a_conversation_over_what_is_gone_is_not_asked_on(desk: Served) -> None:
    desk.engine.library.change_collection("laerm", visibility="public")
    ole = client(desk, "write", "ole")
    thread = ole.post("/api/v1/ask", json={"question": QUESTION}).json()["thread_id"]
    desk.engine.library.change_collection("laerm", visibility="private")
    on = ole.post("/api/v1/ask", json={"question": "Und?", "thread_id": thread})
    assert (on.status_code, on.json()["code"]) == (404, "not-found")


def test_files_are_taken_in_and_taken_out(desk: Served, http: httpx.Client) -> None:
    files = [("files", ("../../nacht.txt", b"Nachts gilt ein Grenzwert von 40 Dezibel."))]
    number = http.post("/api/v1/collections/nacht/documents", files=files).json()["number"]
    told = events(http, f"/api/v1/jobs/{number}/events")
    assert told[-1]["data"] == '{"status": "done"}'
    job = http.get(f"/api/v1/jobs/{number}").json()
    assert [(f["path"], f["status"]) for f in job["result"]["files"]] == [("nacht.txt", "added")]
    asked = {"question": "Was gilt nachts?", "collections": ["nacht"]}
    answer = http.post("/api/v1/ask", json=asked)
    assert "40 Dezibel" in answer.json()["answer"]
    assert http.patch("/api/v1/collections/nacht", json={"name": "nachts"}).is_success
    assert http.delete("/api/v1/collections/nachts/documents/nacht.txt").is_success
    for call in (http.get, http.delete):
        (binned,) = call("/api/v1/collections/nachts/bin").json()["documents"]
        assert binned["document"] == "nacht.txt" and "source" not in binned
    assert http.delete("/api/v1/collections/nachts").json()["deleted"]["name"] == "nachts"


@pytest.mark.parametrize("name", ["mail.eml / plan.pdf", "two\nlines.txt"])
def test_a_document_is_reached_whatever_its_file_is_called(
    desk: Served, http: httpx.Client, name: str
) -> None:
    desk.engine.library.create_collection("odd")
    there, called = "/api/v1/collections/odd", quote(name, safe="")
    where = f"{there}/documents/{called}"
    missed = [http.patch(where, json={"author": "Amt"}), http.delete(where)]
    missed += [http.post(f"{there}/bin/{called}")]
    missed += [
        http.get(f"/api/v1/documents/{called}{part}")
        for part in ("", "/outline", "/text", "/pages/1")
    ]
    assert {each.status_code for each in missed} == {404}
    assert all(name[-9:] in each.json()["detail"] for each in missed)
    desk.engine.library.delete_collection("odd")


def test_nobody_sees_what_is_somebody_elses(desk: Served, http: httpx.Client) -> None:
    turn = ask(desk.engine, QUESTION)
    thread, cited = turn["thread_id"], turn["citations"][0]["document_id"]
    eva = client(desk, "write", "eva")
    assert eva.get("/api/v1/collections").json() == {"collections": []}
    assert eva.get("/api/v1/runs").json() == {"runs": []}
    hidden = [f"runs/{thread}", f"runs/{thread}/report", f"runs/{thread}/events",
              f"runs/{thread}/export?format=md", f"runs/{thread}/checkpoints",
              "collections/laerm", f"documents/{cited}", f"documents/{cited}/text",
              f"documents/{cited}/pages/1", "documents?collection=laerm", "jobs/1"]  # fmt: skip
    for path in hidden:
        assert eva.get(f"/api/v1/{path}").status_code == 404, path
    foreign, none = (eva.get(f"/api/v1/jobs/{each}").json()["detail"] for each in (1, 10**6))
    assert foreign.replace("1", "1000000") == none
    for path, body in {
        "search": {"query": "Lärm", "collections": ["laerm"]},
        "ask": {"question": "Lärm?", "collections": ["laerm"]},
        f"runs/{thread}/pause": {},
        f"runs/{thread}/cancel": {},
        f"runs/{thread}/vote": {"up": True},
    }.items():
        assert eva.post(f"/api/v1/{path}", json=body).status_code == 404, path
    on = eva.post("/api/v1/ask", json={"question": "Und?", "thread_id": thread})
    assert on.status_code == 404
    report = http.get(f"/api/v1/runs/{thread}/report").json()
    checked = eva.post("/api/v1/verify", json=report).json()
    assert not checked["documents"][0]["found"], "a report of others tells what they have"
    assert eva.get("/v1/models").json()["data"][1:] == []
    chat = {"model": "laerm", "messages": [{"role": "user", "content": "Lärm?"}]}
    assert eva.post("/v1/chat/completions", json=chat).status_code == 404
    admin = client(desk, "admin", "root")
    assert admin.get(f"/api/v1/runs/{thread}").is_success


def test_a_token_does_what_its_scope_says_while_it_holds(desk: Served) -> None:
    reader = client(desk, "read")
    assert reader.post("/api/v1/search", json={"query": "Lärm"}).is_success
    for refused in (
        reader.post("/api/v1/collections", json={"name": "neu"}),
        reader.post("/api/v1/research", json={"question": "Lärm?"}),
    ):
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    made = desk.engine.acting_as(Principal(user="ben")).tokens.create("short", "read", 1)
    late = {"Authorization": f"Bearer {made.token}"}
    assert httpx.get(f"{desk.url}/api/v1/runs", headers=late).status_code == 200
    desk.engine._catalog.tokens._database.execute(_expired())
    for headers in (late, {}, {"Authorization": "Bearer rh_x"}, {"Authorization": "Basic eDp5"}):
        refused = httpx.get(f"{desk.url}/api/v1/runs", headers=headers)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert refused.headers["content-type"] == "application/problem+json"
    with pytest.raises(Unauthorized):
        desk.engine.tokens.holder(made.token)


def _expired() -> Any:
    from sqlalchemy import update

    from services.catalog.work_models import TokenRow

    past = "2020-01-01T00:00:00+00:00"
    return update(TokenRow).where(TokenRow.name == "short").values(expires_at=past)


def test_tokens_are_named_once_and_kept_as_hashes(desk: Served) -> None:
    own = desk.engine.acting_as(Principal(user="ida")).tokens
    made = own.create("laptop", "write", 30)
    with pytest.raises(InvalidInput, match="already"):
        own.create("laptop", "read", None)
    for name, days in (("", None), ("x\n", 0), ("y", 4000)):
        with pytest.raises(InvalidInput):
            own.create(name, "read", days)
    home = desk.engine._services.settings.home
    kept = b"".join(each.read_bytes() for each in home.glob("catalog.sqlite3*"))
    assert b"laptop" in kept and made.token.encode() not in kept
    own.revoke("laptop")
    with pytest.raises(NotFound):
        own.revoke("laptop")


def test_an_admin_sees_everybodys_tokens_but_no_secret(desk: Served) -> None:
    ida, eva = (desk.engine.acting_as(Principal(user=name)).tokens for name in ("ida", "eva"))
    made = ida.create("phone", "read", None)
    assert "phone" not in {info.name for info in eva.list()}
    admin = desk.engine.acting_as(Principal(user="eva", role="admin")).tokens
    assert ("ida", "phone") in {(info.user, info.name) for info in admin.list()}
    assert not hasattr(admin.list()[0], "token")
    with pytest.raises(NotFound):
        admin.revoke("phone")
    assert ida.revoke("phone").name == made.name


LOGIN = """
[auth]
redirect_uri = "https://rabbithole.kanzlei.example/oauth2callback"
cookie_secret = "12345678901234567890123456789012"
client_id = "rabbithole"
client_secret = "secret"
server_metadata_url = "https://id.kanzlei.example/.well-known/openid-configuration"
[people]
allowed = ["*@kanzlei.example"]
"""


def test_tokens_of_people_without_access_are_refused(tmp_path: Path) -> None:
    login = tmp_path / "login.toml"
    login.write_text(LOGIN)
    login.chmod(0o600)
    with open_desk(tmp_path / "home") as engine:
        settings = Settings(home=tmp_path / "home", llm="none", login=login)
        with serving(engine, settings) as desk:
            for user, status in (
                ("anna@kanzlei.example", 200),
                ("eva@weg.example", 401),
                ("local", 200),
            ):
                assert client(desk, "read", user).get("/api/v1/runs").status_code == status


def test_a_stream_ends_with_its_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "KEEP_ALIVE_S", 0.05)
    model = FaultyModel()
    model.delay_s = 60
    with served(tmp_path, model) as desk:
        http, own = client(desk), desk.engine.tokens
        later = {"question": QUESTION, "depth": "fast", "wait": False}
        thread = http.post("/api/v1/ask", json=later).json()["thread_id"]
        with http.stream("GET", f"/api/v1/runs/{thread}/events") as stream:
            lines = stream.iter_lines()
            next(lines)
            own.revoke(own.list()[0].name)
            assert len(list(islice(lines, 1000))) < 1000
        desk.engine.threads.cancel(thread)


def test_limits_are_told_and_kept(tmp_path: Path) -> None:
    limits = {"api_requests_per_minute": 5, "api_upload_mb": 1}
    with served(tmp_path, **limits) as desk, client(desk) as http:
        files = [("files", ("big.txt", b"x" * 1_100_000))]
        large = http.post("/api/v1/collections/big/documents", files=files)
        assert (large.status_code, large.json()["code"]) == (413, "too-large")
        answers = [http.get("/api/v1/runs") for _ in range(7)]
        assert [each.status_code for each in answers].count(429) == 2
        assert answers[-1].headers["retry-after"] and "per minute" in answers[-1].json()["detail"]


@pytest.mark.parametrize("path", ["docs", "redoc", "api/docs", "api/redoc"])
def test_no_page_is_there_that_would_load_scripts_from_elsewhere(
    http: httpx.Client, path: str
) -> None:
    assert http.get(f"/{path}").status_code == 404


def test_one_person_has_so_many_threads_at_work(tmp_path: Path) -> None:
    model = FaultyModel()
    model.delay_s = 60
    with served(tmp_path, model, api_threads_at_once=2) as desk:
        desk.engine.library.change_collection("laerm", visibility="public")
        own, other = client(desk), client(desk, "write", "eva")
        later = {"question": QUESTION, "depth": "fast", "wait": False}
        with ThreadPoolExecutor(5) as at_once:
            asked = list(at_once.map(lambda _: own.post("/api/v1/ask", json=later), range(5)))
        assert sorted(each.status_code for each in asked) == [200, 200, 429, 429, 429]
        chat = {"model": "all", "messages": [{"role": "user", "content": QUESTION}]}
        for path, body in (("v1/chat/completions", chat), ("api/v1/research", {"question": "?"})):
            assert own.post(f"/{path}", json=body).status_code == 429
        assert other.post("/api/v1/ask", json=later).is_success, "it is nobody else's fault"
        first = next(each for each in asked if each.is_success)
        own.post(f"/api/v1/runs/{first.json()['thread_id']}/cancel")
        assert own.post("/api/v1/ask", json=later).is_success


@pytest.mark.parametrize("known", [True, False], ids=["with token", "without"])
def test_nothing_that_is_sent_breaks_it(desk: Served, known: bool) -> None:
    assert not broken_by(desk, 4, known=known)


UNKEEPABLE = ("Lärm\ud800", "Lärm\0", "x" * 4001)


LIST, OBJECT = b"[" * 100_000, b'{"a":' * 100_000


@pytest.mark.parametrize(
    "body",
    [LIST, LIST + b"]" * 100_000, OBJECT, OBJECT + b"1" + b"}" * 100_000, b"9" * 5000, b"\xff"],
    ids=["list", "whole list", "object", "whole object", "number", "no text"],
)
def test_a_body_that_cannot_be_read_is_the_sender_s_affair(
    desk: Served, http: httpx.Client, body: bytes
) -> None:
    paths = http.get("/api/openapi.json").json()["paths"]
    taking = [(m, p) for p, each in paths.items() for m in each if "requestBody" in each[m]]
    for method, path in taking:
        answer = http.request(
            method, re.sub(r"\{\w+\}", "1", path), content=body, headers={"Content-Type": JSON}
        )
        assert answer.status_code == 422, path
        said = answer.json()
        detail = said["error"]["message"] if "error" in said else said["detail"]
        assert len(detail.splitlines()) == 1 and len(detail) < 300, path


def test_a_word_too_long_to_be_counted_is_the_sender_s_affair(
    desk: Served, http: httpx.Client
) -> None:
    question = f'Wie oft kommt das Wort "{"a" * 201}" vor?'
    asked = http.post("/api/v1/ask", json={"question": question})
    message = {"role": "user", "content": question}
    chat = http.post("/v1/chat/completions", json={"model": "laerm", "messages": [message]})
    assert (asked.status_code, asked.json()["code"]) == (422, "invalid-input")
    assert (chat.status_code, chat.json()["error"]["code"]) == (422, "invalid-input")


@pytest.mark.parametrize("text", UNKEEPABLE, ids=["half a letter", "NUL", "too long"])
def test_texts_within_what_is_sent_have_the_bounds_of_all_others(
    http: httpx.Client, text: str
) -> None:
    for call, sent in {
        "search": {"query": "Lärm", "only": {"documents": [text]}},
        "research": {"question": QUESTION, "options": {"documents": [text]}},
        "runs/x/approve": {"interrupt_id": "x", "items": [{"id": 1, "task": text}]},
    }.items():
        refused = http.post(f"/api/v1/{call}", content=json.dumps(sent))
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid-input"), call
    many = {"query": "Lärm", "only": {"authors": ["x"] * 1100}}
    assert http.post("/api/v1/search", json=many).status_code == 422


def test_the_page_of_the_api_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.benchmarks.api_page"


def test_an_operator_sees_that_it_lives_can_work_and_how_much_it_does(
    desk: Served, http: httpx.Client
) -> None:
    ask(desk.engine, QUESTION)
    anybody = httpx.Client(base_url=http.base_url)
    assert anybody.get("/healthz").json() == {"status": "ok"}
    assert anybody.get("/readyz").json() == {"status": "ready"}
    assert anybody.get("/metrics").status_code == 401
    assert http.get("/metrics").status_code == 403, "it is about everybody's work"
    told = client(desk, "admin").get("/metrics")
    assert told.headers["content-type"].startswith("text/plain")
    lines = dict(line.rsplit(" ", 1) for line in told.text.splitlines() if not line.startswith("#"))
    assert float(lines['rabbithole_runs{status="done"}']) >= 1
    assert lines['rabbithole_jobs{status="queued"}'] == "0.0"
    assert float(lines["process_resident_memory_bytes"]) > 1_000_000


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (StoresBusy("The catalog database does not respond. Try again."), "stores-busy"),
        (
            AskPerson("The catalog cannot be used (attempt to write a readonly database)."),
            "ask-person",
        ),
        (OSError("Read-only file system"), "broken"),
    ],
)
def test_a_server_whose_catalog_does_not_answer_is_not_ready(
    desk: Served,
    http: httpx.Client,
    monkeypatch: pytest.MonkeyPatch,
    problem: Exception,
    code: str,
) -> None:
    def silent() -> None:
        raise problem

    monkeypatch.setattr(desk.engine._catalog.runs, "counts", silent)
    refused = http.get("/readyz")
    assert refused.status_code == 503 and refused.json()["code"] == code
    assert http.get("/healthz").is_success, "the process lives"


def test_a_turn_that_failed_is_503_where_the_model_is_down_and_else_500(tmp_path: Path) -> None:
    problem: Exception = NoModel("nothing responds at it; start the server")

    async def down() -> None:
        raise problem

    asked = {"question": QUESTION}
    chat = {"model": "all", "messages": [{"role": "user", "content": QUESTION}]}
    with served(tmp_path, down) as desk:
        http = client(desk)
        refused = http.post("/api/v1/ask", json=asked)
        assert (refused.status_code, refused.json()["code"]) == (503, "no-model")
        assert "start the server" in refused.json()["detail"]
        refused = http.post("/v1/chat/completions", json=chat)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "no-model")
        streamed = http.post("/v1/chat/completions", json={**chat, "stream": True}).text
        assert '"code": "no-model"' in streamed and "start the server" in streamed
        problem = ZeroDivisionError("a bug")
        assert http.post("/api/v1/ask", json=asked).status_code == 500
