"""Opening documents and their pages through a client: access, older texts, damage."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.engine.engine import Engine
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound, UnreadableDocument
from tests.support.desk import open_desk
from tests.support.law_pdf import law_pdf, law_sentences

STRANGER = Principal(user="somebody", role="user")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Engine]:
    """A desk with a law of several pages in a private collection."""
    with open_desk(tmp_path) as desk:
        law = tmp_path / "PruefG.pdf"
        law.write_bytes(law_pdf(law_sentences(60)))
        desk.library.ingest([law], "laerm")
        yield desk


def test_a_span_is_marked_on_the_page_of_the_kept_file(client: Engine, tmp_path: Path) -> None:
    (tmp_path / "PruefG.pdf").unlink()
    opened = client.library.open_document("PruefG.pdf")
    start = opened.parsed.text.index("Nummer 3:")
    image = client.library.page_image(
        opened.info.document_id, 1, span=(start, start + 60), excerpt=True
    )
    assert image.boxes and image.png.startswith(b"\x89PNG")
    assert image.pages == len(opened.parsed.pages) > 1


def test_a_span_over_a_page_border_tells_where_it_ends(client: Engine) -> None:
    opened = client.library.open_document("PruefG.pdf")
    border = opened.parsed.pages[1]
    span = (border - 30, border + 30)
    pages = [
        client.library.page_image(opened.info.document_id, number, span=span, excerpt=True)
        for number in (1, 2)
    ]
    assert [page.last_page for page in pages] == [2, 2]
    assert all(page.boxes for page in pages)


def test_nobody_else_sees_a_private_document_or_its_pages(client: Engine) -> None:
    document_id = client.library.document("PruefG.pdf").document_id
    stranger = client.acting_as(STRANGER)
    for name in (document_id, document_id[:12], "PruefG.pdf"):
        with pytest.raises(NotFound):
            stranger.library.open_document(name)
    with pytest.raises(NotFound):
        stranger.library.page_image(document_id, 1)
    client.library.share_collection("laerm", "public")
    assert (
        stranger.library.page_image(document_id, 1).pages
        == client.library.document(document_id).pages
    )


def test_the_text_that_an_old_report_cites_must_be_there(client: Engine) -> None:
    document_id = client.library.document("PruefG.pdf").document_id
    version = client.library.document("PruefG.pdf").parser_version
    assert client.library.open_document(document_id, parser_version=version).parsed.text
    with pytest.raises(NotFound, match="no text"):
        client.library.open_document(document_id, parser_version="older")


def test_a_page_that_is_not_there_is_refused(client: Engine) -> None:
    document_id = client.library.document("PruefG.pdf").document_id
    with pytest.raises(InvalidInput, match="no page 99"):
        client.library.page_image(document_id, 99)
    with pytest.raises(InvalidInput, match="0 pages"):
        client.library.page_image(client.library.document("LaermG.txt").document_id, 1)


def test_a_lost_original_is_named_with_the_way_out(client: Engine, tmp_path: Path) -> None:
    document_id = client.library.document("PruefG.pdf").document_id
    (tmp_path / "originals" / document_id).unlink()
    with pytest.raises(UnreadableDocument, match=r"doctor --repair"):
        client.library.page_image(document_id, 1)
    assert client.library.open_document(document_id).parsed.text
