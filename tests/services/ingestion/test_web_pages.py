"""Web pages: what a browser shows is read, and nothing else."""

from pathlib import Path

import pytest

from services.ingestion.worker import parse

SHOWN, UNSEEN = "Shown words", "Unseen words"


def read(body: str, folder: Path) -> str:
    (file := folder / "page.html").write_text(f"<html><body>{body}</body></html>")
    return " ".join(parse(file).text.split())


@pytest.mark.parametrize(
    "unseen",
    [
        "<style>.x, #y {{color: red; display: none}}</style><p class=x>{0}</p><p id=y>{0}</p>",
        "<style>@media print{{p{{top:0}}}} u>.x{{display:none}}</style><u><b class=x>{0}</b></u>",
        "<style>.x{{display:none!important}} #x{{display:block}}</style><p class=x id=x>{0}</p>",
        "<dialog>{0}</dialog>",
        "<video src=a.mp4 poster=b.jpg>{0}</video><canvas>{0}</canvas>",
        "<?xml version='1.0' {0} ?>",
        "<!-- if (tries-- >0) {0} -->",
        "<!--[if IE]><p>{0}</p><![endif]-->",
        "<script>if (tries-- >0) document.write('<p>{0}</p>')</script>",
        "<math><semantics><mi>x</mi><annotation>{0}</annotation></semantics></math>",
        "<noscript>{0}</noscript><template>{0}</template>",
    ],
)
def test_what_no_browser_shows_is_not_read(unseen: str, tmp_path: Path) -> None:
    text = read(f"<p>{SHOWN}</p>{unseen.format(UNSEEN)}<p>after</p>", tmp_path)
    assert text.startswith(SHOWN) and text.endswith("after") and UNSEEN not in text
    assert ".mp4" not in text and "xml" not in text


@pytest.mark.parametrize(
    "shown",
    [
        "<style>@media print {{ .x {{display:none}} }}</style><p class=x>{0}</p>",
        "<style>.x{{display:none}} @media all {{ .x {{display:block}} }}</style><p class=x>{0}",
        "<style media=print>p {{display:none}}</style><p>{0}</p>",
        "<noscript><style>p {{display:none}}</style></noscript><p>{0}</p>",
        "<style>.x{{display:none}} p.x{{display:block}}</style><p class=x>{0}</p>",
        "<style>p.x{{display:block}} .x{{display:none}}</style><p class=x>{0}</p>",
        "<style>.x{{display:none}}</style><p class=x style='display: block'>{0}</p>",
        "<style>body{{display:none}} p:hover{{display:none}}</style><p>{0}</p>",
        "<p aria-hidden=true>{0}</p>",
        "<dialog open>{0}</dialog>",
        "<details><summary>More</summary>{0}</details>",
        "<form>{0}</form>",
        "<script>a = '<!--'</script>{0}",
        "<!-->{0}",
    ],
)
def test_what_a_browser_shows_is_read(shown: str, tmp_path: Path) -> None:
    assert SHOWN in read(shown.format(SHOWN), tmp_path)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("<mfrac><mn>1</mn><mrow><mi>a</mi><mo>+</mo><mn>2</mn></mrow></mfrac>", "1/(a+2)"),
        ("<msup><mn>10</mn><mn>6</mn></msup>", "10⁶"),
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x_1²"),
        ("<msubsup><mi>x</mi></msubsup><mi>y</mi>", "x_y"),
        ("<msqrt><mfrac><mn>3</mn><mn>4</mn></mfrac></msqrt>", "√(3/4)"),
        ("<msup><mi>e</mi><mrow><mo>-</mo><mi>t</mi></mrow></msup>", "e^(-t)"),
    ],
)
def test_formulas_keep_fractions_and_powers(formula: str, text: str, tmp_path: Path) -> None:
    assert read(f"<p>It is <math>{formula}</math> today.</p>", tmp_path) == f"It is {text} today."


def test_how_a_word_is_spoken_is_no_part_of_it(tmp_path: Path) -> None:
    ruby = "<ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>タワー"
    assert read(ruby, tmp_path) == "東京タワー"


def test_signs_of_markdown_stay_as_they_are(tmp_path: Path) -> None:
    assert read("<p>Set my_name to 2 * 3.</p>", tmp_path) == "Set my_name to 2 * 3."


def test_letters_that_stand_together_stay_together_in_a_cell(tmp_path: Path) -> None:
    cells = ["10<sup>6</sup> Bq", "CO<sub>2</sub>", "Strahlen<wbr>schutz", "one<br>two<p>three</p>"]
    rows = "".join(f"<tr><td>{n}</td><td>{cell}</td></tr>" for n, cell in enumerate(cells))
    text = read(f"<table><tr><th>No.</th><th>What</th></tr>{rows}</table>", tmp_path)
    assert all(each in text for each in ("10⁶ Bq", "CO2", "Strahlenschutz", "one two three"))


def test_items_have_the_labels_that_a_browser_shows(tmp_path: Path) -> None:
    items = "<li>first</li><li>second</li><li value=7>third</li><li>fourth</li>"
    text = read(f"<ol type=a>{items}</ol><ol start=3>{items}</ol>", tmp_path)
    assert "a. first b. second g. third h. fourth" in text
    assert "3. first 4. second 7. third 8. fourth" in text


def test_a_table_that_holds_headings_only_places_them(tmp_path: Path) -> None:
    cells = "<td><h2>Fees</h2><p>Five euros.</p></td><td><h2>Dates</h2><p>In May.</p></td>"
    (file := tmp_path / "page.html").write_text(f"<table><tr>{cells}</tr></table>")
    assert [heading.title for heading in parse(file).headings] == ["Fees", "Dates"]
