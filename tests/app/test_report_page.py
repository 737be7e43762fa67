"""The page of a report: marks, proof, tabs, its neighbourhood and its exports."""

import base64
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.exports import FORMATS
from app.components.report_details import SOURCES, WHOLE
from app.session import LANGUAGE
from app.texts import report as words
from tests.app.test_research_page import at_report
from tests.support import played_session
from tests.support.fake_client import FakeClient
from tests.support.pages import button, open_app, texts_of
from tests.support.played_report import report

LAW_PLACE = "§ 78 · StrlSchG.pdf · S. 50"


def finished(**options: Any) -> FakeClient:
    """A client whose thread ``t1`` has its report."""
    fake = FakeClient(**options)
    fake.threads.start(played_session.QUESTION)
    fake.stop_with("t1", "done")
    return fake


def open_report(fake: FakeClient, cite: str | None = None, language: str = "de") -> AppTest:
    at = open_app(fake, language=language)
    if cite is not None:
        at.query_params["cite"] = cite
    at.query_params["thread"] = "t1"
    return at.run()


def turn_to(at: AppTest, tab: str) -> AppTest:
    """What a click on a tab leaves behind: AppTest cannot click it."""
    at.session_state["details-open"] = tab
    return at.run()


def marks(at: AppTest) -> list[str]:
    return [found.label for found in at.button if found.key and found.key.startswith("mark-")]


def asked_for(fake: FakeClient) -> list[tuple[Any, ...]]:
    return [call for call in fake.reads if call[0] == "page_image"]


def test_every_sentence_has_its_mark_and_its_standing() -> None:
    at = open_report(finished())
    shown = texts_of(at)
    assert "2 Zitate, 1 folgt aus Zitaten, 1 nicht belegt, 1 ohne Fundstelle" in shown
    assert shown.count("keine Stelle gefunden") == shown.count("folgt nicht erkennbar") == 1
    assert shown.count("folgt aus]") == 1  # beside the sentence, not in the headline
    assert "Nicht in der Stelle: festlegen" in shown
    assert "Für Personen unter 18 Jahren gelten:" in [text.value for text in at.text]
    assert marks(at) == ["1", "2", "2", "3"]
    assert played_session.LIMIT in at.button(key="mark-0-0-0-1").help.replace("\\", "")
    assert "Schwangere unter 18 Jahren" in shown
    assert "12 von 30 Belegen" in at.warning[0].value
    tabs = [tab.label for tab in at.tabs]
    assert tabs[:4] == ["Quellen (1)", "Belege (9)", "Abdeckung", "Verworfen (1)"]


def test_the_proof_follows_the_mark_and_the_address() -> None:
    fake = finished()
    at = open_report(fake)
    assert LAW_PLACE in texts_of(at)
    first = asked_for(fake)[-1]
    assert first == ("page_image", "d1", 50, (100, 100 + len(played_session.LIMIT)), True, "1")
    at.button(key="mark-2-0-0-3").click()
    at.run()
    assert at.query_params["cite"] == "3"
    assert asked_for(fake)[-1][2:4] == (51, (700, 700 + len(played_session.ORGANS)))
    assert "3 von 3" in texts_of(at)
    assert ":material/check: wörtlich geprüft" in texts_of(at)


def test_only_proof_is_ticked_and_both_sides_show_what_decided() -> None:
    at = open_report(finished())
    shown = texts_of(at)  # of the first sentence, which follows
    assert ":material/check: Satz folgt aus der Stelle" in shown
    assert "mit anderen Worten" in shown
    at.button(key="mark-1-0-0-2").click()
    at.run()
    shown = texts_of(at)  # of one that is not shown to follow
    assert ":material/check:" not in shown and "Wortlaut des Dokuments" in shown
    assert "**festlegen**" in shown and "**Studierende**" in shown
    assert words.SENTENCE_SIDE.de in shown and words.QUOTE_SIDE.de in shown


def test_a_report_without_standings_is_counted_as_it_reads_now() -> None:
    fake = finished()
    old = fake.threads.report("t1")
    assert old is not None
    for sentence in old["sentences"]:
        del sentence["standing"]
    fake.threads.report = lambda thread_id: old  # type: ignore[method-assign]
    shown = texts_of(open_report(fake))
    assert "2 Zitate, 2 nicht belegt, 1 ohne Fundstelle" in shown


def test_passages_that_only_come_closest_claim_nothing() -> None:
    fake = finished()
    unsure = fake.threads.report("t1")
    assert unsure is not None
    unsure["sentences"] = [s for s in unsure["sentences"] if s["standing"] == "quote"]
    unsure["certainty"] = "perhaps"
    fake.threads.report = lambda thread_id: unsure  # type: ignore[method-assign]
    at = open_report(fake)
    assert words.CLOSEST.de in texts_of(at).replace("\\", "")
    assert "2 Stellen zum Selbstprüfen" in texts_of(at)
    assert ":material/check:" not in texts_of(at)


def test_an_address_opens_its_proof_and_arrows_lead_to_the_others() -> None:
    fake = finished()
    at = open_report(fake, cite="2")
    assert "2 von 3" in texts_of(at)
    at.button(key="step-right").click()
    at.run()
    assert "3 von 3" in texts_of(at) and at.button(key="step-right").disabled
    at.button(key="step-left").click()
    at.run()
    assert at.query_params["cite"] == "2"


@pytest.mark.parametrize("cite", ["99", "-1", "zwei", "1e9", "9" * 5000])
def test_an_address_of_no_citation_shows_the_first(cite: str) -> None:
    at = open_report(finished(), cite=cite)
    assert not at.exception
    assert "von 3" in texts_of(at) and LAW_PLACE in texts_of(at)


def test_without_the_original_the_text_stands_there_with_the_reason() -> None:
    fake = finished()
    fake.lose_originals = True
    shown = texts_of(open_report(fake))
    assert "Statt der Seite" in shown and "The kept file is gone" in shown
    assert ("open_document", "d1", "1") in fake.reads


def test_without_the_document_the_quote_remains() -> None:
    fake = finished()
    fake.hide = True
    at = open_report(fake)
    assert "hier steht nur das Zitat" in texts_of(at)
    assert played_session.LIMIT in [text.value for text in at.text]


def test_dropped_evidence_is_restored_and_the_run_is_followed() -> None:
    fake = finished()
    at = turn_to(open_report(fake), "dropped")
    shown = texts_of(at)
    assert "Stufe 3 · Relevanz 0,21 zur Frage, nötig sind 0,3" in shown
    button(at, "Zurückholen und neu schreiben").click()
    at.run()
    assert "Kreuzen Sie an" in texts_of(at)
    at.checkbox(key="restore-d93").check()
    fake.pace = 0  # it goes on for as long as this looks
    button(at, "Zurückholen und neu schreiben").click()
    at.run()
    assert ("restore_evidence", "t1", ("d93",)) in fake.calls
    assert "folgt aus Zitaten" not in texts_of(at)


def test_coverage_names_what_was_found_for_each_task_by_document() -> None:
    at = turn_to(open_report(finished()), "coverage")
    (table,) = (each.value for each in at.table)
    assert [name.replace("\\", "") for name in table.columns] == [
        "Teil der Frage",
        "Stand",
        "StrlSchG.pdf",
    ]
    assert [word.split(": ")[-1] for word in table["Stand"]] == [
        "gefunden",
        "teilweise",
        "teilweise",
    ]
    lines = table.iloc[0, 2].replace("\\", "").split("  \n")
    assert [" ".join(line.split()) for line in lines] == [
        "**§ 78, § 81, § 84**",
        "Stufe 1: 1, Stufe 2: 1, Stufe 3: 1",
        "1 Zitat",
    ]
    assert "gefunden: " in texts_of(at).lower()


def test_no_name_in_the_matrix_is_read_as_markdown() -> None:
    at = turn_to(open_report(finished(hostile=True)), "coverage")
    (table,) = (each.value for each in at.table)
    cells = "".join(table.iloc[:, 2])
    assert "](http" not in cells and "<img" not in cells.replace("\\<", "")


def test_every_tab_can_be_opened() -> None:
    for name in ("sources", "evidence", "dropped", "references", "history", "quality", "cost"):
        at = turn_to(open_report(finished()), name)
        assert not at.exception, name
        assert [bool(tab.children) for tab in at.tabs].count(True) == 1, name


def test_only_the_open_tab_is_drawn_and_it_stays_open_in_the_other_language() -> None:
    at = open_report(finished())
    assert [next(iter(each.value.columns)) for each in at.dataframe] == ["Dokument"]
    turn_to(at, "evidence")
    assert all("Gefunden" in str(each.value.columns) for each in at.dataframe)
    assert "Wissensgraph, Tiefe 1: § 78 › § 86" in list(at.dataframe[-1].value["Gefunden durch"])
    assert not at.tabs[0].children and at.tabs[1].children
    at.button_group(key="language").set_value("en").run()
    assert not at.exception
    assert at.session_state["details-tabs"].startswith("Evidence (")
    assert not at.tabs[0].children and at.tabs[1].children


def test_hostile_texts_stay_text() -> None:
    at = open_report(finished(hostile=True), cite="4")
    assert not at.exception
    assert played_session.HOSTILE in [text.value for text in at.text]
    for found in at.markdown:
        assert "](http" not in found.value and "<img" not in found.value.replace("\\<", "")
    helps = [found.help for found in at.button if found.key and found.key.startswith("mark-")]
    assert not any("](http" in text for text in helps)


def test_the_report_speaks_english_too() -> None:
    shown = texts_of(open_report(finished(), language="en"))
    assert "1 of 3" in shown and "sentence follows from the passage" in shown
    assert "2 quotes, 1 follows from quotes, 1 not proven, 1 without a passage" in shown


@pytest.mark.parametrize(
    ("language", "warning", "left_out", "by_rule"),
    [
        (
            "de",
            "12 von 30 Belegen wurden verworfen",
            "Erster Teil der Antwort: Ohne Beleg, deshalb weggelassen: Der Grenzwert ist 7 mSv.",
            "Planen: Eine Regel ersetzte das Sprachmodell.",
        ),
        (
            "en",
            "12 of 30 pieces of evidence were dropped",
            "First part of the answer: Left out for lack of proof: Der Grenzwert ist 7 mSv.",
            "Plan: A rule stood in for the language model.",
        ),
    ],
)
def test_warnings_and_limits_speak_the_language_of_the_reader(
    language: str, warning: str, left_out: str, by_rule: str
) -> None:
    at = open_report(finished(), language=language)
    assert warning in at.warning[0].value
    shown = texts_of(at)
    assert left_out in shown and by_rule in shown
    assert "A limit of another version" in shown  # what the catalogue does not know stays as it is


HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


def show(value: dict[str, Any]) -> AppTest:
    def page(value: dict) -> None:  # type: ignore[type-arg]
        from app.components import pictures

        pictures.neighbourhood(value)

    at = AppTest.from_function(page, kwargs={"value": value}, default_timeout=30)
    at.session_state[LANGUAGE] = "de"
    return at.run()


def bodies(at: AppTest) -> list[str]:
    return [each.proto.body for each in at.get("html")]


def test_the_picture_stands_there_and_tells_what_it_shows() -> None:
    at = show(report("t1", "Was gilt?"))
    assert not at.exception
    (body,) = bodies(at)
    assert 'role="img"' in body and "StrlSchG § 77" in body
    encoded = re.search(r"base64,([\w+/=]+)\)", body)
    assert encoded and base64.b64decode(encoded[1]).startswith(b"<svg ")


def test_nothing_foreign_becomes_markup() -> None:
    value = report("t1", "Was gilt?")
    value["references"] = [
        {**each, "from": f"StrlSchG {HOSTILE}", "resolved_to": "StrlSchG § 78"}
        for each in value["references"]
    ]
    (body,) = bodies(show(value))
    assert "alert(1)" in body
    assert "<script" not in body and "<img" not in body
    assert body.count("<") == 4


def test_without_references_there_is_no_picture() -> None:
    at = show({**report("t1", "Was gilt?"), "references": []})
    assert not bodies(at) and not at.markdown


def offered(at: AppTest) -> list[str]:
    return [found.proto.label for found in at.get("download_button")]


def test_every_format_is_offered_and_none_is_made_before_it_is_asked_for() -> None:
    assert sorted([*WHOLE, *SOURCES]) == sorted(FORMATS)
    fake = FakeClient()
    at = at_report(fake)
    assert len(offered(at)) == len(FORMATS)
    assert offered(at)[0].startswith("PDF") and offered(at)[-1].startswith("RIS")
    assert not [call for call in fake.calls if call[0] == "export"]


def test_a_conversation_is_offered_in_the_same_formats_once_it_has_an_answer() -> None:
    fake = FakeClient()
    at = open_app(fake, page="ask")
    assert not offered(at)
    at.chat_input(key="ask-question").set_value("Welcher Grenzwert gilt?").run()
    assert len(offered(at)) == len(FORMATS) and "Das ganze Gespräch" in texts_of(at)
    assert not [call for call in fake.calls if call[0] == "export"]
