"""Turns at a model."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from services.models.turns import Place, Turns


async def test_callers_take_turns_however_much_one_of_them_wants() -> None:
    turns, served = Turns(Place(1)), []

    async def call(caller: str) -> None:
        async with turns.of(caller):
            served.append(caller)
            await asyncio.sleep(0)

    await asyncio.gather(*map(call, ["busy"] * 4 + ["anna", "ben", "anna"]))
    assert served == ["busy", "busy", "anna", "ben", "busy", "anna", "busy"]


async def test_so_many_at_once_and_who_goes_away_costs_no_turn() -> None:
    turns, inside, most = Turns(Place(2)), 0, 0

    async def call(caller: str) -> None:
        nonlocal inside, most
        async with turns.of(caller):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.01)
            inside -= 1

    calls = [asyncio.create_task(call(f"{n % 3}")) for n in range(12)]
    await asyncio.sleep(0.015)
    for each in calls[1::3]:
        each.cancel()
    await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 5)
    async with asyncio.timeout(1), turns.of("a"), turns.of("b"):
        pass
    assert most == 2


async def test_a_call_that_goes_away_as_its_turn_comes_passes_it_on() -> None:
    turns, gone = Turns(Place(1)), asyncio.Event()

    async def held() -> None:
        async with turns.of("a"):
            await gone.wait()

    async def waits() -> None:
        async with turns.of("b"):
            pass

    first, second = asyncio.create_task(held()), asyncio.create_task(waits())
    await asyncio.sleep(0)
    gone.set()
    await first
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    async with asyncio.timeout(1), turns.of("c"):
        pass


@given(
    slots=st.lists(st.integers(1, 3), min_size=1, max_size=4),
    calls=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5)), max_size=25),
    ill=st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=10),
)
def test_no_place_takes_more_than_it_may_and_all_are_served_whichever_are_shut(
    slots: list[int], calls: list[tuple[str, int]], ill: list[tuple[int, bool]]
) -> None:
    places = [Place(each) for each in slots]
    turns = Turns(*places)

    async def call(caller: str, lasts: int) -> None:
        async with turns.of(caller) as place:
            assert place.calls <= place.slots
            for _ in range(lasts):
                await asyncio.sleep(0)

    async def shut_and_open() -> None:
        for number, shut in ill:
            places[number % len(places)].shut = shut
            turns.call()
            free = turns.free()
            assert free is None or not free.shut or all(place.shut for place in places)
            await asyncio.sleep(0)

    async def run() -> None:
        async with asyncio.timeout(5):
            await asyncio.gather(shut_and_open(), *(call(*each) for each in calls))
        assert [place.calls for place in places] == [0] * len(places)

    asyncio.run(run())
