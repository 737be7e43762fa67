"""Exports of a report on its page."""

from agent.exports import FORMATS
from app.views.export import SOURCES, WHOLE_REPORT
from tests.app.test_research_page import at_report
from tests.support.fake_client import FakeClient


def test_every_format_is_offered_and_none_is_made_before_it_is_asked_for() -> None:
    assert sorted([*WHOLE_REPORT, *SOURCES]) == sorted(FORMATS)
    fake = FakeClient()
    at = at_report(fake)
    offered = [found.proto.label for found in at.get("download_button")]
    assert len(offered) == len(FORMATS)
    assert offered[0].startswith("PDF") and offered[-1].startswith("RIS")
    assert not [call for call in fake.calls if call[0] == "export"]
