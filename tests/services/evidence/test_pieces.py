"""The pieces of a text are found in one look at its lines."""

from collections.abc import Iterator
from typing import Any

import pytest

from services.evidence import pieces as evidence_pieces


class Counted(list[Any]):
    """Lines that count how often one of them is looked at."""

    looks = 0

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        Counted.looks += len(found) if isinstance(at, slice) else 1
        return found

    def __iter__(self) -> Iterator[Any]:
        Counted.looks += len(self)
        return super().__iter__()


def test_each_line_of_a_long_list_is_looked_at_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    lines_of = evidence_pieces._lines
    monkeypatch.setattr(evidence_pieces, "_lines", lambda *span: Counted(lines_of(*span)))
    for count in (100, 400):
        items = [f"{n}. Das Teil Nummer {n} ist sauber" for n in range(1, count)]
        items.insert(3, "Danach kommt mehr.")
        Counted.looks = 0
        assert len(evidence_pieces.pieces("\n".join(items))) > count - 5
        assert Counted.looks < 20 * count
