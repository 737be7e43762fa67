"""A research over an index that is not whole says so, as every search does."""

from pathlib import Path

import pytest

from agent.engine.engine import connect_to
from services.domain import Principal
from tests.support.desk import make_services
from tests.support.research import researched


@pytest.mark.parametrize("whole", [True, False])
def test_a_research_says_that_an_index_is_not_whole(tmp_path: Path, whole: bool) -> None:
    services = make_services(tmp_path)
    with connect_to(services, Principal()) as engine:
        law = tmp_path / "LaermG.txt"
        law.write_text("§ 1 Zweck\n\nDieses Gesetz schützt vor Lärm.\n", encoding="utf-8")
        engine.library.ingest([law], "laerm")
        if not whole:
            (laws,) = engine.library.collections()
            chunk = services.catalog.chunks.ids(laws.collection_id)[0]
            services.lexical.delete(laws.collection_id, [chunk])
        report = engine.threads.research_report(researched(engine))
    assert report is not None
    assert any("incomplete" in str(each) for each in report.warnings) is not whole
