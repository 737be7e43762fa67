"""A research at work in a real browser: two columns, on a phone one, and nothing pans."""

import pytest
from selenium.webdriver.common.by import By

from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, resize

pytestmark = [pytest.mark.browser, needs_browser]
PHONE = (390, 844)
Box = dict[str, float]


def test_the_state_stands_beside_the_conversation_and_on_a_phone_before_it(
    fake_app: AppServer,
) -> None:
    with browser() as driver:
        window = Window(driver)
        window.open(f"{fake_app.url}/?fake=still&thread=t1")
        window.wait("läuft seit")
        window.settle()
        talk, state = columns(window)
        assert state["x"] >= talk["x"] + talk["width"]
        assert state["y"] == talk["y"]

        resize(driver, *PHONE)
        window.settle()
        talk, state = columns(window)
        assert state["y"] + state["height"] <= talk["y"]
        assert state["x"] == talk["x"]
        assert window.overflow() <= 0


def columns(window: Window) -> tuple[Box, Box]:
    """Where the columns of the conversation and of the state are."""
    found = window.driver.find_elements(By.CSS_SELECTOR, ".st-key-working [data-testid=stColumn]")
    talk, state = found
    assert "Freigegebener Plan" in talk.text and "läuft seit" in state.text
    return talk.rect, state.rect
