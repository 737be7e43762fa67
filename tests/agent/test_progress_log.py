"""Progress reaches the event log in few writes, whole and in order."""

from pathlib import Path

from agent.engine.jobs import log_thread
from agent.engine.progress_log import PAUSE_S, ProgressLog
from services.domain.events import DocumentProgress, TokenUpdate
from tests.support.catalogs import new_catalog


def test_what_comes_fast_is_written_together_and_nothing_is_lost(tmp_path: Path) -> None:
    now = [0.0]

    def seen() -> list[tuple[str, int]]:
        records = catalog.events.since(log_thread(7), 0)
        return [(r.event.document, r.event.done) for r in records]  # type: ignore[union-attr]

    with new_catalog(tmp_path / "catalog.sqlite3") as catalog:
        with ProgressLog(catalog.events, 7, clock=lambda: now[0]) as log:
            log.record(DocumentProgress(document="a", stage="embed", done=1))
            assert seen() == [("a", 1)]
            log.record(DocumentProgress(document="a", stage="embed", done=2))
            log.record(DocumentProgress(document="b", stage="unchanged"))
            log.record(DocumentProgress(document="a", stage="embed", done=3))
            assert seen() == [("a", 1)]
            now[0] += PAUSE_S
            log.record(DocumentProgress(document="c", stage="unchanged"))
            assert seen() == [("b", 0), ("a", 3), ("c", 0)]
            log.record(DocumentProgress(document="d", stage="failed", error="why"))
            log.record(TokenUpdate(part="answer", text="…"))
        assert seen()[-1] == ("d", 0)
