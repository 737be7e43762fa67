"""What a person may not read is not returned, counted or named, whatever was done before."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from hypothesis import example, given
from hypothesis import strategies as st

from services.domain import Chunking, Principal, SearchFilter, SearchMode
from services.domain.collections import Visibility
from services.domain.errors import InvalidInput, NotFound
from services.ingestion.indexing import Indexer
from services.ingestion.job import IngestionJob
from services.library.library import Library
from tests.support.documents import law, split, store
from tests.support.library_parts import Fakes, new_parts, search

NAMES = ["a", "ab", "a%", "a_", "_", "%", "%a%", "A", "ab ", "a*", "a'b", "\\", "a\\%", "*", "?"]
PEOPLE = [
    Principal(user="anna"),
    Principal(user="ann"),
    Principal(user="ann%"),
    Principal(user="root", role="admin"),
]
SHARED = law("Alle sprechen von Strahlung.", title="Gemeinsam")
OWN_CHUNKS = len(split(law("Strahlung von w0000.", title="w0000")))


@dataclass
class Shelf:
    """What the model knows of a collection. Its documents carry a word that no other has."""

    id: str
    owner: str
    name: str
    visibility: str
    word: str
    subscribers: set[str] = field(default_factory=set)

    def listed_for(self, who: Principal) -> bool:
        return (
            who.role == "admin"
            or self.owner == who.user
            or self.visibility in ("public", "admin")
            or (self.visibility == "unlisted" and who.user in self.subscribers)
        )

    def reached_by(self, who: Principal) -> bool:
        return self.listed_for(who) or self.visibility == "unlisted"

    def changed_by(self, who: Principal) -> bool:
        return who.role == "admin" or (self.owner == who.user and self.visibility != "admin")


@dataclass(frozen=True)
class Step:
    """Something a person tries; ``at`` picks the collection, its id or what it is renamed to."""

    what: Literal["create", "share", "rename", "delete", "subscribe", "unsubscribe"]
    who: Principal
    at: int
    name: str
    visibility: Visibility


steps = st.builds(
    Step,
    what=st.sampled_from(
        ["create", "create", "share", "share", "rename", "delete", "subscribe", "unsubscribe"]
    ),
    who=st.sampled_from(PEOPLE),
    at=st.integers(0, 5),
    name=st.sampled_from([*NAMES, "ID"]),
    visibility=st.sampled_from(get_args(Visibility)),
)


class World:
    """The library and the model beside it; every step goes through both."""

    def __init__(self, parts: Fakes) -> None:
        self._parts = parts
        self._indexer = Indexer(parts.catalog, parts.embedder, parts.vectors, parts.lexical)
        self.library, self.catalog = Library(parts), parts.catalog
        self.retriever = parts.retriever
        self.shelves: list[Shelf] = []
        self.gone: list[Shelf] = []

    def listed_for(self, who: Principal) -> list[Shelf]:
        return [shelf for shelf in self.shelves if shelf.listed_for(who)]

    def take(self, step: Step) -> None:
        """Try a step; it works exactly when the model says so."""
        at = self.shelves[step.at % len(self.shelves)] if self.shelves else None
        name = (at.id if at else "a") if step.name == "ID" else step.name.strip()
        if step.what == "create":
            self._create(step.who, name, step.visibility)
        elif at is not None and not self._is_name(at, step.who):
            self._change(step, at, name)

    def _is_name(self, at: Shelf, who: Principal) -> bool:
        """Whether the id of what somebody may not reach is the name of what they may."""
        named = any(each.name == at.id for each in self.listed_for(who))
        return named and not at.reached_by(who)

    def _create(self, who: Principal, name: str, visibility: Visibility) -> None:
        taken = any((each.owner, each.name) == (who.user, name) for each in self.shelves)
        allowed = not taken and (visibility != "admin" or who.role == "admin")
        with refused_unless(allowed):
            info = self._parts.catalog.collections.create(who, name, visibility=visibility)
            word = f"w{len(self.shelves) + len(self.gone):04}"
            self.shelves.append(Shelf(info.collection_id, who.user, name, visibility, word))
            self._fill(self.shelves[-1])

    def _fill(self, shelf: Shelf) -> None:
        """One document of its own, and one that all collections hold under names of their own."""
        job = IngestionJob(
            self._parts.catalog.collections.get(shelf.id), "de", Chunking(), lambda event: None
        )
        own = law(f"Strahlung von {shelf.word}.", title=shelf.word)
        for parsed, name in ((own, f"{shelf.word}.txt"), (SHARED, f"{shelf.word}-shared.txt")):
            document = store(self._parts.catalog, shelf.id, parsed, name=name, indexed=False)
            self._indexer.index(shelf.id, {document: name}, job, job.chunking.key)

    def _change(self, step: Step, at: Shelf, name: str) -> None:
        who, library = step.who, self.library
        collections = self._parts.catalog.collections
        if step.what in ("subscribe", "unsubscribe"):
            with refused_unless(at.reached_by(who)):
                getattr(collections, step.what)(who, at.id)
                change = at.subscribers.add if step.what == "subscribe" else at.subscribers.discard
                change(who.user)
            return
        allowed = at.changed_by(who)
        if step.what == "share":
            with refused_unless(allowed and (step.visibility != "admin" or who.role == "admin")):
                collections.change(who, at.id, visibility=step.visibility)
                at.visibility = step.visibility
                at.subscribers -= at.subscribers if step.visibility == "private" else set()
        elif step.what == "rename":
            others = [each for each in self.shelves if each is not at]
            taken = any((each.owner, each.name) == (at.owner, name) for each in others)
            with refused_unless(allowed and not taken):
                collections.change(who, at.id, new_name=name)
                at.name = name
        else:
            with refused_unless(allowed):
                library.delete_collection(who, at.id)
                self.shelves.remove(at)
                self.gone.append(at)


@contextmanager
def refused_unless(allowed: bool) -> Iterator[None]:
    try:
        yield
    except (InvalidInput, NotFound):
        assert not allowed
    else:
        assert allowed


def check(world: World, who: Principal, mode: SearchMode) -> None:
    """Everything that ``who`` can ask for gives exactly what the model lets them read."""
    listed = world.listed_for(who)
    words = {shelf.word for shelf in listed}
    infos = world.library.collections(who)
    assert {info.collection_id: info.name for info in infos} == {s.id: s.name for s in listed}
    assert all((info.documents, info.chunks) == (2, OWN_CHUNKS + 2) for info in infos)
    assert set(world.library.scope(who, None).collections) == {shelf.id for shelf in listed}
    assert {each.collection_id for each in world.library.health(who)} == {
        shelf.id for shelf in listed if shelf.changed_by(who)
    }
    documents = world.library.documents(who)
    assert len(documents) == len(listed) + bool(listed)
    assert {info.document[:5] for info in documents} <= words
    assert {info.title for info in documents} - {"Gemeinsam"} == words
    hits = search(world.library, who, "Strahlung", k=100, mode=mode)
    assert {hit.title for hit in hits} - {"Gemeinsam"} == words
    assert {hit.document[:5] for hit in hits} <= words


def check_chosen(world: World, who: Principal, mode: SearchMode) -> None:
    """Of what somebody may read, one chosen document is all that every store tells of."""
    catalog, everything = world.catalog, world.library.scope(who, None)
    ids = [chunk.chunk_id for chunk in catalog.corpus.chunk_places(everything)]
    for shelf in world.listed_for(who):
        name = f"{shelf.word}.txt"
        hits = search(world.library, who, "Strahlung", k=100, mode=mode, documents=[name])
        assert {hit.title for hit in hits} == {shelf.word}
        scope = catalog.filters.narrowed(everything, [name])
        (found,) = catalog.documents.list(scope)
        assert found.document == name and list(catalog.corpus.names(scope).values()) == [name]
        assert [each.documents for each in catalog.collections.within(scope)] == [1]
        assert {chunk.document for chunk in catalog.chunks.get(ids, scope=scope).values()} == {name}
        assert {alias.document_id for alias in catalog.references.aliases(scope)} == set(
            scope.documents or ()
        )
        assert [each.document for each in catalog.graph.missing(scope, "none")] == [name]
        hits = world.retriever.search("Strahlung", scope=scope, k=50)
        assert {hit.chunk_id for hit in hits} <= set(
            catalog.filters.chunk_ids(SearchFilter(), scope=scope) or ()
        )
        near = world.retriever.relevances("Strahlung", ids, scope=scope)
        assert sum(map(bool, near.values())) <= OWN_CHUNKS
    for shelf in world.shelves:
        if not shelf.listed_for(who):
            with refused_unless(False):
                catalog.filters.narrowed(everything, [f"{shelf.word}.txt"])


def check_guesses(world: World, who: Principal) -> None:
    """Names and ids, right or guessed, lead to what may be read, and errors name nothing else."""
    listed = world.listed_for(who)
    named = ", ".join(sorted({shelf.name for shelf in listed}))
    ids = [shelf.id for shelf in [*world.shelves, *world.gone]]
    for guess in [*NAMES, "", *ids, *(each[:-1] for each in ids[:1])]:
        reached = {
            shelf.id
            for shelf in world.shelves
            if (shelf.name == guess and shelf.listed_for(who))
            or (shelf.id == guess and shelf.reached_by(who))
        }
        try:
            found = set(world.library.scope(who, [guess]).collections)
            assert found and found <= reached
        except NotFound as error:
            assert not reached
            assert str(error) == (
                f"There is no collection {guess!r} that you can read. You can read: "
                f"{named or 'none yet (add documents first)'}."
            )
    for shelf in [*world.shelves, *world.gone]:
        if shelf in listed:
            continue
        for guess in (f"{shelf.word}.txt", f"{shelf.word}-shared.txt"):
            with refused_unless(False):
                world.library.document(who, guess)


NAMED_AFTER_AN_ID = [
    Step("create", PEOPLE[0], 0, "a", "private"),
    Step("create", PEOPLE[0], 0, "ID", "public"),
    Step("subscribe", PEOPLE[1], 0, "a", "private"),
]


@example(NAMED_AFTER_AN_ID, PEOPLE[0], "hybrid")
@given(
    st.lists(steps, min_size=1, max_size=8),
    st.sampled_from(PEOPLE),
    st.sampled_from(get_args(SearchMode)),
)
def test_nothing_unreadable_is_returned_counted_or_named(
    tried: list[Step], who: Principal, mode: SearchMode
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        parts = new_parts(Path(folder))
        with parts.catalog:
            world = World(parts)
            for step in tried:
                world.take(step)
            check(world, who, mode)
            check_chosen(world, who, mode)
            check_guesses(world, who)
