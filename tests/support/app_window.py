"""A browser window on the app, operated by what a person sees."""

import re
import time
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.support.browser import Browser, page_report

PATIENCE_S = 240.0
POLL_S = 0.1
BOX = "[data-testid=stChatInput] textarea"
CLICK = """
const found = [...document.querySelectorAll('button, [role=tab]')].find(
    each => each.getClientRects().length && each.innerText.includes(arguments[0]));
found?.scrollIntoView({block: 'center'});
found?.click();
return Boolean(found);
"""
IDLE = """
const app = document.querySelector('[data-testid=stApp]');
return !app || app.dataset.testConnectionState === 'CONNECTED'
    && app.dataset.testScriptState === 'notRunning';
"""
"""A page of the app is connected and its script has run; another's is as it is."""
FOCUSED = """
const at = document.activeElement;
return at.matches('button, a, input, textarea, summary')
    ? `${at.getAttribute('aria-label') ?? ''} ${at.innerText}` : '';
"""
DROP = """
const dropped = new DataTransfer();
for (const [name, content] of arguments[0]) {
    const bytes = Uint8Array.from(atob(content), each => each.charCodeAt(0));
    dropped.items.add(new File([bytes], name));
}
const event = new DragEvent('drop', {dataTransfer: dropped, bubbles: true, cancelable: true});
document.querySelector('h1').dispatchEvent(event);
"""
MOST_TABS = 150
T = TypeVar("T")


class Window:
    """Waits are generous: the machine may be busy."""

    def __init__(self, driver: Browser, *, patience_s: float = PATIENCE_S) -> None:
        self.driver = driver
        self._patience_s = patience_s

    def open(self, url: str) -> None:
        self.driver.get(url)

    @property
    def text(self) -> str:
        """What the page reads; the driver's own way to it keeps the browser busy for longer."""
        said = str(self.driver.execute_script("return document.body.innerText"))
        return re.sub(r"\s*\n\s*", "\n", said.replace("\xa0", " "))

    def wait(self, *texts: str) -> str:
        """Waits until one of the texts is visible and returns it."""

        def seen() -> str | None:
            visible = self.text
            return next((text for text in texts if text in visible), None)

        return self._until(seen, f"none of {texts} appeared")

    def to_plan(self) -> None:
        """Leaves clarification without an answer, if it asks at all, and waits for the plan."""
        if self.wait("Überspringen", "Freigeben und suchen") == "Überspringen":
            self.click("Überspringen")
        self.wait("Freigeben und suchen")

    def click(self, label: str) -> None:
        """Clicks the button or tab with this label; one clicked as it is drawn is not heard."""
        self._until(
            lambda: self.idle and self.driver.execute_script(CLICK, label),
            f"button {label!r} cannot be clicked",
        )

    def choose(self, name: str) -> None:
        """Ticks what has this label, once it is there: a box or one of several choices."""

        def ticked() -> bool:
            found = self.driver.find_elements(By.XPATH, f"//label[contains(., '{name}')]")
            label = next((each for each in found if each.text.startswith(name)), None)
            if label is not None:
                label.click()
            return label is not None

        self._until(ticked, f"no choice {name!r}")
        self.settle()

    def find(self, selector: str, *, last: bool = False, hidden: bool = False) -> WebElement:
        """The first (or last) element that a selector finds, once there is one to be seen."""
        return self._until(
            lambda: self._field(selector, last, hidden), f"nothing is found by {selector!r}"
        )

    def pick(self, label: str) -> None:
        """Clicks the last text that begins like this, such as an entry of a menu."""
        path = f"//*[starts-with(normalize-space(text()), '{label}')]"

        def clicked() -> bool:
            found = self.driver.find_elements(By.XPATH, path)
            if found:
                found[-1].click()
            return bool(found)

        self._until(clicked, f"nothing is called {label!r}")

    def key(self, label: str, key: str = Keys.ENTER) -> None:
        """Goes by Tab alone to what has this label, and presses a key there."""
        self.settle()
        for _ in range(MOST_TABS):
            if label in str(self.driver.execute_script(FOCUSED)):
                ActionChains(self.driver).send_keys(key).perform()
                return
            ActionChains(self.driver).send_keys(Keys.TAB).perform()
        raise AssertionError(f"Tab does not lead to {label!r}\n{page_report(self.driver)}")

    def source(self, selector: str) -> str:
        """The address of the first picture that a selector finds."""

        def address() -> str | None:
            found = self._field(selector, last=False, hidden=False)
            return found and found.get_attribute("src")

        return self._until(address, f"no picture {selector}")

    def write(self, text: str, *, into: str = "textarea", last: bool = False) -> None:
        """Types into the first (or last) field that a selector finds, and leaves it."""
        self.find(into, last=last).send_keys(text, Keys.TAB)
        self.settle()

    def drop(self, *files: Path) -> None:
        """Drops files on the title of the page, once its form for them is drawn."""
        self.find("[data-testid=stFileUploader] input[type=file]", hidden=True)
        self.settle()
        contents = [(file.name, b64encode(file.read_bytes()).decode()) for file in files]
        self.driver.execute_script(DROP, contents)

    def wait_for_files(self, count: int) -> None:
        """Waits until so many files are in the upload form, and the server has them."""

        def received() -> bool:
            chips, *unready = (
                self.driver.find_elements(By.CSS_SELECTOR, f"[data-testid=stFileChip{name}]")
                for name in ("", "IconSpinner", "IconError")
            )
            return len(chips) == count and not any(unready)

        self._until(received, f"the form does not have {count} files")
        self.settle()

    def say(self, text: str) -> None:
        self.find(BOX).send_keys(text, Keys.ENTER)

    def deep(self, question: str) -> None:
        self.click("Gründlich")
        self.settle()
        self.say(question)

    def press(self, key: str) -> None:
        """Clicks the button of a keyed widget, such as one with only an icon."""
        self.driver.execute_script("arguments[0].click()", self.find(f".st-key-{key} button"))
        self.settle()

    def slide_to_end(self) -> None:
        """Moves the only slider by the keyboard; the mouse cannot reach its hidden input."""
        self.settle()
        slider = self.find("input[type=range]", hidden=True)
        self.driver.execute_script("arguments[0].focus()", slider)
        ActionChains(self.driver).send_keys(Keys.END).perform()

    def settle(self) -> None:
        time.sleep(0.4)
        self._until(lambda: self.idle, "the script runs on")

    def settle_pictures(self) -> None:
        """Waits until the script has run and every picture is there: each moves what follows it."""
        self.settle()
        script = "return [...document.images].every(each => each.complete && each.naturalWidth)"
        self._until(lambda: self.driver.execute_script(script), "a picture does not come")

    @property
    def idle(self) -> bool:
        return bool(self.driver.execute_script(IDLE))

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        script = """const main = document.querySelector('[data-testid=stMain]');
            return Math.max(...[document.scrollingElement, main || document.body].map(
                found => found.scrollWidth - found.clientWidth))"""
        return int(self.driver.execute_script(script))

    def _field(self, selector: str, last: bool, hidden: bool) -> WebElement | None:
        found = [
            field
            for field in self.driver.find_elements(By.CSS_SELECTOR, selector)
            if hidden or field.is_displayed()
        ]
        return found[-1 if last else 0] if found else None

    def _until(self, probe: Callable[[], T | None], failure: str) -> T:
        deadline = time.monotonic() + self._patience_s
        while time.monotonic() < deadline:
            try:
                value = probe()
            except (StaleElementReferenceException, NoSuchElementException):
                value = None  # the page was drawn or loaded again meanwhile
            if value:
                return value
            time.sleep(POLL_S)
        waited = f"{self._patience_s:.0f} s"
        raise AssertionError(f"{failure} within {waited}\n{page_report(self.driver)}")
