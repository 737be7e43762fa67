"""Slides: what PowerPoint keeps beside plain shapes."""

from pathlib import Path

import pytest
from pptx import Presentation
from pptx.oxml import parse_xml
from pptx.slide import Slide

from services.ingestion.worker import parse
from tests.services.ingestion.test_losses import RELATIONSHIPS, relate

SCHEMAS = "http://schemas.openxmlformats.org"
NAMESPACES = (
    f'xmlns:p="{SCHEMAS}/presentationml/2006/main" xmlns:a="{SCHEMAS}/drawingml/2006/main" '
    f'xmlns:m="{SCHEMAS}/officeDocument/2006/math" xmlns:d="{SCHEMAS}/drawingml/2006/diagram" '
    f'xmlns:mc="{SCHEMAS}/markup-compatibility/2006" xmlns:r="{RELATIONSHIPS}" '
    'xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"'
)


@pytest.fixture
def slide() -> Slide:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Rules of the cellar"
    return slide


def text(slide: Slide, folder: Path) -> str:
    slide.part.package.save(str(file := folder / "deck.pptx"))
    return parse(file).text


def test_a_slide_with_nothing_but_a_title_is_read(slide: Slide, tmp_path: Path) -> None:
    assert text(slide, tmp_path).split("\n")[0] == "1: Rules of the cellar"


def test_of_two_forms_of_a_shape_the_one_with_words_is_read(slide: Slide, tmp_path: Path) -> None:
    words = (
        f"<mc:AlternateContent {NAMESPACES}><mc:Choice Requires='a14'><p:sp><p:nvSpPr>"
        "<p:cNvPr id='9' name='9'/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>"
        "<a:p><a:r><a:t>At most </a:t></a:r><a14:m><m:oMath><m:f><m:num><m:r><m:t>3</m:t></m:r>"
        "</m:num><m:den><m:r><m:t>4</m:t></m:r></m:den></m:f></m:oMath></a14:m></a:p></p:txBody>"
        "</p:sp></mc:Choice><mc:Fallback><p:pic/></mc:Fallback></mc:AlternateContent>"
    )
    slide.shapes._spTree.append(parse_xml(words))
    assert "At most 3/4" in text(slide, tmp_path)


def test_the_words_of_a_diagram_are_read(slide: Slide, tmp_path: Path) -> None:
    points = "".join(
        f"<d:pt><d:t><a:p><a:r><a:t>{words}</a:t></a:r></a:p></d:t></d:pt>"
        for words in ("Apply", "Examine", "Decide")
    )
    relation = relate(slide, "diagramData", f"<d:dataModel {NAMESPACES}>{points}</d:dataModel>")
    frame = (
        f"<p:graphicFrame {NAMESPACES}><p:nvGraphicFramePr><p:cNvPr id='9' name='9'/>"
        "<p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic>"
        f"<a:graphicData uri='{SCHEMAS}/drawingml/2006/diagram'><d:relIds r:dm='{relation}'/>"
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )
    slide.shapes._spTree.append(parse_xml(frame))
    assert text(slide, tmp_path).split("\n")[2:5] == ["Apply", "Examine", "Decide"]


def test_raised_digits_stay_raised(slide: Slide, tmp_path: Path) -> None:
    paragraph = slide.shapes.add_textbox(0, 0, 99, 99).text_frame.paragraphs[0]
    paragraph.text = "Above 10"
    run = paragraph.add_run()
    run.text = "6"
    run.font._element.set("baseline", "30000")
    assert "Above 10⁶" in text(slide, tmp_path)
