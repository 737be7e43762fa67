"""The bell wakes whom there is news for, and misses nothing."""

import asyncio

from app.api.doors import Bell


class Log:
    """What a catalog tells a bell, in memory."""

    def __init__(self, *, counts: bool = True) -> None:
        self.marks = {"a": 0, "b": 0}
        self._counts, self.asked = counts, 0

    def change(self, key: str) -> None:
        self.marks[key] += 1

    def version(self) -> int | None:
        return sum(self.marks.values()) if self._counts else None

    def look(self, keys: object) -> dict[str, int]:
        self.asked += 1
        return dict(self.marks)


async def settled(bell: Bell, key: str) -> asyncio.Event:
    """Listens until the bell has seen the key once."""
    heard = bell.listen(key)
    await bell.wait(heard, 5)
    return bell.listen(key)


async def test_only_those_wake_whom_the_news_are_for() -> None:
    for log in (Log(), Log(counts=False)):
        bell = Bell(log.version, log.look)
        first, second = await settled(bell, "a"), await settled(bell, "b")
        waits = asyncio.create_task(bell.wait(second, 0.5))
        log.change("a")
        await asyncio.wait_for(bell.wait(first, 5), 2)
        assert first.is_set() and not second.is_set()
        await waits
        bell.stop()


async def test_what_changes_between_looking_and_waiting_is_heard() -> None:
    log = Log()
    bell = Bell(log.version, log.look)
    heard = await settled(bell, "a")
    log.change("a")
    await asyncio.sleep(0.1)  # nobody waits, so nobody watches
    await asyncio.wait_for(bell.wait(heard, 5), 2)
    assert heard.is_set()


async def test_who_has_no_mark_wakes_at_every_change_and_nothing_is_asked_in_between() -> None:
    log = Log()
    bell = Bell(log.version, log.look)
    heard = await settled(bell, "job 1")
    log.change("b")
    await asyncio.wait_for(bell.wait(heard, 5), 2)
    assert heard.is_set()
    asked = log.asked
    await bell.wait(bell.listen("job 1"), 0.3)
    assert log.asked <= asked + 1
