"""The catalog: one object over the SQL source of truth, its methods grouped by concept."""

from zlib import crc32

from services.catalog.archiving import Archiving
from services.catalog.bin import Bin
from services.catalog.chunks import Chunks, Embeddings
from services.catalog.collections import Collections
from services.catalog.corpus import Corpus
from services.catalog.database import CHANGE_LOCK, OWNER_LOCK, Database
from services.catalog.deletions import Deletions
from services.catalog.documents import Documents
from services.catalog.feedback import Feedback
from services.catalog.graph import Graph
from services.catalog.ingestions import Ingestions
from services.catalog.metadata import Filters, Metadata
from services.catalog.migrate import bring_to_head
from services.catalog.parameters import Parameters
from services.catalog.plans import Plans
from services.catalog.queue import JobQueue
from services.catalog.reviews import Reviews
from services.catalog.runs import Runs
from services.catalog.texts import References, TextCache
from services.catalog.threads import Answers, Drafts, Events, Leases, Replies
from services.catalog.tokens import Tokens
from services.catalog.workers import Workers
from services.domain import Principal, Scope
from services.domain.runs import RunInfo


class Catalog:
    """Documents, collections, runs and their logs; safe to share among threads.

    Every call is one short transaction of its own, or a few where it writes many rows.
    Besides the errors that methods name, all may raise StoresBusy (locked by another process
    for 10 s), CorruptCatalog (damaged file) and AskPerson (disk full, folder read-only).
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
        self.graph = Graph(database)
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
        self.feedback = Feedback(database)
        self.plans = Plans(database)
        self.reviews = Reviews(database)
        self.drafts = Drafts(database)
        self.replies = Replies(database)
        self.tokens = Tokens(database)

    @classmethod
    def open(cls, url: str) -> "Catalog":
        """Open the catalog at an SQLAlchemy URL, creating and migrating it where needed.

        Raises:
            CorruptCatalog: the file is no catalog, or a damaged one.
            AskPerson: it cannot be created, or a newer Rabbithole wrote it.
        """
        database = Database(url)
        try:
            bring_to_head(database)
        except BaseException:
            database.close()
            raise
        return cls(database)

    def scope_of(self, principal: Principal, run: RunInfo) -> Scope:
        """What a thread may read for somebody now.

        Raises:
            NotFound: one of its collections or documents is gone or may no longer be read.
        """
        scope = self.collections.scope(principal, run.collections)
        return self.filters.narrowed(scope, run.documents)

    def own(self, *, shared: bool = False) -> bool:
        """Whether this process may work on what the catalog tells of: no other home does.

        ``shared``, beside others that say so too.
        """
        return self._database.try_lock(OWNER_LOCK, shared=shared)

    def disown(self) -> None:
        self._database.unlock(OWNER_LOCK)

    def begin_change(self, person: str | None = None) -> bool:
        """Be the one that changes the stores, until ``end_change``; False while another is.

        With a ``person``, the one that does a work of theirs.
        """
        return self._database.try_lock(_key(person))

    def end_change(self, person: str | None = None) -> None:
        self._database.unlock(_key(person))

    def version(self) -> int | None:
        """A number that is another after every change by any process; None where unknown."""
        return self._database.version()

    def lookup_version(self) -> tuple[int, int] | None:
        """As ``version``, but the same while only runs and their events are written."""
        return self._database.lookup_version()

    def clear_log(self) -> bool:
        """Let nothing that was deleted stay beside the tables; False while somebody reads."""
        return self._database.clear_log()

    def close(self) -> None:
        """Give the connections back. The object cannot be used afterwards."""
        self._database.close()

    def __enter__(self) -> "Catalog":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _key(person: str | None) -> int:
    """The lock of who changes the stores, or of a person; no other lock has a greater key."""
    return CHANGE_LOCK if person is None else CHANGE_LOCK + 1 + crc32(person.encode())
