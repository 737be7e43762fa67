"""What a language model finds in real passages, what code makes of it, and what that costs.

    python -m tests.benchmarks.graph_facts --home HOME --record FILE \\
        [--passages StrlSchG.pdf=8 pep-0695.txt=8] [--seed N] [--lines TEXT]

Every passage is recorded in FILE with all that the model answered, and not asked again; the
shortest come first, so that a run that is cut short has read the most. Passages that a build does
not read are left out. The figures are those of the whole FILE by the checks of today. Nothing is
written to the home. Whether a relation that was kept is right is for a person to say: each is
printed with its sentence.
"""

import argparse
import asyncio
import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from services.catalog import Catalog
from services.domain import Principal, SearchFilter
from services.graph.facts import (
    PROMPTS,
    PassageInput,
    ReadFacts,
    RelationOutput,
    check_relation,
    locate_names,
    worth_reading,
)
from services.graph.text import Source, passages
from services.graph.values import Fact
from services.models.base import ChatModel, ChatRequest, Completion
from services.models.factory import make_model
from services.models.tasks import TaskRunner
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row


def main() -> None:
    parser = common.arguments(__doc__, "home")
    parser.add_argument("--record", type=Path, required=True)
    parser.add_argument("--passages", nargs="*", default=[], metavar="DOCUMENT=NUMBER")
    parser.add_argument("--lines", type=Path, help="a text, each line of which is a passage")
    parser.add_argument("--language", default="de", help="of the text of --lines")
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    settings = Settings(home=options.home)
    chosen = sorted(_chosen(settings, options), key=lambda each: len(each[1].text))
    asyncio.run(_record(settings, chosen, options.record))
    _report(_rows(options.record))


def _rows(record: Path) -> list[Row]:
    return list(common.read_lines(record)) if record.exists() else []


def _chosen(settings: Settings, options: argparse.Namespace) -> Iterator[tuple[str, PassageInput]]:
    """The passages, each with the name of its document."""
    wanted = {name: int(count) for name, count in (each.split("=") for each in options.passages)}
    with Catalog.open(settings.catalog_url) as catalog:
        scope = catalog.collections.scope(Principal(), None)
        for each in catalog.corpus.documents(scope, SearchFilter()):
            if each.document not in wanted:
                continue
            parsed = catalog.documents.parsed(each.document_id)
            source = Source(each.text_id, "", parsed.text, parsed.language, parsed.sections)
            all_of = [parsed.text[one.start : one.end] for one in passages(source)]
            dice = random.Random(options.seed)
            for text in dice.sample(all_of, wanted[each.document]):
                yield each.document, PassageInput(text=text, language=parsed.language)
    if options.lines is not None:
        for line in options.lines.read_text(encoding="utf-8").splitlines():
            if line.strip():
                text = line.replace("\\n", "\n")
                yield options.lines.name, PassageInput(text=text, language=options.language)


class _Heard:
    """A model that keeps what it answered."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.answers: list[Row] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        completion = await self._model.complete(request, on_text)
        self.answers.append({"task": request.task, **completion.model_dump()})
        return completion


async def _record(settings: Settings, chosen: list[tuple[str, PassageInput]], record: Path) -> None:
    """Asks about what is not recorded, and appends it."""
    known = {row["text"] for row in _rows(record)}
    left = [
        (name, asked)
        for name, asked in chosen
        if asked.text not in known and worth_reading(asked.text, asked.language)
    ]
    print(f"{sum(not worth_reading(asked.text, asked.language) for _, asked in chosen)} not read")
    model = await make_model(settings) if left else None
    for document, asked in left:
        assert model is not None, "RABBITHOLE_LLM names no model"
        heard = _Heard(model)
        tasks = TaskRunner(heard, deadline_s=settings.model_deadline_s)
        started = time.perf_counter()
        found = await tasks.run(ReadFacts(), asked)
        row = {
            "document": document,
            "model": model.name,
            "prompts": PROMPTS,
            "text": asked.text,
            "language": asked.language,
            "seconds": round(time.perf_counter() - started, 1),
            "load": os.getloadavg()[0],
            "answers": heard.answers,
            "facts": [fact.model_dump() for fact in found.value.facts],
            "fallbacks": [str(found.usage.fallback)] if found.usage.fallback else [],
        }
        with record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        print(f"{document}: {row['seconds']} s", flush=True)
    if model is not None:
        await model.close()


def _report(rows: list[Row]) -> None:
    total: Counter[str] = Counter()
    rows = [row for row in rows if worth_reading(row["text"], row["language"])]
    for row in rows:
        total.update(_judged(row))
    count = max(1, len(rows))
    print(f"\n{len(rows)} passages, {sum(len(row['text']) for row in rows) / count:.0f} characters")
    for name, number in sorted(total.items()):
        print(f"  {name}: {number:.0f} ({number / count:.1f} a passage)")


def _judged(row: Row) -> Counter[str]:
    """Prints what became of a passage; what was proposed, refused and kept of it."""
    text, language = row["text"], row["language"]
    answers = row["answers"]
    print(f"\n## {row['document']}, {len(text)} characters, {row['seconds']} s")
    print(f"> {_line(text)}")
    found: Counter[str] = Counter(seconds=row["seconds"], fallbacks=len(row["fallbacks"]))
    for answer in answers:
        found["calls"] += 1
        found["prompt tokens"] += answer["prompt_tokens"]
        found["answer tokens"] += answer["completion_tokens"]
    proposed = _proposed(answers, "entities")
    names = tuple(dict.fromkeys(each.name for each in locate_names(text, proposed, language)))
    refused = [each for each in proposed if not locate_names(text, [each], language)]
    print(f"names: {'; '.join(names)}\nrefused: {'; '.join(refused)}")
    found.update({"names proposed": len(proposed), "names kept": len(names)})
    passed = []
    for each in _proposed(answers, "relations"):
        verdict = check_relation(text, names, language, RelationOutput(**each))
        found["relations proposed"] += 1
        found[f"relation {verdict if isinstance(verdict, str) else 'passed the checks'}"] += 1
        told = verdict if isinstance(verdict, str) else "passed"
        print(f"  {told}: {each['subject']} | {each['relation']} | {each['object']}")
        passed += [verdict] if isinstance(verdict, Fact) else []
    for fact in (fact for fact in dict.fromkeys(passed) if fact.model_dump() in row["facts"]):
        found["relations kept"] += 1
        print(f"KEPT {fact.subject} | {fact.relation} | {fact.object}")
        print(f"     {_line(text[fact.start : fact.end])}")
    return found


def _proposed(answers: list[Row], of: str) -> list[Any]:
    """What the last answer lists; nothing where it is none."""
    try:
        return list(json.loads(answers[-1]["text"])[of])
    except (IndexError, KeyError, ValueError):
        return []


def _line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    main()
