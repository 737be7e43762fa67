"""The page of a report: marks, proof, tabs, its neighbourhood and its exports."""

import uuid
from collections.abc import Sequence
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.exports import FORMATS
from app.components.report import REPORT_FORMATS, SOURCE_FORMATS
from app.labels import CLOSEST, STANDING
from app.locale import translate
from app.samples import SAMPLES
from services.domain import Standing
from services.domain.notices import Notice
from tests.support.desk import until_ended
from tests.support.house import SHAKEN, TASKS, House
from tests.support.pages import keys, open_app, read, texts_of
from tests.support.played_report import DRIFT
from tests.support.played_session import HOSTILE

TICK = ":material/check:"
REASON = "Nicht in der Stelle: darf."
LAST = "Die Schwingungen der Hand sind jährlich zu messen."
"""Its page was never drawn, so that it is not remembered."""
LIMIT = "Für Beschäftigte beträgt der Grenzwert des Lärms 85 Dezibel im Tagesmittel."


def opened(house: House, thread: str, language: str = "de", **where: str) -> AppTest:
    at = open_app(house.engine, language=language, thread=thread, **where)
    assert not at.exception
    return at


def turn_to(at: AppTest, tab: str) -> AppTest:
    """Choose an entry of the details."""
    at.session_state["details-open"] = tab
    at.run()
    assert not at.exception
    return at


def details(at: AppTest) -> list[str | None]:
    """The keys of choices on the page."""
    return [each.key for each in at.button_group]


def marks(at: AppTest) -> list[str]:
    found = [each.label for each in at.button if (each.key or "").startswith("mark-")]
    return [label.partition(":")[0] for label in found]


def cited(house: House, document: str, quote: str) -> dict[str, Any]:
    """A citation of these words."""
    (found,) = [each for each in house.engine.library.documents() if each.document == document]
    start = house.engine.library.open_document(found.document_id).parsed.text.find(quote)
    assert start >= 0
    page = 1 if document.endswith(".pdf") else None
    place = {"document": document, "document_id": found.document_id, "section": "§ 2", "page": page}
    return {**place, "start": start, "end": start + len(quote), "quote": quote, "verified": True}


def sentence(
    text: str, standing: Standing, citations: Sequence[dict[str, Any]] = (), **more: Any
) -> dict[str, Any]:
    supported = standing in ("quote", "follows")
    kept = {"text": text, "standing": standing, "supported": supported, "citations": [*citations]}
    return {**kept, **more}


def of_every_standing(house: House) -> dict[str, Any]:
    """A report whose sentences follow, are loose, have no passage, and are two quotes."""
    limit, shaken = cited(house, "LaermG.txt", LIMIT), cited(house, "SchwG.pdf", SHAKEN)
    sentences = [
        sentence("Es gelten 85 Dezibel.", "follows", [limit], reason="Mit anderen Worten."),
        sentence(
            "Der Betrieb darf 85 Dezibel.", "loose", [limit], reason=REASON, decisive=["darf"]
        ),
        sentence("Niemand misst das.", "none"),
        sentence(LIMIT, "quote", [limit]),
        sentence(SHAKEN, "quote", [shaken]),
    ]
    answer = "\n\n".join([*(s["text"] for s in sentences[:4]), f"## {TASKS[1]}", SHAKEN])
    return {**house.report(), "sentences": sentences, "answer": answer, "certainty": "answered"}


@pytest.mark.parametrize(
    ("language", "headline"), [("de", "3 belegt, 2 zu prüfen"), ("en", "3 verified, 2 to check")]
)
def test_every_sentence_has_its_mark_and_its_standing(
    house: House, language: Any, headline: str
) -> None:
    at = opened(house, house.keep(**of_every_standing(house)), language)
    shown = texts_of(at)
    assert headline in shown and REASON in shown
    badges = [found.value for found in at.markdown if "-badge[" in found.value]
    for standing in ("loose", "none"):
        assert sum(translate(language, STANDING[standing]) in badge for badge in badges) == 1
    assert marks(at) == ["1", "1", "1", "2"]
    assert LIMIT in at.button(key="mark-0-0-0-1").help.replace("\\", "")
    assert at.subheader[0].value == TASKS[1]


def test_proof_follows_the_mark_and_only_what_proves_is_ticked(house: House) -> None:
    at = opened(house, house.keep(**of_every_standing(house)))
    assert TICK in texts_of(at) and "proof-close" not in keys(at), "nobody has chosen one"
    assert LIMIT in [text.value.strip("\u2060") for text in at.text], "the section, it marked"
    at.button(key="mark-0-1-0-1").click().run()  # of a sentence that is not shown to follow
    shown = texts_of(at)
    assert TICK not in shown and "darf**" in shown and "**Grenzwert**" in shown
    at.button(key="step-right").click().run()
    assert at.query_params["cite"] == "2" and TICK in texts_of(at)
    assert at.button(key="step-right").disabled and len(at.get("image")) == 1
    at.button(key="step-left").click().run()
    assert at.query_params["cite"] == "1" and not at.get("image")
    at.button(key="proof-close").click().run()
    assert "cite" not in at.query_params


def test_a_mark_of_another_report_decides_nothing_in_this_one(house: House) -> None:
    kept = of_every_standing(house)
    at = opened(house, house.keep(**kept))
    at.button(key="mark-0-1-0-1").click().run()
    assert TICK not in texts_of(at)
    at.query_params.update({"thread": house.keep(**kept), "cite": "1"})
    assert TICK in texts_of(at.run()), "the first sentence that cites it"


@pytest.mark.parametrize("cite", ["2", "99", "-1", "zwei", "1e9", "9" * 5000])
def test_an_address_opens_its_proof_and_one_of_no_citation_the_first(
    house: House, cite: str
) -> None:
    at = opened(house, house.keep(**of_every_standing(house)), cite=cite)
    assert bool(at.get("image")) == (cite == "2") == ("proof-close" in keys(at))


def test_without_the_original_there_is_the_text_and_without_the_document_the_quote(
    house: House,
) -> None:
    kept = of_every_standing(house)
    citation = cited(house, "SchwG.pdf", LAST)
    kept["sentences"][4] = sentence(LAST, "quote", [citation])
    gone = citation | {"document_id": "gone"}
    kept["sentences"][3] = sentence(LIMIT, "quote", [gone | {"quote": LIMIT}])
    thread = house.keep(**kept)
    assert LIMIT in [text.value for text in opened(house, thread, cite="2").text]
    (original,) = (house.home / "originals").rglob(f"{citation['document_id']}*")
    away = original.rename(house.home / "away.pdf")
    try:
        at = opened(house, thread, cite="3")
        assert not at.get("image")
        assert LAST in [text.value.strip("\u2060") for text in at.text]
    finally:
        away.rename(original)


def test_lists_tables_and_sections_without_a_sentence_are_shown(house: House) -> None:
    limit = cited(house, "LaermG.txt", LIMIT)
    texts = ["Ein Grenzwert.", "Wert: 85 | Dauer: Tag", "Wert: 70 | Dauer: Tag"]
    kept = of_every_standing(house) | {
        "sentences": [sentence(text, "follows", [limit]) for text in texts],
        "answer": "\n\n".join(
            [
                f"- {texts[0]} [LärmG § 2]",
                f"## {TASKS[0]}\n\n- {texts[1]} [LärmG § 2]\n- {texts[2]} [LärmG § 2]",
                f"## {TASKS[1]}\n\nSiehe »{TASKS[0]}«.",
            ]
        ),
    }
    at = opened(house, house.keep(**kept))
    assert marks(at) == ["1", "1", "1"]
    shown, columns = [text.value for text in at.text], [read(column) for column in at.columns]
    assert columns[:6] == ["**Wert**", "**Dauer**", "85", "Tag", "70", "Tag"]
    assert texts[0] in shown and not any("|" in text for text in shown)
    assert [each.value for each in at.subheader] == [*TASKS] and f"Siehe »{TASKS[0]}«." in shown
    at.button(key="mark-1-0-1-1").click().run()
    assert at.query_params["cite"] == "1" and "proof-close" in keys(at)


def test_a_report_that_found_nothing_says_what_was_searched_for(house: House) -> None:
    house.play(read={"answered": "no", "claims": [], "missing": "alles"})
    thread, _ = house.started("approved")
    assert until_ended(house.engine, thread) == "done"
    house.play()
    report = house.engine.threads.research_report(thread)
    assert report is not None and report.certainty == "refused"
    at = opened(house, thread)
    assert report.opening in texts_of(at) and not marks(at)
    assert [each.value for each in at.subheader] == [*TASKS]
    assert texts_of(at).count("Dazu fand sich nichts") == len(TASKS)


def test_passages_that_only_come_closest_claim_nothing(house: House) -> None:
    kept = of_every_standing(house)
    quotes = [each for each in kept["sentences"] if each["standing"] == "quote"]
    at = opened(house, house.keep(**kept | {"certainty": "perhaps", "sentences": quotes}))
    assert at.subheader[0].value == translate("de", CLOSEST)
    assert marks(at) == ["1", "2"] and TICK not in texts_of(at)


def test_a_report_of_an_earlier_version_reads_as_it_is_judged_now(house: House) -> None:
    kept = of_every_standing(house)
    for each in kept["sentences"]:
        del each["standing"]
    added_since = ("certainty", "parts", "standings", "required_info", "coverage_map", "opening")
    at = opened(house, house.keep(**{n: v for n, v in kept.items() if n not in added_since}))
    assert "2 belegt, 3 zu prüfen" in texts_of(at)
    del kept["usage"]
    at = opened(house, house.keep(**kept))
    assert len(at.error) == 1 and "details-open" not in details(at), "what cannot be read is said"


def test_a_report_without_an_answer_says_so(house: House) -> None:
    kept = of_every_standing(house) | {"sentences": [], "answer": "", "certainty": "refused"}
    at = opened(house, house.keep(**kept))
    assert not marks(at) and len(at.button_group(key="details-open").options) == 6


def test_a_thread_opens_though_the_one_before_cannot_be_read(house: House) -> None:
    before = house.keep(answer="Von einer anderen Version.")
    after, runs = uuid.uuid4().hex, house.services.catalog.runs
    runs.create(
        after,
        house.engine.principal,
        "?",
        [SAMPLES["de"].collection],
        {"follows": before},
        "research",
    )
    runs.update(after, status="done", report=house.report() | {"thread_id": after})
    at = opened(house, after)
    assert marks(at) and len(at.error) == 1


def test_each_tab_draws_what_it_is_for_alone_and_stays_open_in_the_other_language(
    house: House,
) -> None:
    at = opened(house, house.finished)
    report = house.engine.threads.research_report(house.finished)
    assert report is not None and report.quality is not None and report.clarification is not None
    rows = {
        "sources": 0,
        "evidence": len(report.evidence),
        "references": len(report.references),
        "history": 0,
        "details": len(report.usage.seconds) + len(report.sources),
    }
    for name in ("sources", "evidence", "history", "references", "details"):
        turn_to(at, name)
        assert sum(len(each.value) for each in at.dataframe) == rows.get(name, 0), name
    turn_to(at, "history")
    assert texts_of(at).count("Abdeckung") == len(report.retrieval_history) > 0
    at.button_group(key="language").set_value("en").run()
    assert not at.exception and texts_of(at).count("coverage") == len(report.retrieval_history)


def test_the_matrix_has_a_row_for_each_part_and_a_column_for_each_document(house: House) -> None:
    at = turn_to(opened(house, house.finished), "coverage")
    (table,) = (each.value for each in at.table)
    kept = house.report()
    assert len(table) >= len(kept["required_info"]) > 1
    assert {name.replace("\\", "") for name in table.columns[2:]} == {"LaermG.txt", "SchwG.pdf"}
    assert any(word.startswith(":material/check_circle:") for word in table.iloc[:, 1])


@pytest.mark.parametrize("tab", ["coverage", "history"])
def test_hostile_texts_stay_text(house: House, tab: str) -> None:
    kept = of_every_standing(house)
    kept["sentences"].append(sentence(HOSTILE, "loose", [kept["sentences"][3]["citations"][0]]))
    kept["sentences"][-1] |= {"reason": HOSTILE}
    kept |= {"gaps": [HOSTILE], "warnings": [HOSTILE], "degraded": [HOSTILE]}
    kept["answer"] += f"\n\n## {HOSTILE}\n\n{HOSTILE}"
    texts = dict.fromkeys(("document", "text", "reason"), HOSTILE)
    kept["dropped"] = [{"chunk_id": "c1", "section": "§ 2", "score": 0.1, **texts}]
    kept["tasks"][0] |= {"task": HOSTILE, "searches": [{"query": HOSTILE, "hits": 1, "new": 1}]}
    kept["tasks"][0]["findings"][0] |= {"text": HOSTILE, "status": "dropped", "reason": HOSTILE}
    for each in kept["required_info"]:
        each["item"] = HOSTILE
    at = turn_to(opened(house, house.keep(**kept)), tab)
    assert HOSTILE in [text.value for text in at.text]
    written = [
        found.value for kind in ("markdown", "caption", "subheader") for found in at.get(kind)
    ]
    written += [each.help or "" for each in at.button]
    written += [str(table.value) for table in at.table]
    for text in written:
        assert "](http" not in text and "<img" not in text.replace("\\<", "")


def test_warnings_and_limits_speak_the_language_of_the_reader(house: House) -> None:
    why = Notice.of(
        "sentences left out because their findings support only part of them: {sentences}",
        sentences="7 mSv.",
    )
    degraded = [Notice.of("{step}: {reason}", step="lead", reason=why).model_dump()]
    kept = of_every_standing(house) | {"degraded": [*degraded, "A limit of another version"]}
    thread = house.keep(**kept)
    for language, said in (
        ("de", "nur teilweise stützen: 7 mSv."),
        ("en", "support only part of them: 7 mSv."),
    ):
        shown = texts_of(opened(house, thread, language))
        assert said in shown and "A limit of another version" in shown


def test_every_format_is_offered_of_a_report_and_of_a_conversation(house: House) -> None:
    assert sorted([*REPORT_FORMATS, *SOURCE_FORMATS]) == sorted(FORMATS)
    talk = house.answered()["thread_id"]
    for thread in (house.finished, talk):
        at = open_app(house.engine, thread=thread)
        offered = [key for key in keys(at) if key.startswith("export-")]
        assert {key.rsplit("-", 1)[-1] for key in offered} >= set(FORMATS)


def test_a_report_is_rated_and_moves_no_threshold(house: House) -> None:
    thread = house.keep(**of_every_standing(house))
    before = house.engine.answers.thresholds()
    at = opened(house, thread)
    at.feedback[0].set_value(0).run()
    (vote,) = house.engine.answers.votes(thread)
    assert (vote.turn, vote.up) == (1, False)
    assert house.engine.answers.thresholds() == before


def test_sections_fold_and_contents_lead_to_them(house: House) -> None:
    at = opened(house, house.finished)
    assert [each.label.replace("\\", "") for each in at.expander][:2] == [*TASKS]
    assert all(each.proto.expanded for each in at.expander[:2])
    anchors = [each.proto.anchor for each in at.subheader]
    (contents,) = [str(each.value) for each in at.markdown if "(#section-" in str(each.value)]
    assert [f"(#{anchor})" in contents for anchor in anchors] == [True] * len(TASKS)


def test_a_warning_of_drift_stands_above_no_answer(house: House) -> None:
    kept = of_every_standing(house) | {"warnings": [DRIFT.model_dump()]}
    assert not opened(house, house.keep(**kept)).warning
    assert opened(house, house.keep(**kept | {"certainty": "refused"})).warning
