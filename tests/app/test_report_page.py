"""The page of a report: marks, proof, tabs, its neighbourhood and its exports."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.exports import FORMATS
from app.components.report_details import SOURCES, WHOLE
from app.session import LANGUAGE
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
    where = {} if cite is None else {"cite": cite}
    return open_app(fake, language=language, thread="t1", **where)


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
    at.button(key="mark-2-0-0-3").click().run()
    assert at.query_params["cite"] == "3"
    assert asked_for(fake)[-1][2:4] == (51, (700, 700 + len(played_session.ORGANS)))
    assert "3 von 3" in texts_of(at)
    assert ":material/check: wörtlich geprüft" in texts_of(at)


def test_only_proof_is_ticked_and_both_sides_show_what_decided() -> None:
    at = open_report(finished())
    shown = texts_of(at)  # of the first sentence, which follows
    assert ":material/check: Satz folgt aus der Stelle" in shown
    assert "mit anderen Worten" in shown
    at.button(key="mark-1-0-0-2").click().run()
    shown = texts_of(at)  # of one that is not shown to follow
    assert ":material/check:" not in shown and "Wortlaut des Dokuments" in shown
    assert "**festlegen**" in shown and "**Studierende**" in shown
    assert "markiert ist, was die Stelle nicht hat" in shown and "was der Satz nicht hat" in shown


def saying(fake: FakeClient) -> dict[str, Any]:
    """The report that the client says from now on, to be changed."""
    kept = fake.threads.report("t1")
    assert kept is not None
    fake.threads.report = lambda thread_id: kept  # type: ignore[method-assign]
    return kept


def test_a_report_without_standings_is_counted_as_it_reads_now() -> None:
    fake = finished()
    for sentence in saying(fake)["sentences"]:
        del sentence["standing"]
    shown = texts_of(open_report(fake))
    assert "2 Zitate, 2 nicht belegt, 1 ohne Fundstelle" in shown


def test_passages_that_only_come_closest_claim_nothing() -> None:
    fake = finished()
    unsure = saying(fake)
    unsure["sentences"] = [s for s in unsure["sentences"] if s["standing"] == "quote"]
    unsure["certainty"] = "perhaps"
    at = open_report(fake)
    assert "Diese Stellen kommen der Frage am nächsten" in texts_of(at).replace("\\", "")
    assert "2 Stellen zum Selbstprüfen" in texts_of(at)
    assert ":material/check:" not in texts_of(at)


def test_an_address_opens_its_proof_and_arrows_lead_to_the_others() -> None:
    fake = finished()
    at = open_report(fake, cite="2")
    assert "2 von 3" in texts_of(at)
    at.button(key="step-right").click().run()
    assert "3 von 3" in texts_of(at) and at.button(key="step-right").disabled
    at.button(key="step-left").click().run()
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
    button(at, "Zurückholen und neu schreiben").click().run()
    assert "Kreuzen Sie an" in texts_of(at)
    at.checkbox(key="restore-d93").check()
    fake.pace = 0  # it goes on for as long as this looks
    button(at, "Zurückholen und neu schreiben").click().run()
    assert ("restore_evidence", "t1", ("d93",)) in fake.calls
    assert "folgt aus Zitaten" not in texts_of(at)


def test_coverage_names_what_was_found_for_each_task_by_document() -> None:
    at = turn_to(open_report(finished()), "coverage")
    (table,) = (each.value for each in at.table)
    names = [name.replace("\\", "") for name in table.columns]
    assert names == ["Teil der Frage", "Stand", "StrlSchG.pdf"]
    states = [word.split(": ")[-1] for word in table["Stand"]]
    assert states == ["gefunden", "teilweise", "teilweise"]
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


@pytest.mark.parametrize(
    ("language", "warning", "told"),
    [
        ("de", "12 von 30 Belegen wurden verworfen", (
            "Erster Teil der Antwort: Ohne Beleg, deshalb weggelassen: Der Grenzwert ist 7 mSv.",
            "Planen: Eine Regel ersetzte das Sprachmodell.",
            "2 Zitate, 1 folgt aus Zitaten, 1 nicht belegt, 1 ohne Fundstelle",
        )),
        ("en", "12 of 30 pieces of evidence were dropped", (
            "First part of the answer: Left out for lack of proof: Der Grenzwert ist 7 mSv.",
            "Plan: A rule stood in for the language model.",
            "2 quotes, 1 follows from quotes, 1 not proven, 1 without a passage",
            "1 of 3",
            "sentence follows from the passage",
        )),
    ],
)  # fmt: skip
def test_the_report_speaks_the_language_of_the_reader(
    language: str, warning: str, told: tuple[str, ...]
) -> None:
    at = open_report(finished(), language=language)
    assert warning in at.warning[0].value
    shown = texts_of(at)
    assert all(each in shown for each in told)
    assert "A limit of another version" in shown  # what the catalogue does not know stays as it is


def show(value: dict[str, Any]) -> AppTest:
    def page(value: dict) -> None:  # type: ignore[type-arg]
        from app.components import pictures

        pictures.neighbourhood(value)

    at = AppTest.from_function(page, kwargs={"value": value}, default_timeout=30)
    at.session_state[LANGUAGE] = "de"
    return at.run()


def graphs(at: AppTest) -> list[Any]:
    return [each.proto for each in at.get("graphviz_chart")]


def test_the_neighbourhood_is_drawn_and_said() -> None:
    at = show(report("t1", "Was gilt?"))
    assert not at.exception
    (graph,) = graphs(at)
    assert '"StrlSchG § 78" -> "StrlSchG § 77"' in graph.spec
    assert "StrlSchG § 78 verweist auf StrlSchG § 77." in graph.alt


def test_nothing_foreign_becomes_part_of_the_graph() -> None:
    value = report("t1", "Was gilt?")
    hostile = {"from": 'x\\"] URL="javascript:alert(1)', "resolved_to": "StrlSchG § 78"}
    value["references"] = [value["references"][0] | hostile]
    (graph,) = graphs(show(value))
    assert '"x\\\\\\"] URL=\\"javascript:alert(1)" -> ' in graph.spec


def test_without_references_there_is_no_graph() -> None:
    at = show({**report("t1", "Was gilt?"), "references": []})
    assert not graphs(at) and not at.markdown


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
