"""Parts of e-mails beside their text: invitations, sealed text, files inside of winmail.dat."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from services.ingestion.parsers.extraction import Extraction
from services.ingestion.worker import parse

INVITATION = r"""BEGIN:VCALENDAR
BEGIN:VTIMEZONE
BEGIN:STANDARD
DTSTART:16010101T030000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
SUMMARY;LANGUAGE=en:Inspection of the cellar\, with
  the owner
DTSTART;TZID="W. Europe Time":20260302T140000
DTEND:20260302T140000Z
RRULE:FREQ=WEEKLY;COUNT=3
LOCATION:Room 4
BEGIN:VALARM
SUMMARY:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR
"""


def read(folder: Path, text: str, *parts: tuple[str, str]) -> Extraction:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Inspection", "anna@x.example"
    mail.set_content(text)
    for kind, content in parts:
        main, sub = kind.split("/")
        mail.add_attachment(content.encode(), maintype=main, subtype=sub)
    (file := folder / "mail.eml").write_bytes(bytes(mail))
    return parse(file)


def test_an_invitation_says_what_when_and_where(tmp_path: Path) -> None:
    extraction = read(tmp_path, "Please come.", ("text/calendar", INVITATION))
    lines = [line for line in extraction.text.splitlines() if ": " in line]
    assert lines[1:6] == [
        "Event: Inspection of the cellar, with the owner",
        "Start: 2026-03-02 14:00 W. Europe Time",
        "End: 2026-03-02 14:00 UTC",
        "Repeats: FREQ=WEEKLY;COUNT=3",
        "Location: Room 4",
    ]
    assert "Reminder" not in extraction.text and not extraction.warnings


@pytest.mark.parametrize(
    ("text", "kind", "named"),
    [
        ("", "application/pkcs7-mime", "encrypted or signed"),
        ("", "application/pgp-encrypted", "encrypted or signed"),
        ("-----BEGIN PGP MESSAGE-----\n\nhQIMA\n", "text/plain", "encrypted or signed"),
        ("See the files.", "application/ms-tnef", "winmail.dat"),
    ],
)
def test_what_is_not_opened_is_named(text: str, kind: str, named: str, tmp_path: Path) -> None:
    (warning,) = read(tmp_path, text, (kind, "x")).warnings
    assert named in str(warning)


def test_a_signature_needs_no_warning(tmp_path: Path) -> None:
    assert not read(tmp_path, "Signed.", ("application/pkcs7-signature", "x")).warnings
