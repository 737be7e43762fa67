"""E-mails: their own text, the older ones that they quote, attachments and invitations."""

import re
from base64 import b64decode, b64encode
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage, Message
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import Final

from services.domain.errors import UnreadableDocument
from services.domain.formats import SUFFIXES
from services.domain.notices import Notice
from services.ingestion.parsers.encoding import Decoded, decode_part, is_wide
from services.ingestion.parsers.extraction import (
    MOST_ATTACHED,
    MOST_ATTACHMENTS,
    Extraction,
    Heading,
    clean,
    file_name,
)
from services.ingestion.parsers.file_metadata import file_metadata
from services.ingestion.parsers.mail_quotes import QUOTE_LEVEL, QUOTED, REPLY, with_quotes_marked
from services.ingestion.parsers.outlook import outlook_message
from services.ingestion.parsers.plain_parser import markdown
from services.ingestion.parsers.web_parser import page_of, visible_markdown

_AS_WRITTEN: Final = policy.default.clone(refold_source="none")
_HEADERS: Final = ("From", "To", "Cc", "Date")
_SEALED: Final = frozenset(
    {"application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted"}
)
_PGP: Final = "-----BEGIN PGP MESSAGE-----"
_TNEF: Final = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})
_WORD: Final = re.compile(r"\w+")
_UNDECODED: Final = re.compile("[\udc80-\udcff]")
"""Bytes of a header that are no ASCII, as the standard library keeps them."""
_SAME: Final = 0.9
"""Share of the words of the HTML that a plain text must have to be read instead."""


def parse_mail(path: Path) -> Extraction:
    """Read an e-mail: who wrote to whom and when, its text, and the names of its attachments."""
    mail, texts, attached = _split_mail(path)
    lines = [f"{name}: {mail[name]}" for name in _HEADERS if mail[name]]
    calendars = (message for message in attached if message.get_content_type() == "text/calendar")
    lines += [line for message in calendars for line in calendar_lines(_text(message).text)]
    lines += [f"Attachment: {name}" for name in _names(attached)]
    subject, author = str(mail["Subject"] or ""), str(mail["From"] or "")
    heading = [f"# {subject}"] if subject else []
    decoded = [_text(message) for message in texts]
    warnings = list(chain.from_iterable(notices for _, notices in decoded))
    warnings += _unopened(attached, [text for text, _ in decoded])
    if path.suffix.lower() == ".msg" and not any(text.strip() for text, _ in decoded):
        warnings.append(
            Notice.of("no readable text was found; if Outlook shows some, save it as .eml")
        )
    body = with_quotes_marked("\n\n".join(text for text, _ in decoded), author)
    read = markdown(clean("\n\n".join([*heading, "\n".join(lines), body])), subject)
    return replace(
        read,
        title=read.title if subject else None,
        headings=tuple(_within_quotes(read.headings)),
        metadata=file_metadata(author=author.replace('"', ""), day=str(mail["Date"] or "")),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _unopened(attached: list[Message], texts: list[str]) -> Iterator[Notice]:
    types = {message.get_content_type() for message in attached}
    if types & _SEALED or any(_PGP in text for text in texts):
        yield Notice.of(
            "its encrypted or signed text is not read; open it in your mail program and save "
            "the text in a separate file"
        )
    if types & _TNEF:
        yield Notice.of(
            "text and files inside {name} are not read; open the mail in Outlook and save them",
            name="winmail.dat",
        )


def _within_quotes(headings: tuple[Heading, ...]) -> Iterator[Heading]:
    quoted = False
    for heading in headings:
        if heading.level == QUOTE_LEVEL and heading.title.startswith((QUOTED, REPLY)):
            quoted = heading.title.startswith(QUOTED)
            yield heading
        else:
            level = max(heading.level, QUOTE_LEVEL + 1) if quoted else heading.level
            yield replace(heading, level=level)


def attachments(path: Path) -> list[tuple[str, str]]:
    """Return names and contents (base64) of readable attachments. Raises UnreadableDocument."""
    _, _, attached = _split_mail(path)
    named = [
        (name, message)
        for name, message in zip(_names(attached), attached, strict=True)
        if PurePosixPath(name).suffix.lower() in SUFFIXES
    ]
    if len(named) > MOST_ATTACHMENTS:
        raise UnreadableDocument(
            "it has {count} attachments, and only {most} are read; save the others to the same "
            "folder",
            count=len(named),
            most=MOST_ATTACHMENTS,
        )
    contents = [(name, _content(message)) for name, message in named]
    if sum(len(content) for _, content in contents) > MOST_ATTACHED:
        raise UnreadableDocument(
            "its attachments exceed the {most} MB allowed; save those that you need to the same "
            "folder",
            most=MOST_ATTACHED // 1_000_000,
        )
    return [(name, b64encode(content).decode()) for name, content in contents]


def _split_mail(path: Path) -> tuple[EmailMessage, list[Message], list[Message]]:
    try:
        mail = _read_message(path)
        texts, attached = _split_parts(mail)
    except RecursionError:
        raise UnreadableDocument("its parts are nested too deeply") from None
    if not isinstance(mail, EmailMessage) or not mail.keys():
        raise UnreadableDocument("it is not an e-mail: it has no headers; save it again as .eml")
    for name, value in list(mail.raw_items()):
        if _UNDECODED.search(value):
            written = value.encode("ascii", "surrogateescape")
            mail.replace_header(name, decode_part(written).text)
    return mail, texts, attached


def _read_message(path: Path) -> Message:
    if path.suffix.lower() == ".msg":
        return outlook_message(path)
    data = path.read_bytes()
    if is_wide(data):
        data = decode_part(data).text.encode()
    return message_from_bytes(data.removeprefix(BOM_UTF8), policy=policy.default)


def _split_parts(message: Message) -> tuple[list[Message], list[Message]]:
    if message.get_content_maintype() == "multipart" and message.is_multipart():
        inside = [_split_parts(child) for child in message.iter_parts()]  # type: ignore[attr-defined]
        texts, attached = [child for child, _ in inside], [child for _, child in inside]
        if message.get_content_subtype() == "alternative":
            texts = [_fullest_alternative(list(filter(None, texts)))]
        return list(chain.from_iterable(texts)), list(chain.from_iterable(attached))
    if message.get_filename() or message.get_content_disposition() == "attachment":
        return [], [message]
    is_text = message.get_content_type() in ("text/plain", "text/html")
    return ([message], []) if is_text else ([], [message])


def _fullest_alternative(alternatives: list[list[Message]]) -> list[Message]:
    """Return the first alternative with the words of the last: plain ones may be stubs."""
    visible_texts = (" ".join(_text(message).text for message in texts) for texts in alternatives)
    contents = [set(_WORD.findall(text.casefold())) for text in visible_texts]
    shown_words: set[str] = next((words for words in reversed(contents) if words), set())
    return next(
        (
            texts
            for texts, words in zip(alternatives, contents, strict=True)
            if len(shown_words & words) >= _SAME * len(shown_words)
        ),
        [],
    )


def _names(attached: list[Message]) -> Iterator[str]:
    used: set[str] = set()
    for attachment in attached:
        stated = attachment.get_filename() or ""
        if (inside := _attached_mail(attachment)) and not stated:
            stated = re.sub(r"[/\\]", "_", str(inside["Subject"] or ""))
        first = PurePosixPath(file_name(stated, attachment.get_content_type()))
        others = (first.with_stem(f"{first.stem} ({n})") for n in count(2))
        name = next(str(n) for n in chain([first], others) if str(n).casefold() not in used)
        used.add(name.casefold())
        yield name


def _attached_mail(message: Message) -> Message | None:
    if message.get_content_type() != "message/rfc822" or not message.is_multipart():
        return None
    inside = message.get_payload(0)
    if not isinstance(inside, Message):
        return None
    encoding = message.get("Content-Transfer-Encoding", "").strip().lower()
    if encoding == "base64" and not inside.keys():  # which RFC 2046 forbids, and GroupWise writes
        with suppress(ValueError):
            return message_from_bytes(b64decode(str(inside.get_payload())), policy=policy.default)
    return inside


def _text(message: Message) -> Decoded:
    decoded = decode_part(_content(message), message.get_content_charset() or "")
    if message.get_content_subtype() == "html":
        return decoded._replace(text=visible_markdown(page_of(decoded.text)))
    return decoded._replace(text=decoded.text.replace("\r\n", "\n").replace("\r", "\n"))


def _content(message: Message) -> bytes:
    try:
        if inside := _attached_mail(message):
            return inside.as_bytes(policy=_AS_WRITTEN)
        content = message.get_payload(decode=True)
    except (MessageError, ValueError, LookupError, RecursionError):
        return b""  # which is told as an empty file
    return content if isinstance(content, bytes) else b""


_NAMES: Final = {
    "SUMMARY": "Event",
    "DTSTART": "Start",
    "DTEND": "End",
    "RRULE": "Repeats",
    "LOCATION": "Location",
}
_FOLD: Final = re.compile(r"\r?\n[ \t]")
_EVENT: Final = re.compile(r"^BEGIN:VEVENT\s*$(.*?)^END:VEVENT\s*$", re.DOTALL | re.MULTILINE)
_PROPERTY: Final = re.compile(r'([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^";:]*))*):(.*)')
_TIME: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_ZONE: Final = re.compile(r';TZID="?([^";]+)')
_INNER: Final = re.compile(r"^BEGIN:(?!VEVENT)(\w+).*?^END:\1\s*$", re.DOTALL | re.MULTILINE)


def calendar_lines(text: str) -> Iterator[str]:
    """Yield a line for each thing that is said of the events in a calendar."""
    for event in _EVENT.findall(_FOLD.sub("", text.replace("\r\n", "\n"))):
        for line in _INNER.sub("", event).splitlines():
            match = _PROPERTY.fullmatch(line.strip())
            if match and (name := _NAMES.get(match[1].upper())) and match[3]:
                yield f"{name}: {_readable(match[3], match[2])}"


def _readable(value: str, parameters: str) -> str:
    if not (time := _TIME.fullmatch(value)):
        return " ".join(re.sub(r"\\(.)", lambda match: match[1].replace("n", " "), value).split())
    year, month, day, hour, minute, utc = time.groups()
    zone = _ZONE.search(parameters)
    zone_name = "UTC" if utc else zone[1] if zone else ""
    clock = f" {hour}:{minute} {zone_name}" if hour else ""
    return f"{year}-{month}-{day}{clock}".strip()
