"""OpenDocument texts and rich text: what a page shows, in its order."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from services.domain.errors import UnreadableDocument
from services.ingestion.parsers.extraction import detect_kind
from services.ingestion.parsers.odt_parser import parse_odt
from services.ingestion.parsers.rtf_parser import parse_rtf

OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
NAMES = " ".join(
    f'xmlns:{short}="{OASIS}{name}:1.0"'
    for short, name in {
        "office": "office", "text": "text", "style": "style", "table": "table", "draw": "drawing",
        "fo": "xsl-fo-compatible",
    }.items()
)  # fmt: skip
LISTS = """
<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"
 style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a"
 style:num-prefix="(" style:num-suffix=")"/></text:list-style>
<style:style style:name="S" style:family="text"><style:text-properties
 style:text-line-through-style="solid"/></style:style>
<style:style style:name="V" style:family="text"><style:text-properties text:display="none"/>
</style:style>
<style:style style:name="U" style:family="text"><style:text-properties
 style:text-position="super 58%"/></style:style>"""
OUTLINE = """<text:outline-style style:name="Outline"><text:outline-level-style text:level="1"
 style:num-prefix="§ " style:num-format="1"/></text:outline-style>"""


def write_odt(path: Path, body: str, *, manifest: str = "", masters: str = "") -> Path:
    with ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("META-INF/manifest.xml", f"<manifest>{manifest}</manifest>")
        styles = f"<office:document-styles {NAMES}>{OUTLINE}{masters}</office:document-styles>"
        archive.writestr("styles.xml", styles)
        archive.writestr(
            "content.xml",
            f"<office:document-content {NAMES}><office:automatic-styles>{LISTS}"
            f"</office:automatic-styles><office:body><office:text>{body}</office:text>"
            "</office:body></office:document-content>",
        )
    return path


def item(*content: str) -> str:
    return f"<text:list-item>{''.join(content)}</text:list-item>"


def paragraph(content: str) -> str:
    return f"<text:p>{content}</text:p>"


def test_odt_numbers_of_headings_and_lists(tmp_path: Path) -> None:
    inner = f"<text:list>{item(paragraph('first'))}{item(paragraph('second'))}</text:list>"
    body = (
        '<text:h text:outline-level="1">Scope</text:h>'
        f'<text:list text:style-name="L">{item(paragraph("One"), inner)}</text:list>'
        '<text:h text:outline-level="1">Fees</text:h>'
        '<text:list text:style-name="L" text:continue-numbering="true">'
        f"{item(paragraph('Two'), paragraph('more'))}</text:list>"
        f'<text:list text:style-name="L">{item(paragraph("New"))}</text:list>'
    )
    extraction = parse_odt(write_odt(tmp_path / "a.odt", body))
    assert extraction.text.split("\n\n") == [
        "§ 1 Scope", "1. One", "(a) first", "(b) second", "§ 2 Fees", "2. Two", "more", "1. New",
    ]  # fmt: skip
    assert [heading.title for heading in extraction.headings] == ["§ 1 Scope", "§ 2 Fees"]


def test_odt_shows_what_the_page_shows(tmp_path: Path) -> None:
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        f"<text:note-body>{paragraph('Net.')}</text:note-body></text:note>"
    )
    box = f"<draw:frame><draw:text-box>{paragraph('Inside.')}</draw:text-box></draw:frame>"
    body = (
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
        + paragraph('Two <text:span text:style-name="S">three </text:span>months.')
        + paragraph('Open<text:span text:style-name="V">never</text:span> at\n  ten.')
        + paragraph(f'10<text:span text:style-name="U">6</text:span><text:s/>euros{note}{box}.')
    )
    extraction = parse_odt(write_odt(tmp_path / "a.odt", body))
    assert extraction.text.split("\n\n") == [
        "Two months.", "Open at ten.", "10⁶ euros[1].", "Inside.", "[1] Net.",
    ]  # fmt: skip
    assert [str(warning) for warning in extraction.warnings] == [
        "struck-out passages are left out: 1",
        "hidden passages are left out: 1",
    ]


def test_odt_headers_and_footers_of_shown_pages_begin_the_text(tmp_path: Path) -> None:
    def page(name: str, text: str, display: str = "true") -> str:
        footer = f'<style:footer style:display="{display}">{paragraph(text)}</style:footer>'
        return f'<style:master-page style:name="{name}">{footer}</style:master-page>'

    masters = (
        page("Standard", "Version 2.1") + page("Unused", "No") + page("Standard", "Off", "false")
    )
    path = write_odt(tmp_path / "a.odt", paragraph("Lease"), masters=masters)
    assert parse_odt(path).text == "Version 2.1\n\nLease"


def test_odt_rows_know_their_heads(tmp_path: Path) -> None:
    def row(*cells: str) -> str:
        return f"<table:table-row>{''.join(cells)}</table:table-row>"

    def cell(text: str, more: str = "") -> str:
        return f"<table:table-cell {more}>{paragraph(text)}</table:table-cell>"

    rows = (
        f"<table:table-header-rows>{row(cell('Day'), cell('Gate'))}</table:table-header-rows>"
        + row(cell("Monday", 'table:number-rows-spanned="2"'), cell("north"))
        + row("<table:covered-table-cell/>", cell("south"))
    )
    text = parse_odt(write_odt(tmp_path / "a.odt", f"<table:table>{rows}</table:table>")).text
    assert text == "Day | Gate\nDay: Monday | Gate: north\nDay: Monday | Gate: south"


def test_odt_that_is_encrypted_is_refused(tmp_path: Path) -> None:
    path = write_odt(tmp_path / "a.odt", paragraph("x"), manifest="<encryption-data/>")
    assert detect_kind(path) == "odt"
    with pytest.raises(UnreadableDocument, match="encrypted"):
        parse_odt(path)


FONTS = (
    r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset2{\*\panose 01}Wingdings;}"
    r"{\f2\fcharset238 Arial CE;}}"
)


def write_rtf(path: Path, body: str) -> Path:
    path.write_text(rf"{{\rtf1\ansi\ansicpg1252\deff0{FONTS}{body}}}", encoding="ascii")
    return path


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (r"Two {\strike three }months{\v secret}{\deleted gone}.\par", "Two months."),
        (r"Caf\'e9 {\f2\'e8}l\'e1nek \u8364?\par", "Café článek €"),
        (r"{\f1\'fe} yes \u-10179?\u-8704?\par", "☑ yes 😀"),
        (r"{\*\pn x}{\pntext 1)\tab}First\par", "1) First"),
        (r"{\listtext\'a7 2\tab}Second\par", "§ 2 Second"),
        (r"{\header Head\par}{\b\*\cs7 Body}\par", "Body"),
        (r"It{\footnote\pard\chftn Net.} ends.\par Next.\par", "It[1] ends.\n\n[1] Net.\n\nNext."),
        (r"A{\shp{\*\shpinst{\shptxt Box.\par}}{\shprslt{\shptxt Box.\par}}}B\par", "AB\n\nBox."),
        (r"10{\super 6\nosupersub 7} m{\up6 \u50?}\up0 8\par", "10⁶7 m²8"),
        (r"{\*\unknown{\pict\bin3 }}}}}Text\par", "Text"),
    ],
)  # fmt: skip
def test_rtf_shows_what_the_page_shows(body: str, shown: str, tmp_path: Path) -> None:
    path = write_rtf(tmp_path / "a.rtf", body)
    assert detect_kind(path) == "rtf"
    assert parse_rtf(path).text == shown


def test_rtf_of_a_broken_program_is_read(tmp_path: Path) -> None:
    body = r"\u99999999 \uc\'zz\bin99 }}\par "
    assert "lost" not in parse_rtf(write_rtf(tmp_path / "a.rtf", body + "lost")).text
    title = r"{\info{\title Gr\'fc\u223 ?e}{\author Anna}}"
    extraction = parse_rtf(write_rtf(tmp_path / "a.rtf", rf"{title}Text\u99999999 }}}}}}\par"))
    assert (extraction.title, extraction.metadata.author) == ("Grüße", "Anna")
    assert extraction.text.startswith("Text")


def test_rtf_headings_and_tables(tmp_path: Path) -> None:
    row = r"\trowd\pard\intbl {}\cell {}\cell\row "
    body = r"\pard\outlinelevel0 Fees\par\pard Who pays.\par "
    rows = row.format(r"Fee{\footnote Net.}", "Sum") + row.format(r"Basic\par line", "60")
    extraction = parse_rtf(write_rtf(tmp_path / "a.rtf", rf"{body}{rows}\pard After.\par"))
    assert extraction.text.split("\n\n") == [
        "Fees", "Who pays.", "Fee[1] | Sum\nFee: Basic line | Sum: 60", "[1] Net.", "After.",
    ]  # fmt: skip
    assert [(heading.title, heading.level) for heading in extraction.headings] == [("Fees", 1)]
