"""Review: doubtful sentences alone, decided one by one, signed by name, told in every export."""

import json
import uuid
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli.main import main
from services.domain import Principal
from services.domain.answers import Review, apply_review
from services.domain.errors import InvalidInput, NotFound
from tests.app.test_report_page import LIMIT, of_every_standing, opened
from tests.support.exported import READERS, squeezed
from tests.support.house import House
from tests.support.library_window import press
from tests.support.pages import texts_of


def kept(house: House) -> tuple[str, dict[str, Any]]:
    report = of_every_standing(house)
    return house.keep(**report), report


def exported(house: House, thread: str, name: str) -> str:
    return house.engine.threads.export_report(thread, name).decode()


def test_the_page_walks_through_the_doubtful_sentences_alone(house: House) -> None:
    thread, report = kept(house)
    at = opened(house, thread)
    press(at, "review")
    shown = texts_of(at)
    assert "Satz 1 von 2" in shown and "noch 2 zu entscheiden" in shown
    assert "darf**" in shown, "the deciding word"
    press(at, "review-quote")
    assert "Satz 2 von 2" in texts_of(at), "the next that is open"
    assert at.button(key="review-quote").disabled, "nothing is quoted there"
    press(at, "review-remove")
    assert "review-signed" in [each.key for each in at.button]
    at.text_input(key="signed-name").input("Vera Nolte")
    press(at, "review-signed")
    assert "Abgezeichnet von Vera Nolte" in texts_of(at)
    press(at, "review-close")
    assert "4 belegt" in texts_of(at) and "Niemand misst das." not in texts_of(at)
    stored = house.engine.threads.report(thread)
    assert stored is not None and stored["sentences"] == report["sentences"]
    assert stored["answer"] == report["answer"], "what was written stays as it was"


def test_removed_sentences_stay_out_of_follow_ups_and_beside_documents(house: House) -> None:
    thread, report = kept(house)
    for sentence in (0, 1, 3):
        house.engine.reviews.decide(thread, sentence, "remove")
    after, runs = uuid.uuid4().hex, house.services.catalog.runs
    runs.create(after, house.engine.principal, "?", ["contracts"], {"follows": thread}, "research")
    runs.update(after, status="done", report=house.report() | {"thread_id": after})
    assert "Der Betrieb darf" not in texts_of(opened(house, after))
    law = report["sentences"][0]["citations"][0]["document_id"]
    at = opened(house, thread, page="document", doc=law)
    assert at.selectbox(key="beside-choice").options[0].startswith("1 · SchwG")


def test_words_for_a_sentence_stay_out_of_another_review(house: House) -> None:
    (first, report), (second, _) = kept(house), kept(house)
    at = press(opened(house, first), "review")
    at.query_params["thread"] = second
    press(at.run(), "review")
    (field,) = [each for each in at.text_area if "review-text" in each.key]
    field.input("Andere Worte.").run()
    at.query_params["thread"] = first
    (field,) = [each for each in at.run().text_area if "review-text" in each.key]
    assert field.value == report["sentences"][1]["text"]


def test_exports_tell_who_decided_what_and_when(house: House) -> None:
    thread, report = kept(house)
    reviews = house.engine.reviews
    reviews.decide(thread, 1, "accept")
    reviews.decide(thread, 1, "edit", "Im Betrieb gelten  85 Dezibel.")
    reviews.decide(thread, 2, "remove")
    signed = reviews.sign(thread).signed
    assert signed is not None and signed.user == "local"
    day = signed.at[:10]
    text = exported(house, thread, "md")
    assert f"nicht belegt; neu formuliert von local am {day}".replace("-", "\\-") in text or (
        f"nicht belegt; neu formuliert von local am {day}" in text
    )
    assert "Im Betrieb gelten 85 Dezibel." in text
    assert "Niemand misst das." in text.split("## Prüfung")[1], "only among what was removed"
    assert "Niemand misst das." not in text.split("## Prüfung")[0]
    html = exported(house, thread, "html")
    assert f"Geprüft und abgezeichnet von local am {day}" in html
    assert "1 von einer Person entschieden" in html and "belegt" in html
    for name in ("pdf", "docx"):
        assert len(house.engine.threads.export_report(thread, name)) > 5000
    value = json.loads(exported(house, thread, "json"))
    assert value["sentences"] == report["sentences"], "for programs the answer stays as written"
    assert value["review"]["signed"] == signed.model_dump()
    assert value["review"]["decisions"]["1"]["text"] == "Im Betrieb gelten 85 Dezibel."
    reviews.decide(thread, 2, "open")
    again = reviews.get(thread)
    assert again.signed is None and again.open == (2,), "what is decided later unsigns"


def test_a_note_stands_at_any_sentence_and_in_every_export(house: House) -> None:
    thread, _report = kept(house)
    at = opened(house, thread)
    press(at, "mark-0-0-0-1")
    at.text_area(key=f"note-{thread}-0").set_value("Mit *Frau* Weber geklärt.").run()
    press(at, "note-save")
    assert house.engine.reviews.get(thread).notes[0].text == "Mit *Frau* Weber geklärt."
    assert "Weber geklärt." in texts_of(at)
    house.engine.reviews.decide(thread, 1, "accept")
    house.engine.reviews.decide(thread, 2, "remove")
    house.engine.reviews.sign(thread)
    review = house.engine.reviews.decide(thread, 3, "note", "Stand 2026")
    assert review.signed and (review.original_index(1), review.original_index(2)) == (1, 3)
    assert "Notiz von local" in exported(house, thread, "md")
    html = exported(house, thread, "html")
    assert ": Mit *Frau* Weber geklärt.]" in html and ": Stand 2026]" in html
    for name in ("pdf", "docx"):
        told = squeezed(READERS[name](house.engine.threads.export_report(thread, name)))
        assert ": Mit *Frau* Weber geklärt.]" in told
    assert json.loads(exported(house, thread, "json"))["review"]["notes"].keys() == {"0", "3"}
    assert not house.engine.reviews.decide(thread, 0, "note", " ").notes.keys() & {0}


def test_the_command_lists_decides_and_signs(house: House) -> None:
    thread, _report = kept(house)

    def review(*options: str) -> dict[str, Any]:
        env = {"RABBITHOLE_HOME": str(house.home)}
        done = CliRunner().invoke(main, ["review", thread, *options, "--json"], env=env)
        assert done.exit_code == 0, done.stderr
        value: dict[str, Any] = json.loads(done.stdout)
        return value

    assert [each["n"] for each in review()["sentences"]] == review()["open"] == [1, 2]
    assert review("--note", "0", "Gilt.")["notes"][0]["text"] == "Gilt."
    assert review("--quote", "1")["sentences"][0]["review"]["text"] == LIMIT
    assert review("--edit", "2", "Niemand misst.", "--sign")["signed"]["user"] == "local"


def test_a_proven_sentence_is_reworded_beside_its_proof_and_is_proven_no_more(house: House) -> None:
    thread, _report = kept(house)
    at = opened(house, thread)
    press(at, "mark-0-0-0-1")
    at.text_area(key=f"correct-{thread}-0").set_value("Es gelten  80 Dezibel.").run()
    press(at, "correct-edit")
    shown = texts_of(at)
    assert "Es gelten 80 Dezibel." in shown and "2 belegt" in shown
    review = house.engine.reviews.get(thread)
    assert review.open == (1, 2) and review.listed == (0, 1, 2)
    assert "Es gelten 85 Dezibel." in exported(house, thread, "md").split("## Prüfung")[1]
    assert "3 belegt" in texts_of(press(at, "correct-open"))


def test_a_report_without_doubtful_sentences_is_signed(house: House) -> None:
    report = of_every_standing(house)
    proven = [report["sentences"][n] for n in (0, 3, 4)]
    at = opened(house, thread := house.keep(**report | {"sentences": proven}))
    press(press(at, "review"), "review-signed")
    assert "Abgezeichnet von local" in texts_of(at)
    assert house.engine.reviews.get(thread).signed


def test_nothing_becomes_proof_by_a_decision(house: House) -> None:
    thread, report = kept(house)
    house.engine.reviews.decide(thread, 1, "accept")
    house.engine.reviews.decide(thread, 2, "edit", "Es wird gemessen.")
    layer = apply_review(report, house.engine.reviews.get(thread))
    assert [each["supported"] for each in layer["sentences"]] == [True, False, False, True, True]
    house.engine.reviews.decide(thread, 1, "quote")
    layer = apply_review(report, house.engine.reviews.get(thread))
    assert layer["sentences"][1]["standing"] == "quote" and layer["answer"].count(LIMIT) == 2
    assert apply_review(report, Review())["answer"] == report["answer"]


@pytest.mark.parametrize(
    ("sentence", "decision", "text"), [(9, "remove", ""), (2, "quote", ""), (1, "edit", "  ")]
)
def test_what_cannot_be_decided_is_refused(
    house: House, sentence: int, decision: Any, text: str
) -> None:
    thread, _report = kept(house)
    with pytest.raises(InvalidInput):
        house.engine.reviews.decide(thread, sentence, decision, text)
    with pytest.raises(InvalidInput, match="to be reviewed: 2"):
        house.engine.reviews.sign(thread)
    with pytest.raises(NotFound):
        house.engine.acting_as(Principal(user="ben")).reviews.get(thread)


def test_a_report_that_is_written_again_begins_its_review_anew(house: House) -> None:
    thread, report = kept(house)
    house.engine.reviews.decide(thread, 1, "accept")
    house.engine.reviews.decide(thread, 2, "remove")
    house.engine.reviews.sign(thread)
    report["sentences"][1]["text"] = "Etwas anderes."
    house.engine._catalog.runs.update(thread, report=report)
    review = house.engine.reviews.get(thread)
    assert review.open == (1,) and review.signed is None


def test_a_sentence_that_no_longer_cites_the_quote_in_its_place_is_open_again(house: House) -> None:
    thread, report = kept(house)
    house.engine.reviews.decide(thread, 1, "quote")
    report["sentences"][1]["citations"] = report["sentences"][4]["citations"]
    house.engine._catalog.runs.update(thread, report=report)
    review = house.engine.reviews.get(thread)
    assert review.open == (1, 2)
    assert apply_review(report, review)["answer"] == report["answer"]
