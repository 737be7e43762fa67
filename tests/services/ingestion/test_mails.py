"""E-mails: the fullest part, quoted messages with their authors, and what Outlook saves."""

from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path

import pytest

from services.domain.errors import UnreadableDocument
from services.ingestion.parsers.extraction import Extraction
from services.ingestion.parsers.headings import build_sections
from services.ingestion.parsers.mail_parser import attachments
from services.ingestion.worker import parse
from tests.support.msg_files import Tree, compound_file, message, text

OWN, OLD, OLDEST = "The delivery is on 20 April.", "It comes on 6 April.", "Planned for 1 April."
HTML_ATTRIBUTION = "Am Mo., 2. März 2026 um 09:00 Uhr schrieb Ben &lt;ben@example.org&gt;:"
OUTLOOK = (
    "Von: Ben Berg <ben@example.org>\nGesendet: Montag, 2. März 2026 09:00\nAn: Ada\nBetreff: X"
)
GERMAN = "Am 02.03.2026 um 09:00 schrieb Ben Berg:"


def read(folder: Path, body: str = "", html: str = "") -> Extraction:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Ada <ada@example.org>", "Re: Delivery"
    mail.set_content(body)
    if html:
        mail.add_alternative(html, subtype="html")
    (folder / "mail.eml").write_bytes(mail.as_bytes())
    return parse(folder / "mail.eml")


def labels(extraction: Extraction) -> Mapping[str, str]:
    """Each sentence of the mail with the section that it is in."""
    sections = build_sections(extraction)
    return {
        sentence: next((each.label for each in sections if each.start <= at < each.end), "")
        for sentence in (OWN, OLD, OLDEST)
        if (at := extraction.text.find(sentence)) >= 0
    }


@pytest.mark.parametrize(
    ("body", "source"),
    [
        (
            f"On Mon, 2 Mar 2026 at 09:00, Ben Berg <b@x.org> wrote:\n> {OLD}",
            "Ben Berg, Mon, 2 Mar",
        ),
        (f"On Mon, 2 Mar 2026 at 09:00, Ben Berg <b@x.org>\nwrote:\n\n> {OLD}", "Ben Berg, Mon"),
        (f"{GERMAN}\n>{OLD}", "Ben Berg, 02.03.2026"),
        (f"Ben Berg <b@x.org> wrote on 2 March 2026:\n> {OLD}", "Ben Berg, 2 March"),
        (f"Le lun. 2 mars 2026 à 09:00, Ben Berg <b@x.org> a écrit :\n> {OLD}", "Le lun. 2 mars"),
        (f"-----Original Message-----\n{OUTLOOK}\n\n{OLD}", "Ben Berg, Montag, 2. März 2026"),
        (f"---------- Forwarded message ---------\n{OUTLOOK}\n\n{OLD}", "Ben Berg, Montag"),
        (f"{GERMAN}\n\n{OLD}", "Ben Berg, 02.03.2026"),
        (f"> {GERMAN}\n>\n> {OLD}", "Ben Berg, 02.03.2026"),
        (
            f"On Mar 2, 2026 at 9:00 AM Ben <b1@x.org> wrote:\n> {OLD}",
            "Ben, Mar 2, 2026 at 9:00 AM",
        ),
        (f"> {OLD}", ""),
    ],
)
def test_a_quoted_message_is_separated_from_the_answer(
    tmp_path: Path, body: str, source: str
) -> None:
    where = labels(read(tmp_path, f"{OWN}\n\n{body}\n"))
    assert "Quoted" not in where[OWN]
    assert where[OLD].startswith(f"Quoted: {source}" if source else "Quoted")


def test_each_message_of_a_thread_has_its_author(tmp_path: Path) -> None:
    quote = f"> {OLD}\n>\n> On Sun, 1 Mar 2026 Cleo wrote:\n>> {OLDEST}"
    where = labels(read(tmp_path, f"{GERMAN}\n{quote}\n\n{OWN}\n"))
    assert where == {
        OLD: "Quoted: Ben Berg, 02.03.2026 um 09:00",
        OLDEST: "Quoted: Cleo, Sun, 1 Mar 2026",
        OWN: "Reply: Ada",
    }


def test_a_table_of_a_journey_is_no_quote(tmp_path: Path) -> None:
    journey = "From: Rome\nTo: Bern\nDate: 2 March 2026\n"
    for more in ("", "Price: 40 euros\n"):
        text = read(tmp_path, f"{journey}{more}\n{OWN} Note: 1 January 2026:\n")
        assert "Quoted" not in labels(text)[OWN]
        assert "Rome" in text.text and more in text.text


def test_a_header_on_two_lines_is_one(tmp_path: Path) -> None:
    wrapped = OUTLOOK.replace("An: Ada", "An: Ada;\n    Cem <cem@example.org>")
    text = read(tmp_path, f"{OWN}\n\n{wrapped}\n\n{OLD}\n")
    assert labels(text) == {OWN: "", OLD: "Quoted: Ben Berg, Montag, 2. März 2026 09:00"}
    assert text.text.index("Quoted:") < text.text.index("Cem") < text.text.index("Betreff: X")


def test_headings_in_a_quote_stay_in_it(tmp_path: Path) -> None:
    extraction = read(tmp_path, f"{OWN}\n\n{GERMAN}\n> # Dates\n> {OLD}\n")
    paths = [section.heading_path for section in build_sections(extraction)]
    assert any(path[-1] == "Dates" and "Quoted: Ben Berg" in path[-2] for path in paths)


@pytest.mark.parametrize(
    "quote",
    [
        f"<div>{HTML_ATTRIBUTION}<blockquote>{OLD}</blockquote></div>",
        "<div><p><b>From:</b> Ben Berg<br><b>Sent:</b> Monday, 2 March 2026 09:00<br>"
        f"<b>To:</b> Ada<br><b>Subject:</b> Delivery</p></div><p>{OLD}</p>",
    ],
)
def test_quotes_of_html_have_their_authors(tmp_path: Path, quote: str) -> None:
    where = labels(read(tmp_path, "Please use another program.", f"<p>{OWN}</p>{quote}"))
    assert where[OLD].startswith("Quoted: Ben") and "2026" in where[OLD]
    assert "Quoted" not in where[OWN]


def test_the_part_with_the_content_is_read(tmp_path: Path) -> None:
    table = "<table><tr><th>Day</th><th>Room</th></tr><tr><td>Monday</td><td>4</td></tr></table>"
    assert "Room: 4" in read(tmp_path, "See the table.", f"<p>See the table.</p>{table}").text
    same = read(tmp_path, "In *room 4*, my friend.", "<p>In room 4, my <b>friend</b>.</p>")
    assert "*room 4*" in same.text
    assert "The plain part." in read(tmp_path, "The plain part.", "<img src=x>").text


def test_a_message_of_outlook_is_an_e_mail(tmp_path: Path) -> None:
    attachment = message({**text(0x3707, "plan.txt"), "__substg1.0_37010102": b"Red"}, 8)
    inner = message({**text(0x37, "Older"), **text(0x1000, OLD)}, 24)
    outer: Tree = {
        **text(0x37, "Срок аренды три месяца", "cp1251"),
        **text(0x1000, OWN),
        **text(0x0C1A, "Ada"),
        **text(0x5D01, "ada@example.org"),
        "__attach_version1.0_#00000000": attachment,
        "__attach_version1.0_#00000001": message({"__substg1.0_3701000D": inner}, 8),
    }
    file = tmp_path / "mail.msg"
    file.write_bytes(compound_file(message(outer, x3FFD=1251)))
    read = parse(file)
    assert (read.title, read.metadata.author) == ("Срок аренды три месяца", "Ada")
    assert OWN in read.text and "From: Ada <ada@example.org>" in read.text
    assert [name for name, _ in attachments(file)] == ["plan.txt", "Older.eml"]


def test_a_damaged_message_of_outlook_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mail.msg").write_bytes(compound_file({"Workbook": b"x"}))
    with pytest.raises(UnreadableDocument, match="not an Outlook message"):
        parse(tmp_path / "mail.msg")


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


def read_parts(folder: Path, text: str, *parts: tuple[str, str]) -> Extraction:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Inspection", "anna@x.example"
    mail.set_content(text)
    for kind, content in parts:
        main, sub = kind.split("/")
        mail.add_attachment(content.encode(), maintype=main, subtype=sub)
    (file := folder / "mail.eml").write_bytes(bytes(mail))
    return parse(file)


def test_an_invitation_says_what_when_and_where(tmp_path: Path) -> None:
    extraction = read_parts(tmp_path, "Please come.", ("text/calendar", INVITATION))
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
    (warning,) = read_parts(tmp_path, text, (kind, "x")).warnings
    assert named in str(warning)


def test_a_signature_needs_no_warning(tmp_path: Path) -> None:
    assert not read_parts(tmp_path, "Signed.", ("application/pkcs7-signature", "x")).warnings
