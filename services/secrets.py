"""Keys and passwords: where they stand in a URL, and texts without them."""

from base64 import b64encode
from collections.abc import Iterable
from typing import Final
from urllib.parse import unquote, urlsplit

HIDDEN: Final = "[secret]"


def shown(url: str) -> str:
    """A URL without who logs in there."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def passwords_in(url: str) -> frozenset[str]:
    """The password of a URL, in every form that a server can say it."""
    login, _, _ = urlsplit(url).netloc.rpartition("@")
    user, _, password = login.partition(":")
    plain = unquote(password)
    sent = b64encode(f"{unquote(user)}:{plain}".encode()).decode()
    return frozenset({password, plain, sent} if password else ())


def scrubbed(text: str, secrets: Iterable[str]) -> str:
    """A text without secrets, the longest first: one may be part of another."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text
