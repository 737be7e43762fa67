"""Keys and passwords: in URLs, removed from texts, and stored in a file."""

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
    """Return the URL of one model server, without blanks or commas; raise InvalidInput."""
    url = text.strip(", \t\n")
    if _BETWEEN_URLS.search(url):
        raise InvalidInput(
            "{urls} names several model servers, but only one address is possible; to use "
            "several servers, give the address of a proxy such as nginx or LiteLLM",
            urls=without_login(url),
        )
    return url


def without_login(url: str) -> str:
    """Return a URL, or a text of several, without users and passwords."""
    return _LOGIN.sub("", url.strip(", \t\n"))


def passwords_in(url: str) -> frozenset[str]:
    """Return the password of a URL: as written, decoded, and as a header of basic access."""
    login, _, _ = urlsplit(url).netloc.rpartition("@")
    user, _, password = login.partition(":")
    decoded = unquote(password)
    header = b64encode(f"{unquote(user)}:{decoded}".encode()).decode()
    return frozenset({password, decoded, header} if password else ())


def scrubbed(text: str, secrets: Iterable[str]) -> str:
    """Replace secrets in a text, the longest first, because one may contain another."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


class KeyFile:
    """Keys of servers by address, in a file of the home that only its user may read."""

    def __init__(self, home: Path) -> None:
        self._path = home / "secrets.json"

    def get(self, address: str) -> str | None:
        """Return the key stored for exactly this address, None if there is none."""
        return self._read().get(_address(address))

    def put(self, address: str, key: str | None) -> None:
        """Store a key; None deletes it."""
        keys = self._read()
        keys.pop(_address(address), None)
        if key:
            keys[_address(address)] = key
        new = self._path.with_suffix(".new")
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"keys": keys}, file)
        new.replace(self._path)

    def _read(self) -> dict[str, str]:
        try:
            keys = json.loads(self._path.read_text(encoding="utf-8"))["keys"]
            return {str(address): str(key) for address, key in keys.items()}
        except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
            return {}  # never written, cut short or edited: keys are asked for again


def _address(url: str) -> str:
    return without_login(url).rstrip("/")
