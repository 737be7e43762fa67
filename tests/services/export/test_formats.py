"""Every format says the same, and its links lead somewhere. Read by other libraries."""

import io
import json
import re
from typing import Any

import pytest
from PIL.Image import new as new_image

from services.domain import Citation
from services.export.document import make_document
from services.export.layout import lay_out
from services.export.texts import file_stem, labels_for
from tests.support.exported import (
    READING,
    Page,
    closed_page,
    export_report,
    markdown_tokens,
    read,
    report,
    squeezed,
)
from tests.support.played_report import CHANGED, DRIFTED, GAP, NOTHING, ROWS, SEARCHED
from tests.support.played_session import EXCEPTION, HOSTILE, LIMIT, ORGANS

CELLS = {row: re.sub(r"\w+: ", "", row).replace("|", "") for row in ROWS}
"""What stands of a row in its table."""
BEHIND = (
    "6 belegt, 2 zu prüfen · Modell qwen3:14b · 2026-11-22",
    GAP,
    NOTHING,
    CHANGED,
    f"{DRIFTED} StrlSchG.pdf § 80 0,21",
    f"{SEARCHED} 20 3",
    "Rückfragen, Runde 2",
    "12 of 30 findings were dropped as not relevant",
    "lead: sentences left out because their findings",
    "Textstellen der Stufe 3 (Kontext)",
    "Wissensgraph, Schritt 1: § 78 › § 86",
    "relevance 0.21 to the question is below 0.3",
    "9f" * 32,
    "Gesamt: 342 von 400",
    "15.230 Token Eingabe, 2.210 Token Ausgabe",
    "Recherche t1",
)


@pytest.mark.parametrize("name", READING)
def test_a_report_is_told_whole_and_every_part_of_it_once(name: str) -> None:
    made = report()
    found = read(name, made, date="2026-11-22")
    for sentence in made["sentences"]:
        shown = CELLS.get(sentence["text"], sentence["text"])
        assert found.count(squeezed(shown)) == 1, shown
    for once in (LIMIT, EXCEPTION, ORGANS, "Belegstellen", "Quellen", "keine Stelle gefunden"):
        assert found.count(once) == 1, once
    task = "Organ-Äquivalentdosen für Personen unter 18"
    assert found.count(task) == 4, "a heading, a row of the coverage, and what was searched for"
    assert found.count("Organ Grenzwert") == 1, "one table of two rows"
    bare = next(each["text"] for each in made["sentences"] if each["standing"] == "none")
    assert f"{bare} (keine Stelle gefunden)" in found
    assert (
        found.count("(folgt nicht erkennbar aus der Stelle: Nicht in der Stelle: festlegen.)") == 1
    )
    assert f"Für Personen unter 18 Jahren gelten: {ORGANS}" in found, "the case of a quote"
    assert all(told in found for told in BEHIND)
    assert squeezed(HOSTILE) in read(name, report(hostile=True))


@pytest.mark.parametrize("name", READING)
def test_certainty_and_language_of_an_answer_choose_the_words(name: str) -> None:
    made = report()
    quotes = [each for each in made["sentences"] if each["standing"] == "quote"]
    perhaps = read(name, {**made, "sentences": quotes, "certainty": "perhaps"})
    assert labels_for("de").closest in perhaps and "2 Zitate" in perhaps
    assert "2 belegt" not in perhaps
    english = read(name, {**made, "language": "en"})
    for told in (
        "knowledge graph, step 1: § 78 › § 86",
        "Sources",
        "(no passage found)",
        "15,230 prompt tokens",
        "6 verified, 2 to check",
    ):
        assert told in english
    assert "Quellen" not in english and "Fundstelle" not in english
    empty = made | {"answer": "", "sentences": [], "sources": [], "quality": None}
    assert "wurde nichts gefunden" in read(name, empty)


def test_both_languages_have_a_text_for_every_label() -> None:
    for label, german in labels_for("de").items():
        english = labels_for("en")[label]
        assert type(german) is type(english) and bool(german) == bool(english)
        if isinstance(german, dict):
            assert german.keys() == english.keys()
        else:
            assert str(german).count("{}") == str(english).count("{}"), label


@pytest.mark.parametrize("name", READING)
def test_rows_of_a_table_stay_below_each_other_and_are_told_once(name: str) -> None:
    rows = "Nuklid: H-3 | Grenze: 1000", "1. Nuklid: C-14 | Grenze: 10"
    made = report()
    citation = {**made["sentences"][0]["citations"][0], "quote": "\n".join(rows)}
    made["answer"] = citation["quote"]
    made["sentences"] = [{"text": citation["quote"], "supported": True, "citations": [citation]}]
    found = read(name, made)
    assert [found.count(row) for row in rows] == [1, 1]
    content = export_report(made, name)
    if name == "md":
        quoted = next(each for each in markdown_tokens(content) if "H-3" in each.content)
        assert "C-14" in quoted.content
        assert "hardbreak" in [leaf.type for leaf in quoted.children]
    elif name == "html":
        assert f"{rows[0]}<br>{rows[1]}" in content.decode()


def test_sentences_of_a_paragraph_stay_together_and_a_quote_stands_alone() -> None:
    first, _, third, fourth, *_ = lay_out(report()).sections
    assert [len(lines) for lines in first.paragraphs] == [2]
    assert [len(lines) for lines in (*third.paragraphs, *fourth.paragraphs)] == [1, 1, 2, 1]
    page = Page(export_report(report(), "html", appendix=False))
    assert page.tags.count("blockquote") == 2 and page.tags.count("table") == 1
    tokens = [each.type for each in markdown_tokens(export_report(report(), "md", appendix=False))]
    assert tokens.count("table_open") == 1


@pytest.mark.parametrize("name", READING)
def test_figures_of_the_engine_stand_in_the_appendix_alone(name: str) -> None:
    told = read(name, report(), appendix=False)
    engine = (
        *("Anhang", "9f" * 32, "Stufe", "Relevanz", "Token", "Gesamt", "Abdeckung"),
        *("Suchverlauf", DRIFTED, "verweist auf"),
    )
    assert not [word for word in engine if word in told]
    assert all(
        part in told
        for part in (LIMIT, ORGANS, "Belegstellen", "Quellen", "their findings support")
    )
    assert "Anhang" in read(name, report())


def _red(_place: Citation) -> tuple[bytes, ...]:
    stream = io.BytesIO()
    new_image("RGB", (900, 240), (200, 0, 0)).save(stream, "PNG")
    return (stream.getvalue(),)


def test_pdf_and_docx_show_what_the_page_says_at_every_place() -> None:
    import docx
    from pypdfium2 import PdfDocument
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    pages = PdfDocument(export_report(report(), "pdf", page_images=_red))
    pictures = [each for page in pages for each in page.get_objects([FPDF_PAGEOBJ_IMAGE])]
    assert len(pictures) == 3
    file = docx.Document(io.BytesIO(export_report(report(), "docx", page_images=_red)))
    assert len(file.inline_shapes) == 3
    assert squeezed(LIMIT) in {shape._inline.docPr.get("descr") for shape in file.inline_shapes}


def test_quotes_that_touch_share_a_picture() -> None:
    made = report()
    (first,), *again = (made["sentences"][n]["citations"] for n in (0, 3, 4))
    begin = first["end"] + 1
    end = begin + len(EXCEPTION)
    for (second,) in again:
        second |= {"start": begin, "end": end}
    spans: list[tuple[int, int]] = []

    def page_images(place: Citation) -> tuple[bytes, ...]:
        spans.append((place.start, place.end))
        return _red(place)

    blocks = make_document(made, page_images=page_images).blocks
    entries = [each for each in blocks if getattr(each, "anchor", "").startswith("passage")]
    assert spans == [(first["start"], end), (700, 700 + len(ORGANS))]
    assert [len(each.images) for each in entries] == [1, 0, 1]
    assert "(Wortlaut im Text oben, Bild bei 1)" in read("pdf", made, page_images=page_images)


@pytest.mark.parametrize(
    ("question", "stem"),
    [
        ("Welche Grenzwerte gelten für Jugendliche?", "Welche Grenzwerte gelten für Jugendliche"),
        ('Was heißt "Übermaß"/Größe: § 78 Abs. 3?', "Was heißt Übermaß Größe § 78 Abs. 3"),
        ("../../etc/passwd\x00", "etc passwd"),
        ("%22><a href=x>", "22 a href x"),
        ("a" * 300, "a" * 80),
        ("wort " * 30, " ".join(["wort"] * 16)),
        ("???", "Rabbithole"),
    ],
)
def test_files_are_named_after_the_question(question: str, stem: str) -> None:
    assert file_stem(question) == stem


def test_json_is_the_report_itself() -> None:
    made = report(hostile=True)
    made["question"] += "\ud800"
    assert json.loads(export_report(made, "json")) == made


def test_markdown_has_one_footnote_a_place_and_no_markup_of_others() -> None:
    content = export_report(report(hostile=True), "md")
    text = content.decode()
    defined = re.findall(r"^\[\^(\d+)\]: ", text, re.MULTILINE)
    assert defined == ["1", "2", "3", "4"]
    assert set(re.findall(r"\[\^(\d+)\](?!:)", text)) == set(defined)
    leaves = [leaf for token in markdown_tokens(content) for leaf in token.children or []]
    kinds = {leaf.type for leaf in leaves} | {token.type for token in markdown_tokens(content)}
    assert not kinds & {"link_open", "image", "html_inline", "html_block", "code_inline"}


def test_html_is_one_file_without_script_whose_links_stay_inside() -> None:
    page = closed_page(report(hostile=True))
    assert not page.values("src") and "@import" not in page.text
    assert "default-src 'none'" in page.values("content")[0]
    assert not any(name.startswith("on") for name, _ in page.attributes)


def test_docx_links_lead_to_bookmarks() -> None:
    import docx
    from docx.oxml.ns import qn

    file = docx.Document(io.BytesIO(export_report(report(hostile=True), "docx")))
    body = file.element.body
    bookmarks = [mark.get(qn("w:name")) for mark in body.iter(qn("w:bookmarkStart"))]
    links = {link.get(qn("w:anchor")) for link in body.iter(qn("w:hyperlink"))}
    assert bookmarks == ["passage-1", "passage-2", "passage-3", "passage-4", "source-1"]
    assert links == set(bookmarks)
    languages = {each.get(qn("w:val")) for each in file.styles.element.iter(qn("w:lang"))}
    assert languages == {"de-DE"}, "Word would check the spelling in another language"
    assert not any(relation.is_external for relation in file.part.rels.values())


def test_pdf_links_lead_to_places_in_it_and_fonts_are_embedded() -> None:
    from pypdf import PdfReader

    made = report(hostile=True)
    made["question"] = "Äöüß § – „Grenze“ µ α β Σ x² CO₂"
    reader = PdfReader(io.BytesIO(export_report(made, "pdf")))
    assert reader.metadata is not None and reader.metadata.title == made["question"]
    assert made["question"] in squeezed(reader.pages[0].extract_text())
    links = [note.get_object() for page in reader.pages for note in page.get("/Annots", [])]
    assert len(links) == 12 and not any("/A" in link for link in links)
    pages = {page.indirect_reference for page in reader.pages}
    assert {link["/Dest"][0] for link in links} <= pages
    assert len({str(link["/Dest"]) for link in links}) == 5
    assert all("Roboto" in name for name in fonts_of(reader))
    assert reader.outline[0].title == made["question"]


def fonts_of(reader: Any) -> set[str]:
    """Names of the fonts that text is set in; reportlab names Helvetica on every page."""
    fonts = [page["/Resources"]["/Font"] for page in reader.pages]
    names = {str(font.get_object()["/BaseFont"]) for each in fonts for font in each.values()}
    return names - {"/Helvetica"}
