"""What people buy the product for, done in a real browser with as few actions as promised.

Every click, every text typed and every key counts as one action. Each task begins on the first
page. Widgets are found by key and role, so that wording may change.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from agent.engine.engine import connect
from services.domain import Principal
from services.settings import Settings
from tests.support.app_server import ROOT, AppServer
from tests.support.app_window import BOX, Window
from tests.support.browser import Browser, browser, needs_browser
from tests.support.downloads import downloaded, keep_downloads, text_of
from tests.support.house import QUESTION
from tests.support.read_home import AGAINST
from tests.support.waiting import until

pytestmark = [pytest.mark.browser, needs_browser]
CONTRACTS = ROOT / "kb" / "samples" / "contracts"
PATIENCE_S = 300.0
CENTRE = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})"
COPIED = """
Object.defineProperty(navigator, 'clipboard', {configurable: true, value: {
    writeText: async (text) => { window.copied = text; }}});
"""
"""Keeps what the page copies; a browser without a head has no clipboard of its own."""


class Person:
    """Somebody at a window, whose actions are counted."""

    def __init__(self, driver: Browser, url: str) -> None:
        self.window = Window(driver, patience_s=PATIENCE_S)
        self.actions = 0
        self._driver = driver
        self.window.open(url)
        self.window.settle()

    def click(self, selector: str, *, last: bool = False) -> None:
        """Click the first (or last) element, once it is there and the page is at rest."""
        self.window.find(selector, last=last)
        self.window.settle()
        found = self.window.find(selector, last=last)
        self._driver.execute_script(CENTRE, found)
        found.click()
        self.actions += 1
        self.window.settle()

    def write(self, selector: str, text: str, *, last: bool = False) -> None:
        """Put a text in place of what the field says."""
        self.window.settle()
        field = self.window.find(selector, last=last)
        self._driver.execute_script(CENTRE, field)
        field.send_keys(Keys.CONTROL + "a" + Keys.NULL + text)
        self.actions += 1

    def key(self, key: str) -> None:
        ActionChains(self._driver).send_keys(key).perform()
        self.actions += 1
        self.window.settle()

    def ask(self, question: str) -> None:
        self.write(BOX, question)
        self.key(Keys.ENTER)

    def choose_files(self, selector: str, *files: Path) -> None:
        """Choose files in the dialog of the browser."""
        field = self.window.find(selector, hidden=True)
        field.send_keys("\n".join(map(str, files)))
        self.actions += 1
        self.window.settle()

    def go_to(self, page: str) -> None:
        """Click an entry of the menu, by the address to which it leads."""
        self.click(f"[data-testid=stTopNavLink][href$='/{page}']")

    def copy(self, selector: str) -> str:
        """Click a button that copies, and return what it copied."""
        self._driver.execute_script(COPIED)
        self.click(selector)
        return until(lambda: str(self._driver.execute_script("return window.copied || ''")))

    def to_new_tab(self) -> None:
        """Look at the tab that the last click opened, and close the one before."""
        until(lambda: len(self._driver.window_handles) == 2)
        self._driver.close()
        self._driver.switch_to.window(self._driver.window_handles[0])
        self.window.settle()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the twelve sample contracts."""
    home = tmp_path_factory.mktemp("five") / "home"
    with connect(Settings(home=home, llm="none")) as client:
        client.library.ingest([CONTRACTS], "contracts")
    return home


@pytest.fixture(scope="module")
def app(home: Path) -> Iterator[AppServer]:
    server = AppServer(home)
    server.start()
    yield server
    server.stop()


def test_a_number_is_proven_to_a_colleague(app: AppServer) -> None:
    with browser() as driver:
        person = Person(driver, app.url)
        person.ask("How much insurance must the Carrier keep?")
        assert person.window.source("[class*=st-key-proof] img"), "the page, without a click"
        copied = person.copy("[class*=st-key-copy-text-] button")
        assert "250,000" in copied and "freight-framework.pdf" in copied
        assert re.search(r"\b(p|S)\. 1\b", copied), copied
        assert person.actions <= 3


def test_an_amendment_is_found_from_either_document(app: AppServer) -> None:
    with browser() as driver:
        person = Person(driver, app.url)
        person.ask("Wie hoch ist die Pflegegebühr der Softwarepflege?")
        person.window.wait("1.780 Euro")
        person.click("[class*=st-key-proof-steps] a")
        person.window.wait("Nachtrag Nr. 1")
        person.click("[data-testid=stMain] a[href*='doc=']")
        person.to_new_tab()
        person.window.wait("§ 4 Vergütung")
        assert "1.780" in person.window.text, "the contract shows its new wording"
        assert person.actions <= 4


def test_a_research_follows_the_edited_plan_into_a_pdf(fake_app: AppServer, tmp_path: Path) -> None:
    with browser() as driver:
        keep_downloads(driver, tmp_path)
        person = Person(driver, f"{fake_app.url}/?fake=plain")
        person.click(".st-key-box-mode button", last=True)
        person.ask(QUESTION)
        person.click("[class*=st-key-chip-1-] button")
        person.click("[class*=st-key-row-] [class*=st-key-edit-] button", last=True)
        person.write("[class*=st-key-task-] textarea", "Höhe des Bußgelds", last=True)
        person.click("[class*='st-key-add-'] button")
        person.write("[class*=st-key-task-] textarea", "Wer muss messen?", last=True)
        person.click("[class*=st-key-approve-] button")
        person.click("[class*=st-key-export-] button")
        person.click("[class*=st-key-export-][class*='-pdf'] button")
        told = text_of(downloaded(tmp_path, ".pdf"))
        assert "Höhe des Bußgelds" in told and "Wer muss messen?" in told
        assert person.actions <= 11


def test_a_doubtful_sentence_is_corrected_and_the_report_signed(fake_app: AppServer) -> None:
    with browser() as driver:
        person = Person(driver, f"{fake_app.url}/?fake=doubtful")
        person.click("[class*=st-key-show-] button")
        person.click(".st-key-review button")
        person.click("[class*=st-key-review-words-] button")
        person.write("[class*=st-key-review-text-] textarea", "Die Behörde sieht sie ein.")
        person.click(".st-key-review-edit button")
        person.click(".st-key-review-remove button")
        person.click(".st-key-review-signed button")
        person.window.find("[data-testid=stAlertContentSuccess]")
        text = person.window.text
        assert "Die Behörde sieht sie ein." in text and AGAINST not in text
        assert person.actions <= 7


def test_files_are_added_and_their_collection_shared(
    app: AppServer, home: Path, tmp_path: Path
) -> None:
    files = [tmp_path / "hire.txt", tmp_path / "memo.txt"]
    for file, text in zip(files, ("The fee is 120 euros.", "We close at 6 pm."), strict=True):
        file.write_text(text, encoding="utf-8")
    with browser() as driver:
        person = Person(driver, app.url)
        person.go_to("library")
        person.click("[class*=st-key-new-collection] button")
        person.write(".st-key-new-name input", "Hire")
        person.click(".st-key-new-visibility input")
        person.click("[role=option]:nth-of-type(2)")
        person.click(".st-key-create button")
        person.choose_files("[class*=st-key-files-] input[type=file]", *files)
        person.click(".st-key-ingest button")
        person.click(".st-key-sharing button")
        link = person.copy(".st-key-copy-link button")
        assert person.actions <= 10
    shared = link.partition("collection=")[2]
    with connect(Settings(home=home, llm="none")) as client:
        ben = client.acting_as(Principal(user="ben"))
        until(lambda: len(ben.library.documents(shared)) == 2)
