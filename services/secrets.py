"""Keys and passwords: where they stand in a URL, texts without them, and a file for them."""

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from services.domain.errors import InvalidInput

HIDDEN: Final = "[secret]"
_BETWEEN_URLS: Final = re.compile(r"[\s,]+(?=\w+://)")
"""What separates two URLs; a comma inside a password does not."""
_LOGIN: Final = re.compile(r"(?<=://)[^/?#]*@")


def one_url(text: str) -> str:
    """Return the URL of one model server, without blanks or commas around it.

    Raises:
        InvalidInput: The text names several servers.
    """
    url = text.strip(", \t\n")
    if _BETWEEN_URLS.search(url):
        raise InvalidInput(
            "{urls} are several model servers; RABBITHOLE_OLLAMA_URL and RABBITHOLE_OPENAI_URL "
            "name one each, which may be a proxy (nginx, LiteLLM) that spreads the calls",
            urls=shown(url),
        )
    return url


def shown(url: str) -> str:
    """Return a URL, or a text of several, without users and passwords."""
    return _LOGIN.sub("", url.strip(", \t\n"))


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
