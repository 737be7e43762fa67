"""Turns at the endpoint of a model."""

import asyncio
from contextlib import AsyncExitStack

from hypothesis import given
from hypothesis import strategies as st

from services.models.endpoint import FairSemaphore


async def test_callers_take_turns_however_much_one_of_them_wants() -> None:
    turns, served = FairSemaphore(1), []

    async def call(caller: str) -> None:
        async with turns.turn(caller):
            served.append(caller)
            await asyncio.sleep(0)

    await asyncio.gather(*map(call, ["busy"] * 4 + ["anna", "ben", "anna"]))
    assert served == ["busy", "busy", "anna", "ben", "busy", "anna", "busy"]


async def test_so_many_at_once_and_who_goes_away_costs_no_turn() -> None:
    turns, inside, most = FairSemaphore(2), 0, 0

    async def call(caller: str) -> None:
        nonlocal inside, most
        async with turns.turn(caller):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.01)
            inside -= 1

    calls = [asyncio.create_task(call(f"{n % 3}")) for n in range(12)]
    await asyncio.sleep(0.015)
    for call in calls[1::3]:
        call.cancel()
    await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 5)
    async with asyncio.timeout(1), turns.turn("a"), turns.turn("b"):
        pass
    assert most == 2


async def test_a_call_that_goes_away_as_its_turn_comes_passes_it_on() -> None:
    turns, gone = FairSemaphore(1), asyncio.Event()

    async def held() -> None:
        async with turns.turn("a"):
            await gone.wait()

    async def waits() -> None:
        async with turns.turn("b"):
            pass

    first, second = asyncio.create_task(held()), asyncio.create_task(waits())
    await asyncio.sleep(0)
    gone.set()
    await first
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    async with asyncio.timeout(1), turns.turn("c"):
        pass


@given(
    slots=st.integers(1, 3),
    calls=st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 5), st.booleans()), max_size=25
    ),
)
def test_no_more_run_than_may_and_all_are_served_whoever_goes_away(
    slots: int, calls: list[tuple[str, int, bool]]
) -> None:
    turns, inside = FairSemaphore(slots), 0

    async def call(caller: str, lasts: int) -> None:
        nonlocal inside
        async with turns.turn(caller):
            inside += 1
            assert inside <= slots
            try:
                for _ in range(lasts):
                    await asyncio.sleep(0)
            finally:
                inside -= 1

    async def run() -> None:
        tasks = [asyncio.create_task(call(caller, lasts)) for caller, lasts, _ in calls]
        await asyncio.sleep(0)
        leaving = {task for task, (*_, goes) in zip(tasks, calls, strict=True) if goes}
        for task in leaving:
            task.cancel()
        async with asyncio.timeout(5):
            await asyncio.gather(*(task for task in tasks if task not in leaving))
            async with AsyncExitStack() as all_slots:
                for number in range(slots):
                    await all_slots.enter_async_context(turns.turn(str(number)))

    asyncio.run(run())
