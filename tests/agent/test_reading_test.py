"""Who is tested when, and what counts: the result, what is set, and no fault of a server."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from agent.engine import handlers
from agent.reading_test.items import ITEMS
from agent.reading_test.tester import AGAIN_AFTER_S, ReadingTester, keep_result, stored_result
from app.cli.main import main
from services.build import Services
from services.domain.errors import ModelUnavailable
from services.domain.events import Warned
from services.domain.model_checks import ItemResult, ReadingTestResult
from services.domain.notices import Notice
from services.models.base import ChatModel, ChatRequest, Completion
from services.models.embedded import EMBEDDED_NAME
from services.models.openai_compatible import OpenAICompatibleModel
from services.settings import Settings
from tests.support.desk import ask, make_services, open_desk
from tests.support.dialect_server import DialectServer
from tests.support.loopback import Body
from tests.support.openai_server import OpenAIServer
from tests.support.reading_test_replies import Item, faithful, item_of, reply_to
from tests.support.research import report_of, researched, rules
from tests.support.scripted_model import Answer, ScriptedModel, prompt_of

MODEL = "openai:m"
PASSED = ReadingTestResult(model=MODEL, passed=True, at=1.0)
LIMIT = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"
PROSE = "Für Beschäftigte beträgt der Grenzwert des Lärms 85 Dezibel."
NOTHING = '{"answered": "no", "claims": [], "missing": "all"}'
SERVERS_OWN = (
    "cut", "drop", "empty", "blank", "thinking", "garbage", "error", "hangup", "missing",
    "too_long", "silent",
)  # fmt: skip


def reading(body: Body) -> str:
    return reply_to(body["messages"][-1]["content"])


def services_at(server: OpenAIServer, home: Path) -> Services:
    model = OpenAICompatibleModel("m", url=server.base_url, first_word_s=2.0)
    return make_services(home, model, reads=None)


async def model_of(services: Services) -> ChatModel:
    model = await services.chat_model()
    assert model is not None
    return model


def result_of(services: Services, *, again: bool = False) -> ReadingTestResult:
    async def run() -> ReadingTestResult:
        return await ReadingTester(services).tested(await model_of(services), again=again)

    return asyncio.run(run())


def learn(services: Services, at: float, told: list[Notice]) -> bool:
    """What a process that starts at that time learns."""

    async def run() -> bool:
        model = await model_of(services)
        return await ReadingTester(services, clock=lambda: at).reads(model, told.append)

    with suppress(ModelUnavailable):
        return asyncio.run(run())
    return False


@pytest.mark.parametrize("fault", SERVERS_OWN)
def test_a_fault_of_the_server_is_no_result_and_takes_none_away(fault: Any, tmp_path: Path) -> None:
    with OpenAIServer(reading) as server:
        server.fault = fault
        services = services_at(server, tmp_path)
        found = result_of(services)
        assert found.passed is None and found.items == () and found.problem is not None
        assert "openai:m" in str(found.problem)
        keep_result(services.catalog, PASSED)
        again = result_of(services, again=True)
        assert (again.passed, again.at) == (True, 1.0) and again.problem is not None
        services.close()


def test_a_fault_amid_the_items_is_none_either(tmp_path: Path) -> None:
    with OpenAIServer(reading) as server:
        services = services_at(server, tmp_path)
        server.reply = lambda body: reading(body) if len(server.requests) < 5 else ""
        assert result_of(services).passed is None
        server.reply = reading
        whole = result_of(services)
        assert whole.passed is True and whole.problem is None
        assert [each.question for each in whole.items] == [each.question for each in ITEMS]
        services.close()


@pytest.mark.parametrize(
    "dialect",
    ["max_completion_tokens", "no_seed", "no_schema", "bare", "ignores_schema", "fenced", "think",
     "reasoning", "answer_in_reasoning", "unstreamed", "busy", "keepalive"],
)  # fmt: skip
def test_a_model_that_reads_passes_in_every_dialect(dialect: Any, tmp_path: Path) -> None:
    with DialectServer(lambda body: reply_to(json.dumps(body, ensure_ascii=False))) as server:
        server.dialect = dialect
        services = services_at(server, tmp_path)
        found = result_of(services)
        assert found.passed is True and not any(each.problem for each in found.items)
        services.close()


@pytest.mark.parametrize("fault", ["length", "english", "bad_json", "schema"])
def test_what_a_model_writes_badly_is_its_own(fault: Any, tmp_path: Path) -> None:
    with OpenAIServer(reading) as server:
        server.fault = fault
        services = services_at(server, tmp_path)
        found = result_of(services)
        assert found.passed is False and all(each.problem for each in found.items)
        services.close()


def test_an_unfinished_reading_test_is_not_repeated_by_each_process(tmp_path: Path) -> None:
    told: list[Notice] = []
    with OpenAIServer(reading) as server:
        server.fault = "error"
        services = services_at(server, tmp_path)
        assert learn(services, 1000.0, told) is False
        assert "CUDA out of memory" in str(stored_result(services, MODEL).problem)
        server.fault, asked = "none", len(server.requests)
        assert learn(services, 1000.0 + AGAIN_AFTER_S - 1, told) is False
        assert len(server.requests) == asked and "CUDA out of memory" in str(told[-1])
        assert learn(services, 1000.0 + AGAIN_AFTER_S, told) is True
        services.close()


def test_a_test_that_ends_with_its_process_is_continued_by_the_next(tmp_path: Path) -> None:
    told: list[Notice] = []

    async def ask_for_a_moment(services: Services) -> bool:
        held = asyncio.Event()

        async def slow(*_: object) -> AsyncGenerator[ItemResult, None]:
            for item in ITEMS[:5]:
                yield item_result(item)
            held.set()
            await asyncio.Event().wait()

        tester, model = ReadingTester(services, slow, wait_s=0.01), await model_of(services)
        await tester.reads(model, told.append)
        await held.wait()
        reads = await tester.reads(model, told.append)
        await tester.stop()
        return reads

    model = ScriptedModel(default=faithful)
    services = make_services(tmp_path, model, reads=None)
    assert asyncio.run(ask_for_a_moment(services)) is False
    assert "has done 5 of the 16 tasks" in str(told[-1])
    assert learn(services, 0.0, told) is True
    assert len(model.requests) == len(ITEMS) - 5, "no item is asked twice"
    result = stored_result(services, "scripted")
    assert [each.question for each in result.items] == [each.question for each in ITEMS]
    services.close()


def test_another_file_and_a_test_that_is_repeated_begin_anew(tmp_path: Path) -> None:
    model = ScriptedModel(default=faithful)
    services = make_services(tmp_path, model, reads=None)
    wrong = [item_result(item, Notice.of("wrong")) for item in ITEMS]
    begun = ReadingTestResult(model="scripted", items=tuple(wrong))
    keep_result(services.catalog, begun)
    assert learn(services, 0.0, []) is False and model.requests == []
    keep_result(services.catalog, begun)
    assert result_of(services, again=True).passed is True
    model.requests.clear()
    keep_result(services.catalog, begun.model_copy(update={"digest": "old"}))
    assert learn(services, 0.0, []) is True
    services.close()


def test_a_question_waits_for_a_while_and_the_next_one_has_the_result(tmp_path: Path) -> None:
    services, told = make_services(tmp_path, ScriptedModel(), reads=None), list[Notice]()
    go_on = asyncio.Event()

    async def slow(*_: object) -> AsyncGenerator[ItemResult, None]:
        await go_on.wait()
        for item in ITEMS:
            yield item_result(item)

    async def learn_twice() -> tuple[bool, bool]:
        tester, model = ReadingTester(services, slow, wait_s=0.05), await model_of(services)
        at_first = await tester.reads(model, told.append)
        go_on.set()
        await tester.finally_reads(model)  # a busy machine may take longer than a question waits
        return at_first, await tester.reads(model, told.append)

    assert asyncio.run(learn_twice()) == (False, True)
    assert "doctor --models" in str(told[1])
    services.close()


def item_result(item: Item, problem: Notice | None = None) -> ItemResult:
    return ItemResult(
        kind=item.kind, language=item.language, question=item.question, reply="", problem=problem
    )


def test_a_file_under_the_same_name_is_tested_anew(tmp_path: Path) -> None:
    model = ScriptedModel(default=faithful)
    services = make_services(tmp_path, model, reads=None)
    keep_result(services.catalog, ReadingTestResult(model=model.name, digest="old", passed=False))
    model.digest = "old"  # type: ignore[attr-defined]
    assert learn(services, 1000.0, []) is False and model.requests == []
    model.digest = "new"  # type: ignore[attr-defined]
    assert learn(services, 1000.0, []) is True
    assert stored_result(services, model.name).digest == "new"
    services.close()


def test_a_share_that_an_earlier_version_kept_is_no_result(tmp_path: Path) -> None:
    services = make_services(tmp_path, ScriptedModel(), reads=None)
    old = {"model": "scripted", "share": 1.0, "answers": []}
    for key in ("examination.scripted", "examination.fake.scripted"):
        services.catalog.parameters.put(key, old)
    assert stored_result(services, "scripted") == ReadingTestResult(model="scripted")
    services.close()


def test_the_shipped_model_does_not_read_and_is_not_tested(tmp_path: Path) -> None:
    model = ScriptedModel(name=EMBEDDED_NAME)
    services = make_services(tmp_path, model, reads=None)
    assert learn(services, 0.0, []) is False and model.requests == []
    services.close()


def test_a_model_is_not_tested_by_what_another_in_its_place_replies(tmp_path: Path) -> None:
    services = make_services(tmp_path, other := ScriptedModel(default=NOTHING), reads=None)

    async def run() -> tuple[bool, int]:
        before = ScriptedModel(name="before")
        return await ReadingTester(services).reads(before, lambda _: None), len(other.requests)

    assert asyncio.run(run()) == (False, 0)
    assert stored_result(services, "before") == ReadingTestResult(model="before")
    services.close()


def test_where_answers_are_to_be_the_same_every_time_nobody_is_tested(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, llm="none", deterministic=True)
    model, told = ScriptedModel(), list[Notice]()
    services = make_services(tmp_path, model, reads=None, settings=settings)

    async def run() -> list[bool]:
        tester = ReadingTester(services)
        return [await tester.reads(model, told.append) for _ in range(2)]

    assert asyncio.run(run()) == [False, False] and model.requests == []
    assert len(told) == 1 and "RABBITHOLE_DETERMINISTIC" in str(told[0])
    services.close()


@pytest.mark.parametrize(("reads", "may"), [("yes", True), ("no", False)])
def test_what_is_set_counts_before_the_result(reads: Any, may: bool, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, llm="none", reads=reads)
    services = make_services(tmp_path, ScriptedModel(), settings=settings)
    for passed in (None, False, True):
        keep_result(services.catalog, ReadingTestResult(model="scripted", passed=passed))
        assert learn(services, 0.0, []) is may
    services.close()


def scripted(replies: Answer) -> ScriptedModel:
    """Passes or fails; its reading of everything else finds nothing."""

    def reply(request: ChatRequest) -> str:
        if item_of(prompt_of(request)) is None:
            return NOTHING
        return replies if isinstance(replies, str) else faithful(request)

    words = {"queries": [], "passage": ""}
    return ScriptedModel([("^words$", words), ("^(read|verify)$", reply), *rules()])


@pytest.mark.parametrize(("replies", "passes"), [(faithful, True), (NOTHING, False)])
def test_a_model_is_tested_before_its_first_answer_and_turns_are_replayed(
    tmp_path: Path, replies: Any, passes: bool
) -> None:
    model = scripted(replies)
    with open_desk(tmp_path / "home", model, reads=None) as desk:
        first = ask(desk, LIMIT, depth="fast")
        told = [each.event for each in desk.threads.events(first["thread_id"])]
        assert [each.message.fields["model"] for each in told if isinstance(each, Warned)] == [
            model.name
        ]
        assert stored_result(desk._services, model.name).passed is passes
        asked = len(model.requests)
        second = ask(desk, LIMIT, depth="fast")
        assert first["warnings"] == []
        assert {each.task for each in model.requests[asked:]} == (
            {"words", "read"} if passes else set()
        )
        for turn in (first, second):
            assert turn["reads"] is passes
            assert turn["usage"].get("reads") == (None if passes or turn["refused"] else "no")
            file = tmp_path / f"{turn['thread_id']}.json"
            file.write_text(json.dumps(desk.threads.trace(turn["thread_id"])), encoding="utf-8")
            assert desk.threads.replay(file).difference is None


def test_one_that_does_not_read_steers_and_leaves_answers_to_quotes(tmp_path: Path) -> None:
    final = f'ACTION: final_answer\nARGUMENTS: {{"answer": "{PROSE}"}}'
    thoughts = ["ACTION: retrieve_vector", final]
    model = ScriptedModel([("^agent_think$", thoughts)], default="Welcher Grenzwert gilt?")
    services = make_services(tmp_path)
    keep_result(services.catalog, ReadingTestResult(model=model.name, passed=False))
    services.close()
    with open_desk(tmp_path, model, reads=None) as desk:
        turn = ask(desk, LIMIT, depth="fast")
        ask(desk, "und für Auszubildende?", depth="fast", thread_id=turn["thread_id"])
        assert model.requests == []
        deeper = [ask(desk, LIMIT, depth=depth) for depth in ("enhanced", "structured", "agent")]
        steers = {"decompose", "agent_think", "agent_reflect"}
        assert {request.task for request in model.requests} <= steers
    for each in (turn, *deeper):
        assert {one["standing"] for one in each["sentences"]} == {"quote"}
        assert each["usage"]["reads"] == "no"


@pytest.mark.parametrize(("replies", "passes"), [(faithful, True), (NOTHING, False)])
def test_a_research_goes_by_it_too_and_is_replayed_so(
    tmp_path: Path, replies: Any, passes: bool
) -> None:
    model = scripted(replies)
    with open_desk(tmp_path / "home", model, reads=None) as desk:
        thread = researched(desk)
        report = report_of(desk, thread)
        file = tmp_path / "trace.json"
        file.write_text(json.dumps(desk.threads.trace(thread)), encoding="utf-8")
        assert desk.threads.replay(file).difference is None
    assert ("look_over" in {each.task for each in model.requests}) is passes
    assert report["usage"].get("reads") == (None if passes else "no")
    assert report["standings"].keys() == (set() if passes else {"quote"}), "it reads, and declines"


class Endless(ScriptedModel):
    """Never replies to an item."""

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        if item_of(prompt_of(request)) is not None:
            await asyncio.sleep(3600)
        return await super().complete(request, on_text)


def test_a_reading_test_under_way_does_not_hold_up_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handlers, "LAST_WRITES_WITHIN_S", 60.0)
    with open_desk(tmp_path, Endless(), reads=None) as desk:
        asked = desk.answers.ask(LIMIT)
        told = desk.threads.follow(asked.thread_id, asked.after)
        assert any(isinstance(each.event, Warned) for each in told)
        begin = time.monotonic()
    assert time.monotonic() - begin < 60
    services = make_services(tmp_path)
    assert stored_result(services, "scripted").passed is None
    services.close()


@pytest.fixture
def doctor(tmp_path: Path) -> Callable[..., Result]:
    def run(server: OpenAIServer, *options: str, **env: str) -> Result:
        set_ = {"HOME": str(tmp_path), "LLM": MODEL, "OPENAI_URL": server.base_url, **env}
        return CliRunner().invoke(
            main,
            ["doctor", "--models", *options],
            env={f"RABBITHOLE_{name}": value for name, value in set_.items()},
        )

    return run


def test_doctor_shows_repeats_and_says_what_overrules(doctor: Callable[..., Result]) -> None:
    with OpenAIServer(reading) as server:
        server.fault = "cut"
        failed = doctor(server)
        assert failed.exit_code == 1 and "stopped in the middle of its answer" in failed.stdout
        assert "not tested; quotes only" in failed.stdout
        server.fault, server.reply = "none", NOTHING
        shown = doctor(server, "--again").stdout
        assert "openai:m: failed the test; quotes only" in shown
        assert (
            f"wrong (read): {ITEMS[0].question}" in shown
            and "It declined to answer, though" in shown
        )
        server.reply, asked = reading, len(server.requests)
        assert (
            "failed the test; quotes only" in doctor(server).stdout
            and len(server.requests) == asked
        )
        assert "it writes answers (RABBITHOLE_READS=yes)" in doctor(server, READS="yes").stdout
        found = json.loads(doctor(server, "--again", "--json").stdout)
        assert (found["passed"], found["reads"], found["setting"]) == (True, True, "auto")
        assert {"kind", "language", "question", "reply", "problem"} == set(found["items"][0])
        assert "quotes only (RABBITHOLE_READS=no)" in doctor(server, READS="no").stdout
