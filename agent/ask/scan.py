"""Questions that only all of the corpus can answer, and those about the corpus itself."""

import asyncio
from collections.abc import Iterator

from agent.ask.models import Coverage, Reply
from agent.ask.state import AskState
from agent.ask.step import timed
from agent.context import Context
from agent.drafting import verbatim
from agent.prompts import say
from agent.prompts import scan as scan_words
from agent.step import Step, Update
from services.language.query.values import ScanWish, Understanding
from services.retrieval.scan.facts import corpus_facts
from services.retrieval.scan.scanner import ScanRequest, ScanResult

MOST_PLACES = 100


@timed("scan")
async def scan_corpus(state: AskState, step: Step) -> Update:
    """Reads all texts for a word: an exact number, and the places."""
    understanding, context = state["understanding"], step.context
    wish = understanding.scan
    if wish is None or wish.term is None:
        raise ValueError("a scan needs a term; routing sends other questions to the search")
    result, term = await asyncio.to_thread(_scanned, understanding, wish, context)
    if result.missing:
        key = "unknown_documents" if result.named else "unknown_documents_all"
        names = ", ".join(result.missing), ", ".join(result.named)
        step.warn(say(understanding.language, key, *names))
    if term is None:
        return {"reply": _asking(result, wish, understanding)}
    reply = reply_of(result, wish, understanding)
    if not set(wish.term.split()) <= set(term.split()):
        instead = say(understanding.language, "counted_instead", wish.term, result.term)
        reply = reply.model_copy(update={"opening": f"{instead} {reply.opening}"})
    return {"reply": reply}


def _scanned(
    understanding: Understanding, wish: ScanWish, context: Context
) -> tuple[ScanResult, str | None]:
    """What a scan finds, and for which term; None for one of which the documents have no word.

    Of words side by side the documents decide which are the term; not of what the question quotes.
    """
    scanner, scope, term = context.services.scanner, context.scope, wish.term or ""
    request = ScanRequest(term=term, languages=(understanding.language,), limit=MOST_PLACES)
    known: str | None = term
    if not wish.quoted:
        known = next(filter(None, _terms(wish, request, context)), None)
    request = request.model_copy(update={"term": known or term})
    question = understanding.question
    return scanner.scan_question(question, request, scope=scope), known


def _terms(wish: ScanWish, request: ScanRequest, context: Context) -> Iterator[str | None]:
    """What the documents have of the words at the term's side with it, and of the term."""
    for words, core in ((wish.wide, wish.term), (wish.term, wish.core)):
        if words and core is not None:
            asked = request.model_copy(update={"term": words})
            scanner = context.services.scanner
            yield scanner.longest_known_run(asked, core=core, scope=context.scope)


def counted_beside(understanding: Understanding, context: Context) -> Coverage | None:
    """Where a term stands that a question may be about, for an answer that a search gave."""
    wish = understanding.scan
    if wish is None or wish.sure or wish.term is None:
        return None
    result, term = _scanned(understanding, wish, context)
    coverage = None if term is None else reply_of(result, wish, understanding).coverage
    if coverage is None or not result.occurrences.any:
        return None
    told = scan_words.statement(understanding.language, result, wish.unit)
    return coverage.model_copy(update={"whole": False, "statement": told})


def _asking(result: ScanResult, wish: ScanWish, understanding: Understanding) -> Reply:
    """What was looked for in vain: the word may have been taken wrongly from the question."""
    found = reply_of(result, wish, understanding)
    coverage = found.coverage and found.coverage.model_copy(update={"statement": None})
    opening = say(understanding.language, "unknown_term", result.term)
    return found.model_copy(update={"opening": opening, "coverage": coverage})


def reply_of(result: ScanResult, wish: ScanWish, understanding: Understanding) -> Reply:
    """What a scan found, in words, with every place as its proof."""
    language, whole = understanding.language, wish.unit == "document"
    left_out = result.hits_left_out
    kinds = [hit.kind for hit in result.hits]
    return Reply(
        opening=scan_words.statement(language, result, wish.unit),
        sentences=tuple(map(verbatim, result.hits)),
        closing=say(language, "left_out", left_out) if left_out else "",
        listed=True,
        notes=tuple("" if each == "exact" else say(language, each) for each in kinds),
        coverage=Coverage(
            whole=True,
            unit="document" if whole else "section",
            matched=(result.documents if whole else result.sections).exact,
            total=result.documents_searched if whole else result.sections_searched,
            statement=scan_words.share(language, result, wish.unit),
            occurrences=result.occurrences.exact,
            inflections=result.occurrences.inflection,
            compounds=result.occurrences.compound,
        ),
    )


@timed("catalog")
async def answer_from_catalog(state: AskState, step: Step) -> Update:
    """How many documents there are, which, how long, from when: the catalog knows exactly."""
    understanding, context = state["understanding"], step.context
    facts = await asyncio.to_thread(
        corpus_facts, context.catalog, context.scope, understanding.question
    )
    coverage = Coverage(whole=True, unit="document", matched=facts.documents, total=facts.documents)
    text = scan_words.facts(understanding.language, facts)
    return {"reply": Reply(opening=text, coverage=coverage)}
