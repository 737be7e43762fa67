"""What a thread of 0.1 kept is read under the paths that its types have now."""

import asyncio
from pathlib import Path

import ormsgpack
import pytest

from agent.engine.checkpoints import MOVED, open_checkpoints
from services.domain import TaskUsage

PYDANTIC_V2 = 5
"""Code of LangGraph's extension type for models of pydantic 2."""


@pytest.mark.parametrize("module", ["services.types.answers", "services.domain.answers"])
def test_a_type_is_restored_by_its_path_of_then_and_now(module: str, tmp_path: Path) -> None:
    usage = TaskUsage(task="plan", model_calls=1)
    fields = (module, "TaskUsage", usage.model_dump(), "model_validate_json")
    kept = ormsgpack.packb(ormsgpack.Ext(PYDANTIC_V2, ormsgpack.packb(fields)))

    async def read() -> object:
        async with open_checkpoints(tmp_path / "checkpoints.sqlite") as saver:
            serde = saver.serde.with_msgpack_allowlist([TaskUsage])  # type: ignore[attr-defined]
            return serde.loads_typed(("msgpack", kept))

    assert asyncio.run(read()) == usage


def test_every_moved_module_is_where_it_is_said_to_be() -> None:
    import importlib

    for new in MOVED.values():
        importlib.import_module(new)
