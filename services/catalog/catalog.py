"""The catalog: one object over the SQL source of truth, with a repository for each subject."""

from zlib import crc32

from services.catalog.access import Tokens
from services.catalog.archiving import Archiving
from services.catalog.chunks import Chunks, Embeddings
from services.catalog.collections import Collections
from services.catalog.corpus import Corpus
from services.catalog.database import CHANGE_LOCK, OWNER_LOCK, Database
from services.catalog.deletions import Bin, Deletions
from services.catalog.documents import Documents
from services.catalog.feedback import Plans, Reviews, Votes
from services.catalog.graph import Graph
from services.catalog.grids import Grids, Summaries
from services.catalog.metadata import Filters, Metadata
from services.catalog.migrate import bring_to_head
from services.catalog.parameters import Parameters
from services.catalog.queue import Ingestions, JobQueue, Retention
from services.catalog.runs import Runs
from services.catalog.texts import References, TextCache
from services.catalog.threads import Answers, Drafts, Events, Leases, Replies
from services.catalog.workers import Workers
from services.domain import Principal, Scope
from services.domain.runs import RunInfo


class Catalog:
    """Documents, collections, runs and their logs; safe to share among threads.

    All methods may raise StoresBusy (locked by another process for 10 s), CorruptCatalog (damaged
    file) and AskPerson (disk full, folder read-only).
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.collections = Collections(database)
        self.bin = Bin(database)
        self.deletions = Deletions(database)
        texts = TextCache()
        self.documents = Documents(database, texts)
        self.chunks = Chunks(database, texts)
        self.corpus = Corpus(database)
        self.archiving = Archiving(database)
        self.references = References(database)
        self.summaries = Summaries(database)
        self.graph = Graph(database)
        self.grids = Grids(database)
        self.filters = Filters(database)
        self.metadata = Metadata(database)
        self.parameters = Parameters(database)
        self.embeddings = Embeddings(database)
        self.runs = Runs(database)
        self.leases = Leases(database)
        self.events = Events(database)
        self.ingestions = Ingestions(database)
        self.queue = JobQueue(database)
        self.workers = Workers(database)
        self.answers = Answers(database)
        self.feedback = Votes(database)
        self.plans = Plans(database)
        self.reviews = Reviews(database)
        self.drafts = Drafts(database)
        self.replies = Replies(database)
        self.tokens = Tokens(database)
        self.retention = Retention(database)

    @classmethod
    def open(cls, url: str) -> "Catalog":
        """Open the catalog at an SQLAlchemy URL, creating and migrating it if necessary.

        Raises CorruptCatalog for another kind of file, AskPerson if a newer Rabbithole wrote it.
        """
        database = Database(url)
        try:
            bring_to_head(database)
        except BaseException:
            database.close()
            raise
        return cls(database)

    def scope_of(self, principal: Principal, run: RunInfo) -> Scope:
        """Return what a thread may read now, whoever steers it; raise NotFound if that is less."""
        scope = self.collections.of_thread(run.reader(principal), run)
        return self.filters.narrowed(scope, run.documents)

    def try_own(self, *, shared: bool = False) -> bool:
        """Try to own the stores that the catalog describes; ``shared`` with other processes."""
        return self._database.try_lock(OWNER_LOCK, shared=shared)

    def disown(self) -> None:
        self._database.unlock(OWNER_LOCK)

    def begin_change(self, person: str | None = None) -> bool:
        """Try to be the process that changes the stores, or that does a job of a person."""
        return self._database.try_lock(_key(person))

    def end_change(self, person: str | None = None) -> None:
        self._database.unlock(_key(person))

    def version(self) -> int | None:
        """Return a number that changes with every commit of any process; None if unknown."""
        return self._database.version()

    def clear_log(self) -> bool:
        """Remove deleted data from the log too; return False while somebody reads."""
        return self._database.clear_log()

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> "Catalog":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _key(person: str | None) -> int:
    """Return the key of the lock for changes, or of a person's; no other lock has a greater key."""
    return CHANGE_LOCK if person is None else CHANGE_LOCK + 1 + crc32(person.encode())
