"""Opening documents and their pages through a client: access, older texts, damage."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.engine.client import Client
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound, UnreadableDocument
from tests.support.desk import open_desk
from tests.support.law_pdf import law_pdf, law_sentences

STRANGER = Principal(user="somebody", role="user")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A desk with a law of several pages in a private collection."""
    with open_desk(tmp_path) as desk:
        law = tmp_path / "PruefG.pdf"
        law.write_bytes(law_pdf(law_sentences(60)))
        desk.ingest([law], "laerm")
        yield desk


def test_a_span_is_marked_on_the_page_of_the_kept_file(client: Client, tmp_path: Path) -> None:
    (tmp_path / "PruefG.pdf").unlink()
    opened = client.open_document("PruefG.pdf")
    start = opened.parsed.text.index("Nummer 3:")
    image = client.page_image(opened.info.document_id, 1, span=(start, start + 60), excerpt=True)
    assert image.boxes and image.png.startswith(b"\x89PNG")
    assert image.pages == len(opened.parsed.pages) > 1


def test_a_span_over_a_page_border_tells_where_it_ends(client: Client) -> None:
    opened = client.open_document("PruefG.pdf")
    border = opened.parsed.pages[1]
    span = (border - 30, border + 30)
    pages = [
        client.page_image(opened.info.document_id, number, span=span, excerpt=True)
        for number in (1, 2)
    ]
    assert [page.last_page for page in pages] == [2, 2]
    assert all(page.boxes for page in pages)


def test_nobody_else_sees_a_private_document_or_its_pages(client: Client) -> None:
    document_id = client.document("PruefG.pdf").document_id
    stranger = client.acting_as(STRANGER)
    for name in (document_id, document_id[:12], "PruefG.pdf"):
        with pytest.raises(NotFound):
            stranger.open_document(name)
    with pytest.raises(NotFound):
        stranger.page_image(document_id, 1)
    client.share_collection("laerm", "public")
    assert stranger.page_image(document_id, 1).pages == client.document(document_id).pages


def test_the_text_that_an_old_report_cites_must_be_there(client: Client) -> None:
    document_id = client.document("PruefG.pdf").document_id
    version = client.document("PruefG.pdf").parser_version
    assert client.open_document(document_id, parser_version=version).parsed.text
    with pytest.raises(NotFound, match="no text"):
        client.open_document(document_id, parser_version="older")


def test_a_page_that_is_not_there_is_refused(client: Client) -> None:
    document_id = client.document("PruefG.pdf").document_id
    with pytest.raises(InvalidInput, match="no page 99"):
        client.page_image(document_id, 99)
    with pytest.raises(InvalidInput, match="0 pages"):
        client.page_image(client.document("LaermG.txt").document_id, 1)


def test_a_lost_original_is_named_with_the_way_out(client: Client, tmp_path: Path) -> None:
    document_id = client.document("PruefG.pdf").document_id
    (tmp_path / "originals" / document_id).unlink()
    with pytest.raises(UnreadableDocument, match=r"doctor --repair"):
        client.page_image(document_id, 1)
    assert client.open_document(document_id).parsed.text
