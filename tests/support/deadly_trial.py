"""A work done again and again from the same beginning, each time killed at another point.

Every process is forked from this one, which has the modules loaded and nothing opened.
"""

import json
import os
import shutil
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from services.domain.errors import RabbitholeError
from services.home import has_catalog
from tests.support.deadly import Points
from tests.support.deadly_moves import MOVES
from tests.support.deadly_works import WORKS, Place
from tests.support.home_look import look
from tests.support.waiting import until


def settled(place: Place) -> None:
    """Starts the program, and waits until its owner has done what a dead one left."""
    with place.engine() as engine:
        engine.settings.search_cache()
        until(lambda: not any(engine.activity().jobs.values()))


def forked(work: Callable[[], Any]) -> tuple[int, Any]:
    """What a process of its own comes to: its exit status, and what it returned."""
    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            os.close(reading)
            said = json.dumps(work()).encode()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(said)
            os._exit(0)
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), json.loads(said) if said else None


class Trial:
    def __init__(self, folder: Path, name: str) -> None:
        self.work = {**WORKS, **MOVES}[name]
        self._place, self._before = Place(folder / "place"), folder / "before"
        self.work.reset()
        status, _ = forked(lambda: self.work.before(self._place))
        assert status == 0
        shutil.copytree(self._place.folder, self._before)
        self.work.reset()
        self.at_first = self._seen()
        status, self.points = forked(lambda: self._done(""))
        assert status == 0
        self.expected = self._seen()

    def killed(self, point: str) -> tuple[str, list[str]]:
        """How it went on after it died at a point, and what then differs from the undisturbed."""
        shutil.rmtree(self._place.folder)
        shutil.copytree(self._before, self._place.folder)
        self.work.reset()
        status, _ = forked(lambda: self._done(point))
        if status != -9:
            return "not reached", [f"exit status {status}"]
        if not self.work.by_hand and has_catalog(self._place.services().settings):
            forked(lambda: settled(self._place))
            if not self._differs():
                return "by itself", []
        _, problem = forked(self._again)
        differs = self._differs()
        return "again", [*([problem] if problem and differs else []), *differs]

    def _again(self) -> str:
        try:
            self.work.do(self._place)
        except RabbitholeError as error:
            return str(error)
        return ""

    def _done(self, point: str) -> list[str]:
        place = self._place
        points = Points(point, place.home, place.archive.parent).install()
        self.work.do(place)
        return points.passed

    def _seen(self) -> dict[str, Any]:
        status, seen = forked(lambda: (self.work.look or look)(self._place))
        return seen if status == 0 else {"look": status}

    def _differs(self) -> list[str]:
        seen = self._seen()
        return [
            f"{name}: {_difference(self.expected.get(name, []), seen.get(name, []))}"
            for name in sorted(self.expected.keys() | seen.keys())
            if self.expected.get(name) != seen.get(name)
        ]


def _difference(expected: Iterable[Any], seen: Iterable[Any]) -> str:
    if not (isinstance(expected, list) and isinstance(seen, list)):
        return str(seen)[:200]
    less = [each for each in expected if each not in seen]
    more = [each for each in seen if each not in expected]
    return f"lacks {str(less)[:200]}, has {str(more)[:200]}"
