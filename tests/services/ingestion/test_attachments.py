"""What is attached to e-mails: documents of their own, which come and go with the mail."""

import base64
from collections.abc import Iterator
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path

import pytest

from services.domain import FileOutcome
from services.domain.errors import UnreadableDocument
from services.ingestion.attachments import MOST_MAILS
from services.ingestion.parse import FileParser
from services.ingestion.parsers.extraction import MOST_ATTACHMENTS, file_name
from services.ingestion.parsers.mail_parser import attachments
from services.ingestion.worker import parse
from services.library.pages.marks import render_request
from services.library.pages.renderer import PageRenderer
from services.settings import Settings
from tests.support.bad_files import encrypted_pdf, good_docx, good_pdf, zip_bomb
from tests.support.catalogs import new_catalog
from tests.support.ingestion import Bench

PDF = "mail.eml / plan.pdf"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with (
        new_catalog(tmp_path / "catalog.sqlite") as catalog,
        closing(FileParser(Settings())) as parser,
    ):
        yield Bench(catalog, tmp_path / "home", parser=parser)


def mail(**attached: bytes) -> EmailMessage:
    """A mail with files that are called like the arguments, ``__`` for the dot."""
    made = EmailMessage()
    made["From"], made["Subject"] = "a@x.example", "Handover"
    made.set_content("The keys are with the porter.\n")
    for name, content in attached.items():
        attach(made, name.replace("__", "."), content)
    return made


def attach(made: EmailMessage, name: str, content: bytes) -> None:
    made.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)


def saved(folder: Path, made: EmailMessage | bytes, name: str = "mail.eml") -> Path:
    file = folder / name
    file.write_bytes(made if isinstance(made, bytes) else made.as_bytes())
    return file


def said(bench: Bench, *files: Path) -> dict[str, FileOutcome]:
    return {each.document: each for each in bench.ingest(*files).files}


def test_every_format_is_a_separate_document(bench: Bench, tmp_path: Path) -> None:
    inner = mail(deep__txt=b"The door is green.")
    outer = mail(
        plan__pdf=good_pdf(),
        note__docx=good_docx("The boiler is old."),
        page__html=b"<html><p>The roof leaks.</p></html>",
        rows__csv=b"Room;Area\nHall;40\n",
        photo__png=b"\x89PNG",
    )
    outer.add_attachment(inner)
    file = saved(tmp_path, outer)
    outcomes = said(bench, file)
    assert [each.status for each in outcomes.values()] == ["added"] * 7
    assert bench.names() == sorted(outcomes)
    assert "mail.eml / Handover.eml / deep.txt" in outcomes
    assert outcomes[PDF].path == str(file / "plan.pdf")
    assert bench.agrees()
    assert "Attachment: photo.png" in parse(file).text


def test_an_attached_mail_in_base64_is_a_mail(bench: Bench, tmp_path: Path) -> None:
    inside = base64.encodebytes(mail().as_bytes())
    head = b"From: a@x.example\nSubject: Forwarded\nContent-Type: multipart/mixed; boundary=b\n\n"
    text = b"--b\nContent-Type: text/plain\n\nSee below.\n"
    attached = b"--b\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n"
    attached += b"Content-Disposition: attachment; filename=old.eml\n\n"
    file = saved(tmp_path, head + text + attached + inside + b"--b--\n")
    outcomes = said(bench, file)
    assert outcomes["mail.eml / old.eml"].status == "added"
    text_of_it = bench.catalog.documents.text(str(outcomes["mail.eml / old.eml"].document_id))
    assert "The keys are with the porter." in text_of_it


def test_a_quote_of_an_attached_pdf_is_shown_on_its_page(bench: Bench, tmp_path: Path) -> None:
    document_id = said(bench, saved(tmp_path, mail(plan__pdf=good_pdf())))[PDF].document_id
    assert document_id is not None
    parsed = bench.catalog.documents.parsed(document_id)
    start = parsed.text.index("ganzer")
    renderer = PageRenderer(bench.home / "originals", timeout_s=60, memory_mb=1024)
    try:
        span = (start, start + 11)
        request = render_request(parsed.text, parsed.pages, 1, span)
        assert renderer.draw(document_id, request).boxes
    finally:
        renderer.close()


def test_the_same_mail_again_changes_nothing(bench: Bench, tmp_path: Path) -> None:
    file = saved(tmp_path, mail(plan__pdf=good_pdf(), again__pdf=good_pdf()))
    bench.ingest(file)
    chunks, embedded = bench.chunk_ids(), len(bench.embedder.embedded)
    assert bench.statuses(file) == ["unchanged"] * 3
    assert bench.ingest(tmp_path, prune=True).removed_from_disk == ()
    assert (bench.chunk_ids(), len(bench.embedder.embedded)) == (chunks, embedded)


def test_a_changed_mail_takes_its_older_attachments_away(bench: Bench, tmp_path: Path) -> None:
    bench.ingest(saved(tmp_path, mail(a__txt=b"First.", b__txt=b"Second.", c__txt=b"Third.")))
    other = tmp_path / "other"
    other.mkdir()
    bench.ingest(saved(other, mail(a__txt=b"Of another folder.")))
    changed = mail(a__txt=b"First, mended.", moved__txt=b"Third.")
    changed["To"] = "b@x.example"
    outcomes = said(bench, saved(tmp_path, changed))
    assert outcomes["mail.eml / a.txt"].status == "updated"
    names = ["mail.eml / a.txt", "mail.eml / a.txt", "mail.eml / moved.txt"]
    assert [name for name in bench.names() if "/" in name] == names
    assert bench.agrees()


def test_an_attachment_that_was_saved_next_to_its_mail_stays(bench: Bench, tmp_path: Path) -> None:
    bench.ingest(saved(tmp_path, mail(z__txt=b"First.")))
    (tmp_path / "a.txt").write_bytes(b"First.")
    changed = mail(b__txt=b"Second.")
    changed["To"] = "b@x.example"
    saved(tmp_path, changed)
    outcomes = said(bench, tmp_path / "a.txt", tmp_path / "mail.eml")
    assert outcomes["a.txt"].status == "unchanged"
    assert bench.names() == ["a.txt", "mail.eml", "mail.eml / b.txt"]
    assert bench.agrees()


def test_a_mail_that_cannot_be_read_any_more_takes_nothing_away(
    bench: Bench, tmp_path: Path
) -> None:
    bench.ingest(saved(tmp_path, mail(a__txt=b"First.")))
    assert bench.statuses(saved(tmp_path, b"")) == ["failed"]
    assert bench.names() == ["mail.eml", "mail.eml / a.txt"]


@pytest.mark.parametrize("folders", [("1", "2"), (f"uploads/{1:032}/0", f"uploads/{2:032}/0")])
def test_a_mail_replaces_one_that_is_gone(
    folders: tuple[str, str], bench: Bench, tmp_path: Path
) -> None:
    before, now = (tmp_path / folder for folder in folders)
    before.mkdir(parents=True)
    now.mkdir(parents=True)
    first = saved(before, mail(a__txt=b"First.", b__txt=b"Second."))
    bench.ingest(first)
    first.unlink()
    changed = mail(a__txt=b"First.")
    changed["To"] = "b@x.example"
    assert bench.statuses(saved(now, changed)) == ["updated", "unchanged"]
    assert bench.names() == ["mail.eml", "mail.eml / a.txt"]


def test_an_attachment_of_two_mails_is_one_document(bench: Bench, tmp_path: Path) -> None:
    first = saved(tmp_path, mail(a__txt=b"Shared."), "1.eml")
    second = saved(tmp_path, mail(b__txt=b"Shared.", c__txt=b"Own."), "2.eml")
    assert bench.statuses(first, second) == ["added", "added", "added", "unchanged", "added"]
    changed = mail(d__txt=b"Other.")
    changed["To"] = "b@x.example"
    bench.ingest(saved(tmp_path, changed, "1.eml"))
    assert "1.eml / a.txt" not in bench.names()
    bench.ingest(second)
    assert bench.names() == [*("1.eml", "1.eml / d.txt", "2.eml", "2.eml / b.txt", "2.eml / c.txt")]
    assert bench.agrees()


def test_a_removed_mail_takes_its_attachments_into_the_bin(bench: Bench, tmp_path: Path) -> None:
    inner = mail(deep__txt=b"The door is green.")
    outer = mail(a__txt=b"First.")
    outer.add_attachment(inner)
    result = said(bench, saved(tmp_path, outer))["mail.eml"]
    bench.ingest(saved(tmp_path, mail(a__txt=b"Own."), "mail.eml2.eml"))
    collection = bench.collection()
    assert result.document_id is not None
    bench.catalog.documents.remove(collection, result.document_id, by="anna")
    assert bench.names() == ["mail.eml2.eml", "mail.eml2.eml / a.txt"]
    assert len(bench.catalog.bin.list(collection)) == 4


def test_a_mail_that_is_gone_takes_its_attachments_along(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "mails"
    folder.mkdir()
    file = saved(folder, mail(a__txt=b"First."))
    (folder / "stays.txt").write_text("It stays.")
    bench.ingest(folder)
    file.unlink()
    removed = bench.ingest(folder, prune=True).removed_from_disk
    assert [each.path for each in removed] == [str(file), str(file / "a.txt")]
    assert bench.names() == ["stays.txt"]


def test_a_bad_attachment_is_reported_and_the_others_are_ingested(
    bench: Bench, tmp_path: Path
) -> None:
    made = mail(
        bomb__docx=zip_bomb(), locked__pdf=encrypted_pdf(), none__txt=b"", good__txt=b"It is fine."
    )
    outcomes = said(bench, saved(tmp_path, made))
    errors = {name: str(each.error) for name, each in outcomes.items() if each.error}
    assert list(errors) == [
        f"mail.eml / {each}" for each in ("bomb.docx", "locked.pdf", "none.txt")
    ]
    for error, word in zip(errors.values(), ("unpacks to", "encrypted", "is empty"), strict=True):
        assert word in error
    assert bench.names() == ["mail.eml", "mail.eml / good.txt"]


def test_names_lead_nowhere_and_hide_nothing(bench: Bench, tmp_path: Path) -> None:
    made = mail()
    for number, name in enumerate(
        (
            "../../x.txt",
            "C:\\w\\y.txt",
            "\x1b[31mred\u202etxt.txt",
            "..",
            "x.txt",
            "é" * 300 + ".txt",
        )
    ):
        attach(made, name, f"Sentence {number}.".encode())
    file = saved(tmp_path, made)
    names = list(said(bench, file))[1:]
    assert names[:4] == [
        f"mail.eml / {each}" for each in ("x.txt", "y.txt", "_[31mred_txt.txt", "x (2).txt")
    ]
    assert len(names[4].encode()) < 255
    assert {each.name for each in tmp_path.glob("*.*")} <= {
        *("mail.eml", "catalog.sqlite", "catalog.sqlite-shm", "catalog.sqlite-wal")
    }


@pytest.mark.parametrize(
    ("name", "kind", "called"),
    [
        ("", "application/pdf", "attachment.pdf"),
        ("report", "application/pdf", "report.pdf"),
        ("a.b", "text/plain", "a.b.txt"),
        (".pdf", "", "pdf"),
        ("a" * 300 + ".pdf", "", "a" * 196 + ".pdf"),
    ],
)
def test_a_name_has_an_ending_that_is_read(name: str, kind: str, called: str) -> None:
    assert file_name(name, kind) == called


def test_mails_within_mails_end(bench: Bench, tmp_path: Path) -> None:
    made = mail(bottom__txt=b"Never read.")
    for _ in range(MOST_MAILS + 3):
        outer = mail()
        outer.add_attachment(made)
        made = outer
    outcomes = list(said(bench, saved(tmp_path, made)).values())
    assert len(outcomes) == MOST_MAILS + 2
    assert "deep" in str(outcomes[-1].error)


def test_endless_parts_are_reported(bench: Bench, tmp_path: Path) -> None:
    parts = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(5000)
    )
    (outcome,) = bench.ingest(saved(tmp_path, b"From: a\n" + parts)).files
    assert outcome.error is not None and "too deeply" in str(outcome.error)


def test_too_many_attachments_are_reported_and_the_mail_is_read(
    bench: Bench, tmp_path: Path
) -> None:
    made = mail(**{f"n{n}__txt": b"x" for n in range(MOST_ATTACHMENTS + 1)})
    outcomes = said(bench, saved(tmp_path, made))
    assert outcomes["mail.eml"].status == "added"
    assert "101 attachments" in str(outcomes["mail.eml / …"].error)


@pytest.mark.parametrize(("most", "read"), [("MOST_FILES", 6), ("MOST_BYTES", 4)])
def test_mails_within_a_mail_share_its_limits(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: str, read: int
) -> None:
    inner = [mail(**{f"n{n}__txt": b"x" * 999 for n in range(3)}) for _ in range(3)]
    outer = mail()
    for attached in inner:
        outer.add_attachment(attached)
    size = sum(len(attached.as_bytes()) for attached in inner)
    limit = {"MOST_FILES": 6, "MOST_BYTES": size + 1000}[most]
    monkeypatch.setattr(f"services.ingestion.attachments.{most}", limit)
    other = saved(tmp_path, mail(a__txt=b"First."), "other.eml")
    outcomes = said(bench, saved(tmp_path, outer), other)
    attachments = [name for name in outcomes if name.count(" / ") and not outcomes[name].error]
    assert len(attachments) == read + 1 and "other.eml / a.txt" in attachments
    errors = [str(each.error) for each in outcomes.values() if each.error]
    assert any("of its attachments are not read" in error for error in errors)
    assert bench.agrees()


def test_attachments_that_are_too_large_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.ingestion.parsers.mail_parser.MOST_ATTACHED", 9)
    fits, exceeds = (
        saved(tmp_path, mail(a__txt=b"x" * 5, b__txt=b"x" * n), f"{n}.eml") for n in (4, 5)
    )
    with pytest.raises(UnreadableDocument, match="exceed the"):
        attachments(exceeds)
    assert len(attachments(fits)) == 2


@pytest.mark.parametrize("size", ["-1", "99999999999999999999", "x"])
def test_stated_lengths_are_not_believed(bench: Bench, tmp_path: Path, size: str) -> None:
    made = mail(a__txt=b"It is fine.")
    (part,) = made.iter_attachments()
    part["Content-Length"] = size
    assert bench.statuses(saved(tmp_path, made)) == ["added", "added"]


def test_the_text_of_a_mail_is_all_that_its_writer_wrote(tmp_path: Path) -> None:
    whole = (
        b"From: a@x.example\nContent-Type: multipart/mixed; boundary=b\n\n"
        b"--b\nContent-Type: multipart/alternative; boundary=c\n\n"
        b"--c\nContent-Type: text/html\n\n<p>Plain is read.</p>\n"
        b"--c\nContent-Type: text/plain; charset=iso-8859-15\n\nGr\xfc\xdfe.\n--c--\n"
        b"--b\nContent-Type: application/pdf\n\nx\n"
        b"--b\nContent-Type: text/plain; charset=nobody-knows\n\nThe footer.\n--b--\n"
    )
    text = parse(saved(tmp_path, whole)).text
    assert "Grüße.\n" in text and "The footer." in text and "Attachment: attachment.pdf" in text
    assert "Plain is read" not in text
