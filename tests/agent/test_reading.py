"""Opening documents and their pages through a client: access, older texts, damage."""

from collections.abc import Iterator

import pytest

from agent.engine.engine import Engine
from services.domain import PageImage, Principal
from services.domain.errors import InvalidInput, NotFound, UnreadableDocument
from services.library.pages.marks import AROUND
from tests.support.desk import open_desk
from tests.support.law_pdf import law_pdf, law_sentences

PDF = "PruefG.pdf"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A desk with a law of several pages in a private collection; its file is gone."""
    home = tmp_path_factory.mktemp("home")
    with open_desk(home) as desk:
        law = home / PDF
        law.write_bytes(law_pdf(law_sentences(60)))
        desk.library.ingest([law], "laerm")
        law.unlink()
        yield desk


def test_a_span_is_marked_on_the_pages_of_the_kept_file(client: Engine) -> None:
    opened = client.library.open_document(PDF)
    start, border = opened.parsed.text.index("Nummer 3:"), opened.parsed.pages[1]

    def drawn(page: int, *span: int) -> PageImage:
        return client.library.page_image(
            opened.info.document_id, page, span=(span[0], span[1]), around=AROUND
        )

    image = drawn(1, start, start + 60)
    assert image.boxes and image.png.startswith(b"\x89PNG")
    assert image.pages == len(opened.parsed.pages) > 1
    over = [drawn(page, border - 30, border + 30) for page in (1, 2)]
    assert [page.last_page for page in over] == [2, 2] and all(page.boxes for page in over)


def test_what_is_not_there_is_refused(client: Engine) -> None:
    info = client.library.document(PDF)
    text = client.library.document("LaermG.txt").document_id
    for document, page, says in ((info.document_id, 99, "no page 99"), (text, 1, "document: 0")):
        with pytest.raises(InvalidInput, match=says):
            client.library.page_image(document, page)
    opened = client.library.open_document(info.document_id, parser_version=info.parser_version)
    assert opened.parsed.text
    with pytest.raises(NotFound, match="no text"):
        client.library.open_document(info.document_id, parser_version="older")


def test_nobody_else_sees_a_private_document_or_its_pages(client: Engine) -> None:
    document_id = client.library.document(PDF).document_id
    stranger = client.acting_as(Principal(user="somebody", role="user"))
    for name in (document_id, document_id[:12], PDF):
        with pytest.raises(NotFound):
            stranger.library.open_document(name)
    with pytest.raises(NotFound):
        stranger.library.page_image(document_id, 1)
    client.library.change_collection("laerm", visibility="public")
    pages = client.library.document(document_id).pages
    assert stranger.library.page_image(document_id, 1).pages == pages


def test_a_lost_original_is_named_with_the_way_out(client: Engine) -> None:
    document_id = client.library.document(PDF).document_id
    (client._services.settings.home / "originals" / document_id).unlink()
    with pytest.raises(UnreadableDocument, match=r"doctor --repair"):
        client.library.page_image(document_id, 2)
    assert client.library.open_document(document_id).parsed.text
