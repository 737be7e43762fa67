"""Votes on answers, who may give them, and thresholds that can be reset and locked."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.catalog import Catalog
from services.domain import Principal, Scope
from services.domain.errors import InvalidInput, NotFound
from services.library.configuration import Configuration
from services.library.feedback import Feedback
from services.library.thresholds import Vote
from tests.support.catalogs import new_catalog

ANNA, BEN, LOCAL = Principal(user="anna"), Principal(user="ben"), Principal()
ROOT = Principal(user="root", role="admin")
DOWN = Vote(up=False, route="fast", depth="fast", score=0.3)
UP = DOWN.model_copy(update={"up": True})


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with new_catalog(tmp_path / "catalog.sqlite3") as opened:
        yield opened


@pytest.fixture
def feedback(catalog: Catalog) -> Feedback:
    return Feedback(catalog, Configuration(catalog.parameters, ("local",)))


@pytest.fixture
def place(catalog: Catalog) -> str:
    catalog.runs.create("t", ANNA, "Was gilt?", ["laws"], {})
    return catalog.collections.ensure(ANNA, "laws").collection_id


def vote(feedback: Feedback, place: str, count: int = 5, what: Vote = DOWN, turn: int = 0) -> None:
    for n in range(count):
        feedback.vote(ANNA, "t", turn + n, what, collections=[place])


def test_one_vote_a_person_and_turn(feedback: Feedback, place: str, catalog: Catalog) -> None:
    feedback.vote(ANNA, "t", 0, UP, collections=[place], text=" gut ")
    feedback.vote(ANNA, "t", 1, UP, collections=[place])
    second = feedback.vote(ANNA, "t", 0, DOWN, collections=[place], text="doch nicht")
    feedback.vote(ROOT, "t", 0, UP, collections=[place])
    mine = feedback.votes(ANNA, "t")
    assert [(each.turn, each.up, each.text) for each in mine] == [
        (0, False, "doch nicht"),
        (1, True, ""),
    ]
    assert mine[0] == second
    assert len(feedback.votes(ROOT, "t")) == 3
    assert len(catalog.feedback.routing([place])[place].votes) == 3


def test_only_who_sees_a_thread_votes_on_it(feedback: Feedback, place: str) -> None:
    for thread, who in (("t", BEN), ("none", ANNA)):
        with pytest.raises(NotFound):
            feedback.vote(who, thread, 0, UP, collections=[place])
        with pytest.raises(NotFound):
            feedback.votes(who, thread)
    with pytest.raises(InvalidInput, match="no answer -1"):
        feedback.vote(ANNA, "t", -1, UP, collections=[place])
    with pytest.raises(InvalidInput, match="2000 characters"):
        feedback.vote(ANNA, "t", 0, UP, collections=[place], text="x" * 2001)


def test_a_deleted_collection_or_thread_takes_its_own_along(
    feedback: Feedback, place: str, catalog: Catalog
) -> None:
    vote(feedback, place)
    feedback.lock(ANNA, "laws")
    catalog.deletions.begin(place)
    assert catalog.feedback.routing([place])[place].fast is None
    assert len(feedback.votes(ANNA, "t")) == 5
    catalog.runs.delete("t")
    assert catalog.feedback.routing([place])[place].votes == ()
    assert catalog.feedback.of_thread(ANNA, "t") == []


def test_votes_move_the_thresholds_of_their_collection_alone(
    feedback: Feedback, place: str, catalog: Catalog
) -> None:
    other = catalog.collections.ensure(ANNA, "others").collection_id
    vote(feedback, place)
    found = feedback.of_collection(place).fast
    assert (found.value, found.origin, found.ups, found.downs) == (0.34, "votes", 0, 5)
    assert found.why == "lowered by 0.01: 0 good and 5 bad answers near it"
    assert feedback.of_collection(other).fast.value == 0.35
    both = Scope(user="anna", collections=(other, place))
    assert feedback.thresholds(ANNA, both).fast.value == 0.34
    assert feedback.thresholds(ANNA, Scope(user="anna", collections=())).fast.value == 0.35


def test_who_may_change_a_collection_locks_and_resets_its_thresholds(
    feedback: Feedback, place: str, catalog: Catalog
) -> None:
    vote(feedback, place)
    locked = feedback.lock(ANNA, "laws")
    assert (locked.fast.value, locked.fast.origin) == (0.34, "held")
    vote(feedback, place, turn=10)
    assert feedback.of_collection(place).fast.value == 0.34
    assert feedback.lock(ANNA, "laws", locked=False).fast.value == 0.33
    feedback.lock(ANNA, "laws")
    assert feedback.reset(ANNA, "laws").fast.origin == "default"
    vote(feedback, place, turn=20)
    assert feedback.of_collection(place).fast.value == 0.34
    with pytest.raises(NotFound):
        feedback.reset(BEN, "laws")
    catalog.collections.change(ANNA, "laws", visibility="public")
    with pytest.raises(InvalidInput, match="belongs to anna"):
        feedback.lock(BEN, "laws")


def test_the_configuration_comes_before_votes(
    feedback: Feedback, place: str, catalog: Catalog
) -> None:
    configuration = Configuration(catalog.parameters, ("local",))
    scope = Scope(user="anna", collections=(place,))
    vote(feedback, place)
    configuration.set(LOCAL, "adaptiveThresholds", False)
    off = feedback.thresholds(ANNA, scope).fast
    assert (off.value, off.why) == (0.35, "the default: adaptation is switched off")
    configuration.set(LOCAL, "adaptiveThresholds", True)
    configuration.set(ANNA, "fastThreshold", 0.2, "mine")
    own = feedback.thresholds(ANNA, scope, "mine").fast
    assert (own.value, own.origin, own.why) == (0.2, "set", "set in the profile")
    assert feedback.thresholds(ANNA, scope).fast.value == 0.34
    configuration.set(LOCAL, "fastThreshold", 0.5)
    configuration.lock(LOCAL, "fastThreshold")
    locked = feedback.thresholds(ANNA, scope, "mine").fast
    assert (locked.value, locked.origin) == (0.5, "locked")
    configuration.set(LOCAL, "agentThreshold", 0.4)
    found = feedback.thresholds(ANNA, scope)
    assert (found.fast.value, found.agent.value) == (0.4, 0.4)
