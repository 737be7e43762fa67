"""E-mails: their own text, and what is attached to them."""

import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage, Message
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import Final

from bs4 import BeautifulSoup

from services.domain.errors import UnreadableDocument
from services.ingestion.extraction import SUFFIXES, Extraction, clean, file_name
from services.ingestion.file_metadata import file_metadata
from services.ingestion.plain_parser import markdown
from services.ingestion.web_parser import seen

MOST_ATTACHMENTS: Final = 100
MOST_ATTACHED: Final = 200_000_000
"""Bytes of all that is attached to a mail."""
_AS_WRITTEN: Final = policy.default.clone(refold_source="none")
_HEADERS: Final = ("From", "To", "Cc", "Date")


def parse_mail(path: Path) -> Extraction:
    """Read an e-mail: who wrote to whom and when, its text, and the names of its attachments."""
    mail, texts, attached = _opened(path)
    lines = [f"{name}: {mail[name]}" for name in _HEADERS if mail[name]]
    lines += [f"Attachment: {name}" for name in _names(attached)]
    subject = str(mail["Subject"] or "")
    heading = [f"# {subject}"] if subject else []
    read = markdown(clean("\n\n".join([*heading, "\n".join(lines), *map(_text, texts)])), subject)
    metadata = file_metadata(author=str(mail["From"] or ""), day=str(mail["Date"] or ""))
    return replace(read, title=read.title if subject else None, metadata=metadata)


def attachments(path: Path) -> list[tuple[str, str]]:
    """Name and bytes (in base64) of what is attached to an e-mail and could be read.

    Names are unlike each other, have an ending of a format, and lead out of no folder.

    Raises:
        UnreadableDocument: it is no e-mail, or has more attached than is read.
    """
    _, _, attached = _opened(path)
    named = [
        (name, each)
        for name, each in zip(_names(attached), attached, strict=True)
        if PurePosixPath(name).suffix.lower() in SUFFIXES
    ]
    if len(named) > MOST_ATTACHMENTS:
        raise UnreadableDocument(
            "it has {count} attachments, and {most} are read; save those that you need beside it",
            count=len(named),
            most=MOST_ATTACHMENTS,
        )
    contents = [(name, _content(each)) for name, each in named]
    if sum(len(content) for _, content in contents) > MOST_ATTACHED:
        raise UnreadableDocument(
            "its attachments have more than the {most} MB that are read; save those that you "
            "need beside it",
            most=MOST_ATTACHED // 1_000_000,
        )
    return [(name, b64encode(content).decode()) for name, content in contents]


def _opened(path: Path) -> tuple[EmailMessage, list[Message], list[Message]]:
    """An e-mail, the parts that are its text, and those that are attached."""
    try:
        mail = message_from_bytes(path.read_bytes(), policy=policy.default)
        texts, attached = _parts(mail)
    except RecursionError:
        raise UnreadableDocument(
            "its parts stand in each other more deeply than any program writes them"
        ) from None
    if not isinstance(mail, EmailMessage) or not mail.keys():
        raise UnreadableDocument("it is no e-mail: it has no headers; save it again as .eml")
    return mail, texts, attached


def _parts(part: Message) -> tuple[list[Message], list[Message]]:
    """The parts that are the mail's own text, and those that are attached to it.

    Of alternatives the first plain text is read, else the first that has any.
    """
    if part.get_content_maintype() == "multipart" and part.is_multipart():
        inside = [_parts(each) for each in part.iter_parts()]  # type: ignore[attr-defined]
        texts, attached = [each for each, _ in inside], [each for _, each in inside]
        if part.get_content_subtype() == "alternative":
            plain = [each for each in texts if each and each[0].get_content_subtype() == "plain"]
            texts = [*plain, *filter(None, texts)][:1]
        return list(chain.from_iterable(texts)), list(chain.from_iterable(attached))
    if part.get_filename() or part.get_content_disposition() == "attachment":
        return [], [part]
    if part.get_content_maintype() != "text":
        return [], [part]
    return ([part] if part.get_content_subtype() in ("plain", "html") else []), []


def _names(attached: list[Message]) -> Iterator[str]:
    """How attachments are called, each unlike those before it."""
    taken: set[str] = set()
    for each in attached:
        stated = each.get_filename() or ""
        if (inside := _inner(each)) and not stated:
            stated = re.sub(r"[/\\]", "_", str(inside["Subject"] or ""))
        first = PurePosixPath(file_name(stated, each.get_content_type()))
        others = (first.with_stem(f"{first.stem} ({n})") for n in count(2))
        name = next(str(n) for n in chain([first], others) if str(n).casefold() not in taken)
        taken.add(name.casefold())
        yield name


def _inner(part: Message) -> Message | None:
    """The e-mail that is attached as one."""
    if part.get_content_type() != "message/rfc822" or not part.is_multipart():
        return None
    inside = part.get_payload(0)
    return inside if isinstance(inside, Message) else None


def _text(part: Message) -> str:
    try:
        text = str(part.get_content())  # type: ignore[attr-defined]
    except (LookupError, ValueError):  # a character set that nobody knows
        text = _content(part).decode("utf-8", "replace")
    if part.get_content_subtype() == "html":
        return seen(BeautifulSoup(text, "html.parser"))
    return text.replace("\r\n", "\n")


def _content(part: Message) -> bytes:
    """The bytes of an attachment; of an attached mail as it stands."""
    try:
        if inside := _inner(part):
            return inside.as_bytes(policy=_AS_WRITTEN)
        content = part.get_payload(decode=True)
    except (MessageError, ValueError, LookupError, RecursionError):
        return b""  # which is told as an empty file
    return content if isinstance(content, bytes) else b""
