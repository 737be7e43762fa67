"""Choosing a model and reviewing a report in a real browser, by what a person sees."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from agent.engine.engine import Engine, connect
from agent.models import RunOptions
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, outside, requested_hosts, resize
from tests.support.law_pdf import law_pdf, law_sentences
from tests.support.openai_server import OpenAIServer

pytestmark = [pytest.mark.browser, needs_browser]
QUESTION = "Wie lange sind Prüfergebnisse aufzubewahren, und wem sind sie vorzulegen?"
LOOSE = "Die Prüfergebnisse müssen digital aufbewahrt werden."
AGAINST = "Prüfergebnisse sind niemandem vorzulegen."
KEY = "sk-browser"


def doubtful_report(client: Engine, law: Path) -> str:
    """A finished report on a law, into which two sentences came that are no proof."""
    client.library.ingest([law], "laws")
    thread = client.threads.start(QUESTION, options=RunOptions(clarify=False, approve_plan=False))
    for _ in client.threads.follow(thread):
        pass
    report: dict[str, Any] | None = client.threads.report(thread)
    assert report is not None and report["sentences"]
    first = report["sentences"][0]
    for text, standing, reason, word in (
        (LOOSE, "loose", "Nicht in der Stelle: digital.", "digital"),
        (AGAINST, "contradicts", "Die Stelle sagt, wem sie vorzulegen sind.", "niemandem"),
    ):
        doubt = copy.deepcopy(first) | {"text": text, "standing": standing, "reason": reason}
        report["sentences"].insert(1, doubt | {"supported": False, "decisive": [word]})
    texts = [each["text"] for each in report["sentences"][:3]]
    report["answer"] = report["answer"].replace(first["text"], "\n\n".join(texts), 1)
    client._catalog.runs.update(thread, report=report)
    return thread


@pytest.fixture
def home(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    law, place = tmp_path / "PruefG.pdf", tmp_path / "home"
    law.write_bytes(law_pdf(law_sentences(40)))
    with connect(Settings(home=place, llm="none")) as client:
        thread = doubtful_report(client, law)
    yield place, thread


def test_a_review_is_walked_through_and_signed(home: tuple[Path, str]) -> None:
    app = AppServer(home[0])
    app.start()
    try:
        with browser() as driver:
            window = Window(driver)
            window.open(f"{app.url}/?thread={home[1]}")
            assert "2 zu prüfen" not in window.wait("1 zu prüfen", "1 Widerspruch")
            window.click("Durchsehen (2)")
            window.wait("Satz 1 von 2", "noch 2 zu entscheiden")
            assert window.find("[class*=side-review-sentence] strong").text == "niemandem"
            window.click("Streichen" if "Streichen" in window.text else "Entfernen")
            window.wait("noch 1 zu entscheiden")
            window.click("So hinnehmen")
            window.click("Abzeichnen als local")
            window.wait("Abgezeichnet von local")
            assert "hingenommen von local" in window.text
            resize(driver, 390, 844)
            assert window.overflow() <= 0, "nothing pans sideways on a phone"
            assert outside(requested_hosts(driver)) == set()
    finally:
        app.stop()


def test_a_model_is_chosen_and_in_use_without_a_restart(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with OpenAIServer('{"answer": "yes"}') as server:
        server.key = KEY
        app = AppServer(home, llm="", ollama_url="http://127.0.0.1:9")
        app.start()
        try:
            with browser() as driver:
                window = Window(driver)
                window.open(f"{app.url}/settings")
                window.choose("Ein Server mit einer Adresse")
                window.wait("Adresse des Servers")
                for label, said in (
                    ("Adresse des Servers", server.base_url), ("Schlüssel", "falsch"),
                    ("Modell", "any"),
                ):  # fmt: skip
                    window.write(said, into=f"input[aria-label='{label}']")
                window.click("Dieses Modell verwenden")
                window.wait("Der Server lehnt diesen Schlüssel ab.")
                instead = Keys.CONTROL + "a" + Keys.NULL + KEY
                window.write(instead, into="input[aria-label='Schlüssel']")
                window.click("Dieses Modell verwenden")
                window.wait("Modell openai:any")
                driver.get(f"{app.url}/library")
                window.wait("Modell openai:any")
        finally:
            app.stop()
