"""``synthesize``, ``verify_claim`` and ``database_stats``."""

import asyncio

from agent.ask.react.memory import clipped, gathered_text
from agent.ask.react.search_tool import PASSAGES_KEPT, search
from agent.ask.react.tooling import Kit
from agent.ask.react.values import ToolResult
from agent.ask.retrieve import evidence
from agent.ask.step import asked
from agent.drafting import checked_prose, evidence_pool
from agent.passages import origin
from agent.prompts import react_words as words
from agent.prompts import scan_words
from agent.prompts.react import NotesInput, SynthesizeNotes
from services.scan.facts import corpus_facts

SHOWN_QUOTE = 240


async def synthesize(arguments: dict[str, str], kit: Kit) -> ToolResult:
    """One text of what was gathered; a note for later steps, never evidence."""
    if not kit.run.gathered:
        return ToolResult(observation=words.nothing_gathered(kit.language), ok=False)
    if not kit.budget.take():
        return ToolResult(observation=words.no_calls_left(kit.language), ok=False)
    note = await asked(
        kit.step,
        SynthesizeNotes(kit.temperature),
        NotesInput(
            question=kit.question,
            focus=arguments.get("focus", ""),
            language=kit.language,
            gathered=gathered_text(kit.run.gathered),
        ),
    )
    if not note:
        return ToolResult(observation=words.no_note(kit.language), ok=False)
    return ToolResult(observation=note, texts=(words.note(kit.language, note),))


async def verify_claim(arguments: dict[str, str], kit: Kit) -> ToolResult:
    """Whether the documents support a statement, by the checks that answers go through."""
    claim = arguments.get("claim", "")
    if not claim:
        return ToolResult(observation=words.missing(kit.language, "claim"), ok=False)
    look = await search(claim[:300], kit)
    entries = [evidence(hit, n) for n, hit in enumerate(look.result.hits[:PASSAGES_KEPT], 1)]
    pool = await asyncio.to_thread(evidence_pool, entries, kit.context)
    held, refuted = await asyncio.to_thread(
        checked_prose, claim, pool, kit.language, kit.context.judge
    )
    lines = [words.refuted(kit.language, each) for each in refuted]
    for sentence in held:
        if sentence.supported:
            cited = sentence.citations[0]
            place, quote = origin(cited, kit.context), clipped(cited.quote, SHOWN_QUOTE)
            lines.append(words.holds(kit.language, f"{place}: {quote}"))
        else:
            lines.append(words.unsupported(kit.language, clipped(sentence.text, SHOWN_QUOTE)))
    kept = any(sentence.supported for sentence in held)
    return ToolResult(
        observation="\n".join(lines) or words.unsupported(kit.language, claim),
        found=kept or bool(refuted),
        entries=tuple(entries) if kept or refuted else (),
    )


async def database_stats(arguments: dict[str, str], kit: Kit) -> ToolResult:
    """How many documents there are, which, how long: what the catalog knows exactly."""
    context = kit.context
    key = ("database_stats", kit.question, kit.language, context.scope, context.versions())
    said: str | None = context.tool_cache.get(key)
    if said is None:
        facts = await asyncio.to_thread(corpus_facts, context.catalog, context.scope, kit.question)
        said = scan_words.facts(kit.language, facts)
        context.tool_cache.put(key, said)
    return ToolResult(observation=said, texts=(said,), facts=said)
