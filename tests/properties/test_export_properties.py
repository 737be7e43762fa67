"""Whatever a document or a model says is text in every format."""

import json
import unicodedata

import rispy
from hypothesis import given, settings
from hypothesis import strategies as st
from pybtex.database import parse_string

from services.export.formats import latex
from services.export.glyphs import SELECTORS
from services.language.text.normal import one_line
from tests.support.exported import Page, export_report, markdown_tokens, read, squeezed, with_texts
from tests.support.played_session import HOSTILE

ATTACKS = st.sampled_from(
    [
        HOSTILE, "</style><script>x</script>", "&lt;b&gt; &amp; &#65;", '" onclick="x', "]]>",
        "\\", "\\input{/etc/passwd}", "{", "}", "{{", "}}", '"', "%", "@misc{x,", "$$", "~^_#",
        "TY  - GEN", "\nER  - \nTY  - BOOK\n", "A1  - x", "a\r\nb", "a\u2028b", "a\x85b", "a\x0bb",
        "\x00", "\x07 bell", "\ud800", "\ufffe", "\U0001ffff", "\u202eoben", "<para>",
        "<a name='x'/>",
        "<b>", "- a", "1. b", "+ c", "# d", "> e", "```", "    code", "| a | b |", "---", "===",
        "[^1]", "[^1]: x", "![x](y)", "<http://x.y>", "http://x.y", "www.x.y", "*a* _b_ `c`", "!",
        "x" * 400, "αβγ Σ", "CO₂ x²", "„Zitat“ – §", "{0} {name} %s",
    ]
)  # fmt: skip
TEXTS = st.lists(ATTACKS | st.text(max_size=60), min_size=1, max_size=4).filter(
    lambda texts: all(one_line(each) for each in texts)
)
few = settings(max_examples=settings().max_examples // 4)
"""Each example is a whole file."""

WORDS = st.text(st.characters(categories=["L", "M", "N", "P", "S"]), min_size=1, max_size=9)


@given(TEXTS)
@few
def test_markdown_html_and_docx_show_texts_letter_by_letter(texts: list[str]) -> None:
    made = with_texts(texts)
    for name in ("md", "html", "docx"):
        found = read(name, made)
        for text in texts:
            assert one_line(text) in found, (name, text)
            assert squeezed(f"Q {one_line(text)}") in found, (name, text)


@given(TEXTS)
@few
def test_texts_become_neither_tags_nor_links(texts: list[str]) -> None:
    made = with_texts(texts)
    page = Page(export_report(made, "html"))
    assert not {"script", "img", "b", "para"} & set(page.tags)
    assert all(target.startswith("#") for target in page.values("href"))
    tokens = markdown_tokens(export_report(made, "md"))
    kinds = {leaf.type for token in tokens for leaf in token.children or []}
    kinds |= {token.type for token in tokens}
    assert kinds.isdisjoint(
        {"link_open", "image", "html_inline", "html_block", "code_inline", "fence", "code_block"}
    )


@given(TEXTS)
@few
def test_a_pdf_can_be_made_of_any_text(texts: list[str]) -> None:
    assert read("pdf", with_texts(texts))


@given(WORDS)
@few
def test_a_pdf_shows_every_character_or_its_code(text: str) -> None:
    shown = read("pdf", with_texts([text]))
    letters = set(unicodedata.normalize("NFKD", shown))
    for char in SELECTORS.sub("", text):
        in_sight = set(unicodedata.normalize("NFKD", char)) - {" "} <= letters
        assert in_sight or f"U+{ord(char):04X}" in shown, ascii(char)


@given(WORDS)
@few
def test_files_for_programs_have_every_character(text: str) -> None:
    made = with_texts([text])
    assert json.loads(export_report(made, "json")) == made
    assert latex(text) in export_report(made, "bib").decode()
    assert text in export_report(made, "ris").decode()


@given(TEXTS)
@few
def test_bibtex_and_ris_keep_their_fields(texts: list[str]) -> None:
    made = with_texts(texts)
    title = one_line(" ".join(texts))
    entries = parse_string(export_report(made, "bib").decode(), "bibtex").entries
    assert len(entries) == 1
    fields = next(iter(entries.values())).fields
    assert set(fields) == {"title", "pages", "howpublished", "note", "annote"}
    assert fields["title"] == f"{{{latex(title)}}}"
    (record,) = rispy.loads(export_report(made, "ris").decode())
    assert record["title"] == title
    assert set(record) == {
        "type_of_reference", "title", "name_of_database", "language", "notes", "start_page",
        "end_page",
    }  # fmt: skip


@given(st.text())
def test_braces_of_bibtex_are_balanced(text: str) -> None:
    depth = 0
    for char in latex(text):
        depth += (char == "{") - (char == "}")
        assert depth >= 0
    assert depth == 0
