"""The embedded model: one quick test of the real thing, the whole contract when asked for."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from services.domain.errors import ModelTimeout, ModelUnavailable
from services.models.base import ChatRequest, Message, estimate_tokens
from services.models.embedded import EMBEDDED_NAME, EmbeddedModel, ensure_weights, installed_pieces
from services.settings import Settings
from tests.contracts.chat_model_contract import SCHEMA, SENTENCE, ChatModelContract
from tests.support.waiting import until

pytestmark = pytest.mark.skipif(
    installed_pieces() is None, reason="the extra 'embedded' is not installed"
)


@pytest.fixture(scope="module")
def weights() -> Path:
    return ensure_weights(Settings().cache_dir)


@pytest.fixture(scope="module")
def started(weights: Path) -> Iterator[EmbeddedModel]:
    model = asyncio.run(EmbeddedModel.start(weights, name=EMBEDDED_NAME, context_tokens=2048))
    yield model
    asyncio.run(model.close())


@pytest_asyncio.fixture
async def model(
    started: EmbeddedModel, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[EmbeddedModel]:
    """Another client of the one server: to load the file takes longer than most tests."""
    assert started._server is not None
    monkeypatch.setattr(started._server, "stop", lambda: None)
    model = EmbeddedModel(EMBEDDED_NAME, started._server, started._options)
    yield model
    await model.close()


def ask(prompt: str, **changes: object) -> ChatRequest:
    fields = {"max_tokens": 48, "deadline_s": 100.0, **changes}
    return ChatRequest(messages=(Message(role="user", content=prompt),), **fields)


QUESTION = ask(f"{SENTENCE} Wie hoch ist der Grenzwert?", json_schema=SCHEMA, max_tokens=40)


def running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_answers_in_german_as_the_schema_says_and_goes_away(weights: Path) -> None:
    model = await EmbeddedModel.start(weights, name=EMBEDDED_NAME, context_tokens=1024)
    assert model._server is not None
    pid = model._server.pid
    assert model.count_tokens(SENTENCE) < len(SENTENCE) / 2
    done = await model.complete(QUESTION)
    assert "20" in json.loads(done.text)["answer"]
    assert done.prompt_tokens > 20
    await model.close()
    assert not running(pid)
    with pytest.raises(ModelUnavailable, match="closed"):
        await model.complete(ask("Und?"))


async def test_tokens_are_estimated_while_the_server_is_exchanged(model: EmbeddedModel) -> None:
    """Another thread closes the client that counts; a question must not fail for it."""
    model._tokenizer.close()
    assert model.count_tokens("Ein neuer Satz.") == estimate_tokens("Ein neuer Satz.")


def waiting_server(parent: str) -> subprocess.Popen[bytes]:
    """A process that waits as the server does, for a parent with the id ``parent``."""
    module = "services.models.embedded_server"
    code = f"import os\nfrom {module} import *\nwait_while_child_of({parent})"
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)


def test_the_server_waits_until_its_input_closes() -> None:
    server = waiting_server("os.getppid()")
    with pytest.raises(subprocess.TimeoutExpired):
        server.wait(0.5)
    server.communicate(timeout=60)
    assert server.returncode == 0


def test_the_server_ends_when_its_parent_has_changed() -> None:
    server = waiting_server("os.getppid() + 1")
    assert server.wait(60) == 0
    server.communicate()


@pytest.mark.slow
def test_no_server_survives_a_killed_parent(weights: Path) -> None:
    code = (
        "import asyncio, pathlib, time\n"
        "from services.models.embedded import EmbeddedModel\n"
        f"start = EmbeddedModel.start(pathlib.Path({str(weights)!r}), name='embedded:x')\n"
        "print(asyncio.run(start)._server.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert running(pid)
    parent.kill()
    parent.communicate()
    until(lambda: not running(pid), seconds=60)


@pytest.mark.slow
class TestEmbeddedModel(ChatModelContract): ...


@pytest.mark.slow
@pytest.mark.parametrize(
    "abandoned",
    [
        ask("Erzähle eine lange Geschichte.", max_tokens=1500, deadline_s=3),
        ask(SENTENCE * 60 + "Fasse zusammen.", deadline_s=2),
    ],
    ids=["while it writes", "while it reads"],
)
async def test_an_abandoned_call_is_not_in_the_way_of_the_next(
    model: EmbeddedModel, abandoned: ChatRequest
) -> None:
    async def seconds() -> float:
        started = time.monotonic()
        await model.complete(QUESTION)
        return time.monotonic() - started

    await seconds()
    alone = await seconds()
    with pytest.raises(ModelTimeout):
        await model.complete(abandoned)
    assert await seconds() < 3 * alone + 8


@pytest.mark.slow
async def test_a_dead_server_is_started_again(weights: Path) -> None:
    model = await EmbeddedModel.start(weights, name=EMBEDDED_NAME, context_tokens=1024)
    assert model._server is not None
    os.kill(model._server.pid, 9)
    await asyncio.to_thread(model._server.wait)
    assert "20" in (await model.complete(QUESTION)).text
    assert model.count_tokens(SENTENCE) < len(SENTENCE) / 2
    await model.close()


@pytest.mark.slow
async def test_a_long_beginning_is_read_once(model: EmbeddedModel) -> None:
    beginning = "Merke dir genau, was hier steht. " + SENTENCE * 20  # no other test's
    first = await model.complete(ask(f"{beginning} Frage 1?", json_schema=SCHEMA))
    second = await model.complete(ask(f"{beginning} Frage 2?", json_schema=SCHEMA))
    assert second.seconds < first.seconds


@pytest.mark.slow
async def test_deterministic_mode_gives_the_same_answer_after_other_prompts(weights: Path) -> None:
    model = await EmbeddedModel.start(
        weights, name=EMBEDDED_NAME, context_tokens=2048, deterministic=True
    )
    question = ask(
        SENTENCE * 8 + "Wie hoch ist der Grenzwert, und für wen gilt er?", max_tokens=300
    )
    first = await model.complete(question)
    await model.complete(ask(SENTENCE * 8 + "Erkläre das Wort Kalenderjahr.", max_tokens=300))
    assert (await model.complete(question)).text == first.text
    await model.close()
