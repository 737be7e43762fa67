"""The login file: how people log in with OpenID Connect, and who of them may come in.

``[auth]`` is what Streamlit's login needs, ``[people]`` is ours; see docs/login.md.
"""

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
    """The provider, and where it sends people back to."""

    redirect_uri: str = Field(pattern=r"^https?://[^/]+(/.*)?/oauth2callback$")
    cookie_secret: str = Field(min_length=32)
    client_id: str
    client_secret: str
    server_metadata_url: HttpUrl


class People(BaseModel):
    """Who may come in, by the claims of their identity token.

    Attributes:
        claim: the claim that names a person.
        allowed: names that may come in; ``*`` stands for any characters.
        admins: ``CLAIM=VALUE`` of those who see and change everybody's; the claim may be a list.
        hours: how long a login holds.
    """

    model_config = ConfigDict(extra="forbid")

    claim: str = "email"
    allowed: list[str] = Field(min_length=1)
    admins: str | None = Field(default=None, pattern=r"^[^=]+=.+$")
    hours: float = Field(default=12, gt=0)

    def principal(self, claims: Mapping[str, Any]) -> Principal | None:
        """As whom the claims let somebody work; None for one who may not come in.

        Nobody from outside comes in as whoever works at this machine itself.
        """
        user = str(claims.get(self.claim) or "").lower()  # of other letters would be other people
        # A boolean; some providers send it as text.
        denied = str(claims.get("email_verified")).casefold() == "false"
        unproven = self.claim == "email" and denied
        allowed = any(fnmatchcase(user, each.lower()) for each in self.allowed)
        if unproven or not allowed or user in ("", Principal().user):
            return None
        claim, _, value = (self.admins or "").partition("=")
        held = claims.get(claim)
        named = value in (held if isinstance(held, list) else [held])
        return Principal(user=user, role="admin" if claim and named else "user")

    def admitted(self, claims: Mapping[str, Any], now: float) -> Principal | None:
        """As whom the claims of a login let somebody work now."""
        return None if self.expired(claims, now) else self.principal(claims)

    def expired(self, claims: Mapping[str, Any], now: float) -> bool:
        """Whether the login is longer ago than `hours`; one without a time always is."""
        return now - float(claims.get("iat") or 0) > self.hours * 3600


class Login(BaseModel):
    """What a login file says."""

    auth: Auth
    people: People

    @property
    def host(self) -> str:
        """The name under which browsers reach the app."""
        return urlsplit(self.auth.redirect_uri).hostname or ""


@cache
def read_login(file: Path) -> Login:
    """Reads a login file, once a process.

    Raises:
        InvalidInput: it cannot be read, others may read it, or it lacks something.
    """
    try:
        if file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
            raise InvalidInput(
                "Others can read the secrets in {file}. Close it to them: chmod 600 {file}",
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
    raise InvalidInput(
        "{file} does not say how people log in: {problem}", file=file, problem=problem
    )
