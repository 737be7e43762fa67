"""What a language model finds in real passages, what code makes of it, and what that costs.

    python -m tests.benchmarks.graph_facts --home HOME --passages StrlSchG.pdf=8 pep-0695.txt=8 \\
        [--seed N] [--file TEXT]...

Nothing is written to the home. Whether a relation that was kept is right is for a person to say:
each is printed with its sentence. ``--file`` reads other texts, each line a passage.
"""

import argparse
import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from services.catalog import Catalog
from services.knowledge_graph.facts import EntitiesOutput, PassageInput, RelationsOutput
from services.knowledge_graph.facts_checks import Proposal, judged, located
from services.knowledge_graph.facts_reader import read_passage
from services.knowledge_graph.structure.source import Source, passages
from services.knowledge_graph.values import Fact, NamedEntity
from services.llm.base import ChatModel, ChatRequest, Completion
from services.llm.factory import make_model
from services.llm.tasks import TaskRunner
from services.settings import Settings
from services.types import Principal, SearchFilter, TaskUsage


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--passages", nargs="*", default=[], metavar="DOCUMENT=NUMBER")
    parser.add_argument("--file", type=Path, action="append", default=[])
    parser.add_argument("--language", default="de", help="of the texts of --file")
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    settings = Settings(home=options.home)
    chosen = list(_chosen(settings, options))
    asyncio.run(_measure(settings, chosen))


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
    for path in options.file:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield path.name, PassageInput(text=line, language=options.language)


@dataclass
class _Heard:
    """A model that keeps what it answered."""

    model: ChatModel
    answers: list[tuple[str, Completion]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        completion = await self.model.complete(request, on_text)
        self.answers.append((request.task, completion))
        return completion


async def _measure(settings: Settings, chosen: list[tuple[str, PassageInput]]) -> None:
    model = await make_model(settings)
    assert model is not None, "RABBITHOLE_LLM names no model"
    total: Counter[str] = Counter()
    began = time.perf_counter()
    for document, asked in chosen:
        heard = _Heard(model)
        tasks = TaskRunner(heard, deadline_s=settings.model_deadline_s)
        started = time.perf_counter()
        entities, facts, usages = await read_passage(tasks, asked)
        seconds = time.perf_counter() - started
        found = _counted(asked, heard, entities, facts, usages)
        total.update(found)
        _show(document, asked, entities, facts, heard, seconds)
    await model.close()
    seconds = time.perf_counter() - began
    print(f"\n{model.name}: {len(chosen)} passages in {seconds:.0f} s")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name, count in sorted(total.items()):
        print(f"  {name}: {count} ({count / max(1, len(chosen)):.1f} a passage)")


def _counted(
    asked: PassageInput,
    heard: _Heard,
    entities: tuple[NamedEntity, ...],
    facts: tuple[Fact, ...],
    usages: list[TaskUsage],
) -> Counter[str]:
    """What was proposed, refused and kept of a passage."""
    names = tuple(dict.fromkeys(each.name for each in entities))
    found: Counter[str] = Counter({"names kept": len(names), "relations kept": len(facts)})
    found["fallbacks"] = sum(usage.fallback is not None for usage in usages)
    for task, answer in heard.answers:
        found["calls"] += 1
        found["prompt tokens"] += answer.prompt_tokens
        found["answer tokens"] += answer.completion_tokens
        found[f"seconds of {task}"] += round(answer.seconds)
        if task == "graph_entities":
            proposed = EntitiesOutput.model_validate_json(answer.text).entities
            found["names proposed"] += len(proposed)
            unlike = sum(not located(asked.text, [each], asked.language) for each in proposed)
            found["names refused"] += unlike
        if task == "graph_relations":
            for each in _proposals(answer):
                verdict = judged(asked.text, names, asked.language, each)
                found["relations proposed"] += 1
                found[f"relation {verdict if isinstance(verdict, str) else 'passed'}"] += 1
    return found


def _proposals(answer: Completion) -> list[Proposal]:
    relations = RelationsOutput.model_validate_json(answer.text).relations
    return [Proposal(**each.model_dump()) for each in relations]


def _show(
    document: str,
    asked: PassageInput,
    entities: tuple[NamedEntity, ...],
    facts: tuple[Fact, ...],
    heard: _Heard,
    seconds: float,
) -> None:
    names = tuple(dict.fromkeys(each.name for each in entities))
    print(f"\n## {document}, {len(asked.text)} characters, {seconds:.0f} s")
    print(f"> {' '.join(asked.text.split())}")
    for task, answer in heard.answers:
        print(f"{task}: {answer.completion_tokens} tokens: {' '.join(answer.text.split())}")
        if task == "graph_relations":
            for each in _proposals(answer):
                print(f"  {judged(asked.text, names, asked.language, each)}: {each}")
    print(f"names: {'; '.join(names)}")
    for fact in facts:
        print(f"KEPT {fact.subject} | {fact.relation} | {fact.object}")
        print(f"     {' '.join(asked.text[fact.start : fact.end].split())}", flush=True)


if __name__ == "__main__":
    main()
