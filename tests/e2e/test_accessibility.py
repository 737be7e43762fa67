"""WCAG 2.2 AA by axe-core in every view, light and dark, on a desktop and on a phone."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.axe import COLOURS, RULES, violations
from tests.support.browser import browser, needs_browser, resize
from tests.support.grid_model import NOTICE
from tests.support.read_home import ReadHome

pytestmark = [pytest.mark.browser, needs_browser]
DESKTOP, PHONE = (1280, 900), (390, 844)


def nothing(window: Window) -> None:
    """What is done before most views are looked at."""


def open_export(window: Window) -> None:
    window.click("Exportieren")
    window.wait("Word (DOCX)")


def open_sharing(window: Window) -> None:
    window.click("Freigeben")
    window.wait("Wer darf sie lesen?")


def review(window: Window) -> None:
    window.click("Prüfen (2)")
    window.wait("Satz 1 von 2")


def more(window: Window) -> None:
    window.click("Gründlich")
    window.settle()
    window.click("Mehr")
    window.wait("Rückfragen stellen")


def details(window: Window) -> None:
    window.pick("Einzelheiten")
    window.wait("alle Dokumente durchsucht")


def expert(window: Window) -> None:
    window.pick("Einzelne Werte")
    window.wait("Treffer je Suche")


def choose_server(window: Window) -> None:
    window.pick("Ein anderer Server")
    window.click("Erst testen")
    window.wait("Geben Sie eine Adresse ein")


def read_grid(window: Window) -> None:
    window.write("Fristen", into=".st-key-new-grid-name input")
    window.write(NOTICE, into=".st-key-new-grid-question-1 input")
    window.click("Anlegen")
    window.wait("zu lesende Zellen")
    window.click("Starten")
    window.wait("3 von 3 Zeilen")


def searched(window: Window) -> None:
    window.write("Grenzwert des Lärms", into="[class*=st-key-query] input")
    window.press("search")
    window.wait("Relevanz", "Treffer")


def fork(window: Window) -> None:
    menu = window.find("[class*=st-key-menu-] button", last=True)
    window.driver.execute_script("arguments[0].click()", menu)
    window.pick("Abzweigen")
    window.wait("Hier abzweigen")


@dataclass(frozen=True)
class View:
    """A place of the app, a text that stands there, and what is done before it is looked at."""

    path: str
    ready: str
    act: Callable[[Window], None] = nothing


VIEWS = {
    "start": View("/", "Gründlich"),
    "box": View("/", "Gründlich", more),
    "plan": View("/?thread={planned}", "Plan zur Freigabe"),
    "report": View("/?thread={done}&cite=1", "Exportieren"),
    "export": View("/?thread={done}", "Exportieren", open_export),
    "review": View("/?thread={doubtful}", "Prüfen", review),
    "conversation": View("/?thread={talk}", "2 von 4 Paragraphen", details),
    "document": View("/document?doc={document}&page=1", "Zum Abschnitt springen"),
    "comparison": View("/document?doc={newer}&against={older}", "Geänderte Abschnitte"),
    "grids": View("/grids", "Frage hinzufügen"),
    "library": View("/library", "Sammlungen"),
    "sharing": View("/library", "Sammlungen", open_sharing),
    "search": View("/library?view=search", "Art der Suche", searched),
    "graph": View("/library?view=graph", "Sammlungen"),
    "health": View("/library?view=health", "prüfen"),
    "manage": View("/library?view=manage", "Archiv"),
    "history": View("/runs", "Die Dauer zählt"),
    "fork": View("/runs", "Die Dauer zählt", fork),
    "replay": View("/runs?replay={done}", "Die Recherche beginnt"),
    "models": View("/settings", "Sprachmodell"),
    "parameters": View("/settings?section=parameters", "Neues Profil", expert),
    "plans": View("/settings?section=plans", "Einstellungen"),
    "program": View("/settings?section=program", "beenden"),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_breaks_no_rule(name: str, read_home: ReadHome) -> None:
    view = VIEWS[name]
    path = view.path.format(
        planned=read_home.planned,
        done=read_home.report["thread_id"],
        doubtful=read_home.doubtful,
        talk=read_home.talk,
        document=read_home.report["sources"][0]["document_id"],
        newer=read_home.versions[0],
        older=read_home.versions[1],
    )
    look(read_home.url + path, view)


PLAYED = {
    "first visit": View("/?fake=new", "Eigene Dokumente befragen"),
    "clarification": View("/?fake=asked&thread=t1", "Überspringen"),
    "working": View("/?fake=still&thread=t1", "läuft seit"),
    "failed": View("/?fake=failed&thread=t1", "Phase wiederholen"),
    "grid": View("/grids?fake=grids", "Frage hinzufügen", read_grid),
}


def test_the_choice_of_a_model_breaks_no_rule(tmp_path: Path) -> None:
    server = AppServer(tmp_path, llm="", ollama_url="http://127.0.0.1:9")
    server.start()
    look(f"{server.url}/settings", View("/settings", "Einbettungsmodell", choose_server))
    server.stop()


@pytest.mark.parametrize("name", PLAYED)
def test_a_played_state_breaks_no_rule(name: str, fake_app: AppServer) -> None:
    look(fake_app.url + PLAYED[name].path, PLAYED[name])


def look(address: str, view: View) -> None:
    """Looks at a view four times; of the dark ones only colours are news."""
    found = []
    with browser() as driver:
        window = Window(driver, patience_s=60)
        window.open(address)
        window.wait(view.ready)
        window.settle()
        view.act(window)
        for size in (DESKTOP, PHONE):
            resize(driver, *size)
            window.settle()
            for colours in ("light", "dark"):
                shade(window, colours)
                rules = RULES if colours == "light" else COLOURS
                found += [f"{size[0]} {colours} {each}" for each in violations(driver, rules)]
    assert found == [], "\n".join(found)


def shade(window: Window, colours: str) -> None:
    """Has the browser prefer light or dark, and waits until the page is drawn so."""
    media = {"features": [{"name": "prefers-color-scheme", "value": colours}]}
    window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    window.settle()
