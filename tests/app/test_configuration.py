"""The shipped configuration of the server keeps what the defaults give away."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HARDENED = {
    ("server", "address"): "127.0.0.1",
    ("server", "enableXsrfProtection"): True,
    ("server", "enableCORS"): True,
    ("server", "enableStaticServing"): False,
    ("server", "maxUploadSize"): 100,
    ("server", "maxMessageSize"): 25,
    ("browser", "gatherUsageStats"): False,
    ("client", "showErrorDetails"): "none",
    ("client", "showErrorLinks"): False,
    ("client", "toolbarMode"): "viewer",
}


@pytest.fixture(scope="module")
def configuration() -> dict[str, dict[str, object]]:
    return tomllib.loads((ROOT / "app" / "streamlit.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("place", "value"), HARDENED.items(), ids=lambda item: str(item))
def test_hardened(
    configuration: dict[str, dict[str, object]], place: tuple[str, str], value: object
) -> None:
    section, name = place
    assert configuration[section][name] == value


def test_only_loopback_names_are_served(configuration: dict[str, dict[str, object]]) -> None:
    assert set(configuration["server"]["allowedHosts"]) == {"127.0.0.1", "localhost", "::1"}


def test_no_font_or_icon_comes_from_outside(configuration: dict[str, dict[str, object]]) -> None:
    assert "http" not in str(configuration["theme"])
