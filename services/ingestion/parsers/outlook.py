"""Messages that Outlook has saved (.msg), as the e-mails that they are."""

import re
from collections import defaultdict
from contextlib import suppress
from email import message_from_string, policy
from email.message import EmailMessage
from email.utils import format_datetime, formataddr
from pathlib import Path
from typing import Final

from olefile import OleFileIO
from oxmsg.domain import constants as ids
from oxmsg.domain.model import ATTACH_HDR_OFFSET, MSG_HDR_OFFSET, RECIP_HDR_OFFSET
from oxmsg.properties import Properties
from oxmsg.storage import Storage

from services.domain.errors import UnreadableDocument
from services.ingestion.parsers.encoding import decode_part

_EMBEDDED_HDR_OFFSET: Final = 24
"""Bytes before the properties of a message in another one, by MS-OXMSG 2.4.1.2."""
_EMBEDDED: Final = f"__substg1.0_{ids.PID_ATTACH_DATA_BINARY:04X}000D"
_RECIPIENT_TYPE: Final = 0x0C15
_LISTS: Final = {1: "To", 2: "Cc"}


class _Properties(Properties):
    """Properties whose strings are decoded as what they are, whatever code page is stated."""

    body_encoding = _str_prop_encoding = "utf-8"  # unused; the stated one may be unknown

    def string(self, *numbers: int) -> str:
        return next(filter(None, map(self._string, numbers)), "")

    def _string(self, number: int) -> str:
        with suppress(KeyError):
            wide = self._storage.property_stream_bytes(number, ids.PTYP_STRING)
            return wide.decode("utf-16-le", "replace").strip("\0")
        with suppress(KeyError):
            narrow = self._storage.property_stream_bytes(number, ids.PTYP_STRING8)
            return decode_part(narrow, self.code_page).text.strip("\0")
        return ""

    @property
    def code_page(self) -> str:
        """Return the encoding that is stated for narrow strings, often a wrong one."""
        pages = map(self.int_prop_value, (ids.PID_MESSAGE_CODEPAGE, ids.PID_INTERNET_CODEPAGE))
        return next((f"cp{page}" for page in pages if page), "")

    def content(self, number: int) -> bytes:
        with suppress(KeyError):
            return self._storage.property_stream_bytes(number, ids.PTYP_BINARY)
        return b""


def outlook_message(path: Path) -> EmailMessage:
    """Read a .msg file. Raises UnreadableDocument if it is damaged, or no message."""
    try:
        with OleFileIO(path) as file:
            return _message(Storage.from_ole(file), MSG_HDR_OFFSET)
    except (OSError, KeyError, ValueError, IndexError, AttributeError, TypeError) as error:
        raise UnreadableDocument(
            "it is not an Outlook message, or it is damaged ({error}); open it in Outlook and save "
            "it again",
            error=str(error) or type(error).__name__,
        ) from error


def _message(storage: Storage, offset: int) -> EmailMessage:
    properties = _Properties(storage, offset)
    mail = EmailMessage(policy=policy.default)
    for name, value in _headers(storage, properties).items():
        if value := " ".join(value.split()):
            mail[name] = value
    plain = properties.string(ids.PID_BODY)
    html = decode_part(
        properties.content(ids.PID_HTML), properties.code_page
    ).text or properties.string(ids.PID_HTML)
    if plain or not html:
        mail.set_content(_without_surrogates(plain))
    if html and plain:
        mail.add_alternative(_without_surrogates(html), subtype="html")
    elif html:
        mail.set_content(_without_surrogates(html), subtype="html")
    for attachment in storage.iter_attachment_storages():
        _attach(mail, attachment)
    return mail


def _headers(storage: Storage, properties: _Properties) -> dict[str, str]:
    received = message_from_string(
        properties.string(ids.PID_TRANSPORT_MESSAGE_HEADERS), policy=policy.default
    )
    sent = None
    with suppress(KeyError, ValueError, OverflowError):
        sent = properties.date_prop_value(ids.PID_CLIENT_SUBMIT_TIME)
    sender = (
        properties.string(ids.PID_SENDER_NAME, ids.PID_SENT_REPRESENTING_NAME),
        properties.string(ids.PID_SENDER_SMTP_ADDRESS, ids.PID_SENDER_EMAIL_ADDRESS),
    )
    stored = {
        "From": _address(*sender),
        **_recipients(storage),
        "Date": format_datetime(sent) if sent else "",
    }
    headers = {name: str(received[name] or value) for name, value in stored.items()}
    return {"Subject": properties.string(ids.PID_SUBJECT), **headers}


def _recipients(storage: Storage) -> dict[str, str]:
    lists: defaultdict[str, list[str]] = defaultdict(list)
    for recipient in storage.iter_recipient_storages():
        properties = _Properties(recipient, RECIP_HDR_OFFSET)
        address = properties.string(ids.PID_SMTP_ADDRESS, ids.PID_EMAIL_ADDRESS)
        name = _LISTS.get(properties.int_prop_value(_RECIPIENT_TYPE) or 1)
        if name:
            lists[name].append(_address(properties.string(ids.PID_DISPLAY_NAME), address))
    return {name: ", ".join(filter(None, lists[name])) for name in _LISTS.values()}


def _address(name: str, address: str) -> str:
    """Return a name with its address; those of an Exchange server say nothing to a reader."""
    if "@" not in address or not address.isascii():
        return formataddr((name, ""), "utf-8") if name.isascii() else name
    return address if name == address else formataddr((name, address), "utf-8") if name else address


def _attach(mail: EmailMessage, storage: Storage) -> None:
    embedded = next((child for child in storage.storages if child.name == _EMBEDDED), None)
    if embedded:
        mail.add_attachment(_message(embedded, _EMBEDDED_HDR_OFFSET))
        return
    properties = _Properties(storage, ATTACH_HDR_OFFSET)
    stated = properties.string(ids.PID_ATTACH_MIME_TAG)
    match = re.fullmatch(r"([\w.+-]+)/([\w.+-]+)", stated, re.ASCII)
    main, sub = match.groups() if match else ("application", "octet-stream")
    if main in ("multipart", "message"):
        main, sub = "application", "octet-stream"
    name = properties.string(ids.PID_ATTACH_LONG_FILENAME, ids.PID_ATTACH_FILENAME)
    content = properties.content(ids.PID_ATTACH_DATA_BINARY)
    mail.add_attachment(content, maintype=main, subtype=sub, filename=_without_surrogates(name))


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
