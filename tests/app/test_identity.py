"""Who sits at the browser is named when the app is started, or logs in."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli.main import main
from app.cli.serve import identity
from app.session import current_principal
from services.domain import Principal
from services.domain.errors import InvalidInput
from services.login import People, read_login
from services.settings import FOLDER, Settings


@pytest.mark.parametrize(
    ("user", "admin", "expected"),
    [
        (None, False, Principal(user="local")),
        ("anna", False, Principal(user="anna")),
        ("root", True, Principal(user="root", role="admin")),
        (None, True, Principal(user="local", role="admin")),
    ],
)
def test_serve_says_who_works_in_the_browser(
    user: str | None, admin: bool, expected: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RABBITHOLE_USER", "RABBITHOLE_ROLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in identity(user, admin=admin).items():
        monkeypatch.setenv(name, value)
    assert current_principal(Settings()) == expected


def test_the_environment_names_who_works_where_serve_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RABBITHOLE_USER", "anna")
    assert identity(None, admin=False) == {}
    assert current_principal(Settings()).user == "anna"


def test_serve_offers_to_act_as_somebody() -> None:
    shown = CliRunner().invoke(main, ["serve", "--help"]).output
    assert "--user" in shown and "--admin" in shown


@pytest.mark.parametrize(
    ("host", "options", "serves"),
    [
        ("127.0.0.1", [], True),
        ("::1", [], True),
        ("localhost", [], True),
        ("0.0.0.0", [], False),
        ("192.168.0.7", [], False),
        ("desk.example", [], False),
        ("0.0.0.0", ["--i-know"], True),
    ],
)
def test_nobody_is_let_in_by_accident(
    host: str, options: list[str], serves: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr("os.execv", lambda _, command: started.append(command))
    monkeypatch.setattr("os.chdir", lambda _: None)
    result = CliRunner().invoke(main, ["serve", "--host", host, *options])
    assert bool(started) == serves
    assert serves or "--login" in result.output + result.stderr


def test_the_app_works_in_the_home_that_is_named_from_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RABBITHOLE_HOME", "own")
    monkeypatch.setenv(FOLDER, ".")
    monkeypatch.setattr("os.execv", lambda *_: None)
    assert not CliRunner().invoke(main, ["serve"]).exit_code
    assert Path.cwd() != tmp_path, "the app is served from another folder"
    assert Settings().home == tmp_path / "own"
    code = "import app.asgi, os; print(os.getcwd())"
    served = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert served.strip() == str(tmp_path), "paths of models count from where one is"


CLAIMS = {"email": "Anna@Kanzlei.example", "iat": 1000, "roles": ["staff", "boss"], "sub": "17"}


@pytest.mark.parametrize(
    ("people", "claims", "expected"),
    [
        ({}, {}, Principal(user="anna@kanzlei.example")),
        ({}, {"email_verified": True}, Principal(user="anna@kanzlei.example")),
        ({}, {"email_verified": False}, None),
        ({}, {"email_verified": "true"}, Principal(user="anna@kanzlei.example")),
        ({}, {"email_verified": "false"}, None),
        ({}, {"email": "anna@elsewhere.example"}, None),
        ({}, {"email": "anna@kanzlei.example.evil.example"}, None),
        ({"allowed": ["*"]}, {"email": ""}, None),
        ({"claim": "sub", "allowed": ["17"]}, {}, Principal(user="17")),
        ({"claim": "sub", "allowed": ["*"]}, {"sub": "Local"}, None),
        ({}, {"email": "Voß@kanzlei.example"}, Principal(user="voß@kanzlei.example")),
        ({"admins": "roles=boss"}, {}, Principal(user="anna@kanzlei.example", role="admin")),
        ({"admins": "roles=bos"}, {}, Principal(user="anna@kanzlei.example")),
        ({"admins": "roles=boss"}, {"roles": "bosses"}, Principal(user="anna@kanzlei.example")),
    ],
)
def test_claims_say_who_comes_in(
    people: dict[str, object], claims: dict[str, object], expected: Principal | None
) -> None:
    told = People.model_validate({"allowed": ["*@kanzlei.example"], **people})
    assert told.principal({**CLAIMS, **claims}) == expected


def test_a_login_ends() -> None:
    people = People(allowed=["*"], hours=1)
    assert not people.expired(CLAIMS, 1000 + 3600)
    assert people.expired(CLAIMS, 1000 + 3601)
    assert people.expired({}, 10_000)


@pytest.mark.parametrize(
    ("text", "mode", "told"),
    [
        ("[auth]", 0o644, "chmod 600"),
        ("[auth", 0o600, "is not a valid login file"),
        ("[auth]", 0o600, "auth.redirect_uri"),
        (None, 0o600, "No such file"),
    ],
)
def test_a_bad_login_file_is_told(text: str | None, mode: int, told: str, tmp_path: Path) -> None:
    file = tmp_path / "login.toml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)
    with pytest.raises(InvalidInput, match=told):
        read_login(file)
