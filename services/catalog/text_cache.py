"""Whole texts that were read lately.

A passage is a span of its text. Cutting it in SQL reads the text from its start for every
span (10 ms for 10 passages of a law), reading the texts each time is no better; in memory it
takes microseconds. Texts never change, so what is kept is never stale.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from services.catalog.database import batches
from services.catalog.models import TextRow

CAPACITY = 16_000_000
"""Characters that are kept: some 20 long laws, 16 to 64 MB."""


class KeptText(NamedTuple):
    title: str
    text: str


class TextCache:
    """The least lately used texts go first; one that is larger than all room is not kept."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._size = 0
        self._kept: OrderedDict[str, KeptText] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, session: Session, text_ids: Iterable[str]) -> dict[str, KeptText]:
        """The texts with these ids, from memory or the session's database."""
        wanted = list(dict.fromkeys(text_ids))
        with self._lock:
            found = {key: self._kept[key] for key in wanted if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
        for batch in batches(key for key in wanted if key not in found):
            query = select(TextRow.text_id, TextRow.title, TextRow.text)
            for key, title, text in session.execute(query.where(TextRow.text_id.in_(batch))):
                found[key] = KeptText(title, text)
                self._keep(key, found[key])
        return found

    def _keep(self, key: str, kept: KeptText) -> None:
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = kept
            self._size += len(kept.text)
            while self._size > self._capacity:
                _, dropped = self._kept.popitem(last=False)
                self._size -= len(dropped.text)
