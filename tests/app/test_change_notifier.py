"""The notifier wakes whom there is news for, and misses nothing."""

import asyncio

from app.api.events import ChangeNotifier


class Log:
    """What a catalog tells a notifier, in memory."""

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


async def settled(notifier: ChangeNotifier, key: str) -> asyncio.Event:
    """Listens until the notifier has seen the key once."""
    signal = notifier.listen(key)
    await notifier.wait(signal, 5)
    return notifier.listen(key)


async def test_only_those_wake_whom_the_news_are_for() -> None:
    for log in (Log(), Log(counts=False)):
        notifier = ChangeNotifier(log.version, log.look)
        first, second = await settled(notifier, "a"), await settled(notifier, "b")
        waits = asyncio.create_task(notifier.wait(second, 0.5))
        log.change("a")
        await asyncio.wait_for(notifier.wait(first, 5), 2)
        assert first.is_set() and not second.is_set()
        await waits
        notifier.stop()


async def test_what_changes_between_looking_and_waiting_is_heard() -> None:
    log = Log()
    notifier = ChangeNotifier(log.version, log.look)
    signal = await settled(notifier, "a")
    log.change("a")
    await asyncio.sleep(0.1)  # nobody waits, so nobody watches
    await asyncio.wait_for(notifier.wait(signal, 5), 2)
    assert signal.is_set()


async def test_who_has_no_mark_wakes_at_every_change_and_nothing_is_asked_in_between() -> None:
    log = Log()
    notifier = ChangeNotifier(log.version, log.look)
    signal = await settled(notifier, "job 1")
    log.change("b")
    await asyncio.wait_for(notifier.wait(signal, 5), 2)
    assert signal.is_set()
    asked = log.asked
    await notifier.wait(notifier.listen("job 1"), 0.3)
    assert log.asked <= asked + 1
