"""Ask the questions of a set through the product, several at once, and store what came of each."""

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from agent.engine.engine import Engine, connect_to
from services.build import Services
from services.domain import Principal, Scope
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row
from tests.benchmarks.reading.proxy import MODEL

PATIENCE_S: Final = 3_000.0
"""Seconds until a call is given up: whoever answers from a folder takes long."""
ANSWERS: Final = "answers.jsonl"


def settings_for(
    home: Path, url: str, at_once: int, *, model: str = MODEL, summaries: bool = True
) -> Settings:
    """A model behind ``url`` that reads, whose slowness changes no answer."""
    return Settings(
        home=home,
        llm=f"openai:{model}",
        summaries=summaries,
        openai_url=SecretStr(url),
        reads="yes",
        deterministic=True,
        model_deadline_s=PATIENCE_S,
        model_first_word_s=PATIENCE_S,
        max_parallel_tasks=at_once,
    )


@dataclass(frozen=True)
class Asker:
    """Asks one collection of a home at one depth."""

    services: Services
    engine: Engine
    scope: Scope
    collection: str
    depth: str

    @classmethod
    def open(cls, settings: Settings, collection: str, depth: str) -> "Asker":
        services = Services(settings)
        scope = services.catalog.collections.scope(Principal(), [collection])
        return cls(services, connect_to(services, Principal()), scope, collection, depth)

    def ask(self, question: Row) -> Row:
        """The answer to a question, with the text of each section that was read."""
        turn, _ = common.ask(self.engine, question["q"], self.collection, self.depth)
        documents = self.services.catalog.documents
        texts = {
            each.document: documents.text(each.document_id) for each in documents.list(self.scope)
        }
        read = [
            {**each, "text": texts[each["document"]][each["start"] : each["end"]]}
            for each in turn["read"]
        ]
        quotes = [citation for each in turn["sentences"] for citation in each["citations"]]
        stands = [texts[c["document"]][c["start"] : c["end"]] == c["quote"] for c in quotes]
        return {
            "id": question["id"],
            "depth": self.depth,
            "answer": turn,
            "read": read,
            "quotes": len(quotes),
            "quotes_found": sum(stands),
        }


def ask_all(ask: Callable[[Row], Row], questions: Iterable[Row], path: Path, at_once: int) -> None:
    """Ask what ``path`` has no answer to yet; a question that fails is asked by the next run."""
    answered = {row["id"] for row in common.read_lines(path)} if path.exists() else set()
    left = [each for each in questions if each["id"] not in answered]
    with ThreadPoolExecutor(at_once) as pool, path.open("a", encoding="utf-8") as out:
        asked = {pool.submit(ask, each): each["id"] for each in left}
        for number, future in enumerate(as_completed(asked), start=1):
            error = future.exception()
            if error is None:
                out.write(json.dumps(future.result(), ensure_ascii=False) + "\n")
                out.flush()
            print(f"{number}/{len(left)} {asked[future]} {error or ''}", flush=True)
