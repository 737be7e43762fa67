"""The login file: how people sign in with OpenID Connect, and who has access; docs/login.md."""

import stat
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, ValidationError

from services.domain.errors import InvalidInput
from services.domain.identity import Principal


class Auth(BaseModel):
    """The OpenID provider and the address to which it returns people."""

    redirect_uri: str = Field(pattern=r"^https?://[^/]+(/.*)?/oauth2callback$")
    cookie_secret: str = Field(min_length=32)
    client_id: str
    client_secret: str
    server_metadata_url: HttpUrl


class People(BaseModel):
    """Who has access, by the claims of their identity token, of which ``claim`` names a person.

    ``allowed`` are patterns of names, ``*`` for any characters; ``admins`` is ``CLAIM=VALUE`` of
    those who see and change everything, of a claim that may be a list.
    """

    model_config = ConfigDict(extra="forbid")

    claim: str = "email"
    allowed: list[str] = Field(min_length=1)
    admins: str | None = Field(default=None, pattern=r"^[^=]+=.+$")
    hours: float = Field(default=12, gt=0)

    def principal(self, claims: Mapping[str, Any]) -> Principal | None:
        """Return the principal that these claims identify, None for a person without access.

        Nobody from outside gets the name of the user who works at this machine itself.
        """
        user = str(claims.get(self.claim) or "").lower()  # names differ by more than their case
        # A boolean; some providers send it as text.
        unverified = str(claims.get("email_verified")).casefold() == "false"
        unproven = self.claim == "email" and unverified
        if unproven or not self.admits(user) or user in ("", Principal().user):
            return None
        claim, _, admin = (self.admins or "").partition("=")
        values = claims.get(claim)
        is_admin = bool(claim) and admin in (values if isinstance(values, list) else [values])
        return Principal(user=user, role="admin" if is_admin else "user")

    def admits(self, user: str) -> bool:
        return any(fnmatchcase(user, pattern.lower()) for pattern in self.allowed)

    def admitted(self, claims: Mapping[str, Any], now: float) -> Principal | None:
        """Return the `principal` of a login unless it has expired."""
        return None if self.expired(claims, now) else self.principal(claims)

    def expired(self, claims: Mapping[str, Any], now: float) -> bool:
        """Return whether the login is older than `hours`; one without a time always is."""
        return now - float(claims.get("iat") or 0) > self.hours * 3600


class Login(BaseModel):
    auth: Auth
    people: People

    @property
    def host(self) -> str:
        return urlsplit(self.auth.redirect_uri).hostname or ""


@cache
def read_login(file: Path) -> Login:
    """Read a login file, once a process; raise InvalidInput."""
    try:
        if file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
            raise InvalidInput(
                "Other users can read the secrets in {file}. Restrict access: chmod 600 {file}",
                file=file,
            )
        return Login.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        problem = error.strerror or "no file"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        problem = str(error)
    except ValidationError as error:
        first = error.errors()[0]
        problem = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    raise InvalidInput("{file} is not a valid login file: {problem}", file=file, problem=problem)
