"""Rabbithole beside the others: its defaults, the same model server. Runs in its own environment.

``DEPTH`` in the environment chooses ``fast`` (the default) or ``research``.
"""

import os
import time
from contextlib import ExitStack
from functools import partial
from importlib.metadata import version
from typing import Any

import peer

from agent.engine.engine import Engine, connect
from agent.engine.evaluation import begin, outcome
from services.domain.events import EvidenceFound, QuoteFound, TokenUpdate
from services.settings import Settings

DEPTH = os.environ.get("DEPTH", "fast")
COLLECTION = "peers"
SHOWN = (EvidenceFound, QuoteFound, TokenUpdate)
"""What first puts words on the page."""


def ingest(opened: ExitStack, given: peer.Given) -> Engine:
    chosen = {"RABBITHOLE_LLM": f"openai:{given.model}", "RABBITHOLE_OPENAI_URL": given.url}
    os.environ |= {"RABBITHOLE_MODEL_DEADLINE_S": "300", **os.environ, **chosen}
    engine = opened.enter_context(connect(Settings(home=given.home)))
    engine.library.ingest([given.files], COLLECTION)
    return engine


def ask(given: peer.Given, engine: Engine, question: str) -> peer.Answer:
    start, first_s = time.monotonic(), None
    thread = begin(engine, question, DEPTH, collections=[COLLECTION])
    for record in engine.threads.follow(thread):
        if first_s is None and isinstance(record.event, SHOWN):
            first_s = round(time.monotonic() - start, 1)
    got = outcome(engine, thread)
    if "report" not in got:
        raise RuntimeError(got["error"])
    report = got["report"]
    said = [sentence(each) for each in report["sentences"]]
    return peer.Answer(report["answer"], said, first_s, report.get("certainty"))


def sentence(said: dict[str, Any]) -> dict[str, Any]:
    citations = [{"file": c["document"], "text": c["quote"]} for c in said["citations"]]
    shown = {name: said.get(name) for name in ("standing", "closest")}
    return {"text": said["text"], "citations": citations, **shown}


if __name__ == "__main__":
    with ExitStack() as opened:
        peer.run(
            "rabbithole" if DEPTH == "fast" else f"rabbithole {DEPTH}",
            partial(ingest, opened),
            ask,
            versions={"rabbithole": version("rabbithole")},
        )
