"""Keys and passwords: where they stand in a URL, texts without them, and a file for them."""

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

HIDDEN: Final = "[secret]"
_BETWEEN_URLS: Final = re.compile(r"[\s,]+(?=\w+://)")
"""A comma in a password is none."""
_LOGIN: Final = re.compile(r"(?<=://)[^/?#]*@")


def urls_in(text: str) -> tuple[str, ...]:
    """The URLs of a text that names one or several, with white space or commas between them."""
    return tuple(_BETWEEN_URLS.split(text.strip(", \t\n")))


def shown(urls: str) -> str:
    """A URL, or several, without who logs in there."""
    return ", ".join(_LOGIN.sub("", url) for url in urls_in(urls))


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


class KeyFile:
    """Keys of servers by address, in a file of the home that its user alone may read."""

    def __init__(self, home: Path) -> None:
        self._path = home / "secrets.json"

    def get(self, address: str) -> str | None:
        """The key that was kept for this very address; no other server is sent it."""
        return self._read().get(_address(address))

    def put(self, address: str, key: str | None) -> None:
        """Keep a key, or with None forget it."""
        kept = {name: each for name, each in self._read().items() if name != _address(address)}
        if key:
            kept[_address(address)] = key
        written = self._path.with_suffix(".new")
        written.unlink(missing_ok=True)
        with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"keys": kept}, file)
        written.replace(self._path)

    def _read(self) -> dict[str, str]:
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))["keys"]
            return {str(name): str(key) for name, key in kept.items()}
        except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
            return {}  # never written, cut short or edited: keys are asked for again


def _address(url: str) -> str:
    return shown(url).rstrip("/")
