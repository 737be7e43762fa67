"""How soon the first passages of a quick answer are on the page, while the model is at work.

    python -m tests.benchmarks.first_passages [--model embedded] [--alone]

One person asks in Chromium; the model works on another's research meanwhile (not with
``--alone``). From Enter to the first card, on the two sample collections, by the browser's clock.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from agent.engine.engine import Engine, connect
from agent.models import RunOptions
from services.domain.errors import InvalidInput
from services.domain.runs import ACTIVE
from services.settings import Settings
from tests.support.app_server import ROOT, AppServer
from tests.support.app_window import BOX, Window
from tests.support.browser import browser

QUESTIONS = (
    "Wer darf ein UV-Bestrahlungsgerät nicht benutzen?",
    "Welcher Grenzwert gilt für beruflich exponierte Personen unter 18 Jahren?",
    "Wann muss ein Strahlenschutzbeauftragter bestellt werden?",
    "How are type variables declared with the new syntax?",
    "When is a protocol class checked at runtime?",
    "Wie lange sind Aufzeichnungen über die Dosis aufzubewahren?",
    "Was gilt für den Betrieb von Röntgeneinrichtungen an Schulen?",
    "Which types may be keys of a TypedDict?",
    "What does Self mean in the return type of a method?",
    "Wer bestellt den Medizinphysik-Experten?",
)
OTHER = "Welche Pflichten hat der Strahlenschutzverantwortliche?"
SHOWN_FIRST = ("Textstellen gefunden", "Einzelheiten")
SHOWN = """
const [texts, done] = arguments;
const start = performance.now();
const look = () => texts.some(text => document.body.innerText.includes(text))
    ? done(performance.now() - start) : requestAnimationFrame(look);
look();
"""
TYPING_S = 5.0
"""A person takes at least so long for a question."""
AT_WORK_WITHIN_S = 120.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--alone", action="store_true", help="nothing is written meanwhile")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, model = Path(folder) / "home", chosen.model
        for name in ("strahlenschutz", "typing-peps"):
            with connect(Settings(home=home, llm="none")) as client:
                client.library.ingest([ROOT / "kb" / "samples" / name], name)
        app = AppServer(home, llm=model)
        app.start()
        try:
            with browser() as driver, connect(Settings(home=home, llm=model)) as client:
                window = Window(driver)
                took = [
                    passages(window, app.url, client, question, alone=chosen.alone)
                    for question in QUESTIONS
                ]
        finally:
            app.stop()
    said = {
        "median": round(statistics.median(took), 2),
        "worst": round(max(took), 2),
        "first": round(took[0], 2),
        "questions": len(took),
        "load": os.getloadavg()[0],
    }
    print(json.dumps(said))


def passages(window: Window, url: str, client: Engine, question: str, *, alone: bool) -> float:
    """Seconds from Enter to the first card."""
    window.open(url)
    window.wait("Gründlich")
    window.settle()
    window.find(BOX)
    time.sleep(TYPING_S)
    working = [] if alone else [at_work(client)]
    window.say(question)
    window.driver.set_script_timeout(600)
    seconds = float(window.driver.execute_async_script(SHOWN, SHOWN_FIRST)) / 1000
    still = all(client.threads.run(thread).status in ACTIVE for thread in working)
    print(f"{seconds:.2f} s  {'' if still else '(the research was done)'} {question}", flush=True)
    window.wait("Abbrechen", "Einzelheiten")
    with suppress(InvalidInput):  # it is answered
        client.threads.cancel(window.driver.current_url.partition("thread=")[2])
    return seconds


def at_work(client: Engine) -> str:
    """A research that the model works on, a new one where none does any more."""
    for run in client.threads.runs():
        if run.kind == "research" and run.status in ACTIVE:
            return run.thread_id
    thread = client.threads.start(OTHER, options=RunOptions(clarify=False, approve_plan=False))
    end = time.monotonic() + AT_WORK_WITHIN_S
    while client.threads.run(thread).phase is None:
        if time.monotonic() > end:
            raise TimeoutError("the research does not begin")
        time.sleep(0.1)
    return thread


if __name__ == "__main__":
    main()
