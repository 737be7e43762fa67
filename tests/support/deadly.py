"""Points at which works of the library die by SIGKILL, named after the step that is under way.

A step is a write transaction of the catalog, a change of an index, or a change of a file in the
home; its name is that of the function of the product that does it, and how often it came before.
Each has its ``start``, a ``middle`` (half of it is written) and a ``commit`` (all is written, and
nothing of that is kept, or nobody knows of it yet).
"""

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.orm import Session

from agent.engine import moving
from services.catalog.database import Database
from services.library.archive.checked import ArchiveWriter
from services.retrieval.lexical import TantivyIndex
from services.retrieval.vector import ChromaIndex

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = tuple(str(ROOT / name) for name in ("services", "agent"))
OF_FILES = {"os.rename": "commit", "os.remove": "middle", "os.mkdir": "start", "open": "start"}
BY_THE_CLOCK = ("threads.replace_all", "ingestions.update")
"""Progress is told now and then, not at the same points every time."""
WRITES = os.O_WRONLY | os.O_RDWR


class Points:
    """Counts the points that this process passes, and kills it at ``fatal``; one a process."""

    def __init__(self, fatal: str, *places: Path) -> None:
        self.passed: list[str] = []
        self._fatal = fatal
        self._places = tuple(str(each) for each in places)
        self._counts: Counter[str] = Counter()

    def reach(self, step: str, when: str) -> None:
        if step in BY_THE_CLOCK:
            return
        self._counts[f"{step} {when}"] += 1
        point = f"{step}#{self._counts[f'{step} {when}']} {when}"
        self.passed.append(point)
        if point == self._fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def install(self) -> "Points":
        self._in_transactions("write")
        self._in_transactions("connection")  # migrations, and what a catalog that moves gets
        self._around(moving, "set_aside")
        self._in_steps()
        for index in (ChromaIndex, TantivyIndex):
            self._in_halves(index, "upsert")
            self._in_halves(index, "delete")
            self._around(index, "drop")
        self._before_commits()
        self._in_archives()
        sys.addaudithook(self._hear)
        return self

    def _in_transactions(self, name: str) -> None:
        begin, points = getattr(Database, name), self

        @contextmanager
        def deadly(database: Database, **options: bool) -> Iterator[Session | Connection]:
            step = _step()
            points.reach(step, "start")
            with begin(database, **options) as opened:
                in_session = isinstance(opened, Session)
                points.at_first_change(step, opened.connection() if in_session else opened)
                yield opened
                if in_session:
                    opened.flush()
                points.reach(step, "commit")

        setattr(Database, name, deadly)

    def at_first_change(self, step: str, connection: Connection) -> None:
        """Reaches the middle of a transaction when its first change is made."""
        written = 0

        def after(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
            nonlocal written
            written += not statement.lstrip().upper().startswith("SELECT")
            if written == 1:
                written += 1
                self.reach(step, "middle")

        event.listen(connection, "after_cursor_execute", after)

    def _in_steps(self) -> None:
        """Steps of threads that move: the step, then what its tasks left."""
        put, points = moving._put, self

        class Halved:
            def __init__(self, saver: Any) -> None:
                self._saver = saver

            async def aput(self, *step: Any) -> None:
                await self._saver.aput(*step)
                points.reach("moving._put", "middle")

            def __getattr__(self, name: str) -> Any:
                return getattr(self._saver, name)

        async def deadly(step: Any, receiver: Any) -> None:
            points.reach("moving._put", "start")
            await put(step, Halved(receiver))  # type: ignore[arg-type]
            points.reach("moving._put", "commit")

        moving._put = deadly

    def _around(self, owner: Any, name: str) -> None:
        method, points = getattr(owner, name), self

        def deadly(*args: Any) -> Any:
            step = f"{owner.__name__.rpartition('.')[2]}.{name}"
            points.reach(step, "start")
            done = method(*args)
            points.reach(step, "commit")
            return done

        setattr(owner, name, deadly)

    def _in_halves(self, owner: type, name: str) -> None:
        """Methods whose last arguments are lists: half of them is written when it dies."""
        method, points = getattr(owner, name), self

        def deadly(index: Any, collection: str, *given: Sequence[Any]) -> None:
            step = f"{owner.__name__}.{name}"
            points.reach(step, "start")
            half = len(given[0]) // 2
            if half:
                method(index, collection, *(each[:half] for each in given))
                points.reach(step, "middle")
            method(index, collection, *(each[half:] for each in given))
            points.reach(step, "commit")

        setattr(owner, name, deadly)

    def _before_commits(self) -> None:
        writer, points = TantivyIndex._writer, self

        @contextmanager
        def deadly(index: TantivyIndex, collection: str) -> Iterator[Any]:
            with writer(index, collection) as writing:
                yield writing
                points.reach("TantivyIndex.write", "commit")

        TantivyIndex._writer = deadly  # type: ignore[assignment, method-assign]

    def _in_archives(self) -> None:
        add, points = ArchiveWriter.add, self

        def deadly(writer: Any, name: str, blocks: Any, **options: Any) -> None:
            def halved() -> Iterator[bytes]:
                for block in blocks:
                    yield block[: len(block) // 2]
                    points.reach("ArchiveWriter.add", "middle")
                    yield block[len(block) // 2 :]

            points.reach("ArchiveWriter.add", "start")
            add(writer, name, halved(), **options)
            points.reach("ArchiveWriter.add", "commit")

        ArchiveWriter.add = deadly  # type: ignore[assignment, method-assign]

    def _hear(self, name: str, args: tuple[Any, ...]) -> None:
        """An audit hook: a file in one of the places is about to be made, moved or deleted."""
        if name not in OF_FILES or (name == "open" and not int(args[2] or 0) & WRITES):
            return
        within_tree = name == "os.remove" and args[1] >= 0
        if within_tree or str(args[0]).startswith(self._places):
            step = _step(default="")
            if step and not step.startswith("ownership."):
                self.reach(step, OF_FILES[name])


def _step(default: str = "?") -> str:
    """The function of the product that is under way, but for those that all steps share."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(PRODUCT) and not file.endswith("catalog/database.py"):
            return f"{Path(file).stem}.{frame.f_code.co_name}"
        frame = frame.f_back
    return default
