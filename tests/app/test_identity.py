"""Who sits at the browser is named when the app is started."""

import pytest
from click.testing import CliRunner

from app.cli.main import main
from app.cli.serve import identity
from app.session import whoever_sits_here
from services.domain import Principal
from services.settings import Settings


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
    assert whoever_sits_here(Settings()) == expected


def test_the_environment_names_who_works_where_serve_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RABBITHOLE_USER", "anna")
    assert identity(None, admin=False) == {}
    assert whoever_sits_here(Settings()).user == "anna"


def test_serve_offers_to_act_as_somebody() -> None:
    shown = CliRunner().invoke(main, ["serve", "--help"]).output
    assert "--user" in shown and "--admin" in shown
