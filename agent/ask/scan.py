"""Questions that only all of the corpus can answer, and those about the corpus itself."""

import asyncio
from collections.abc import Iterator
from typing import Final

from agent.ask.models import Coverage, Reply
from agent.ask.state import AskState
from agent.context import Context
from agent.prompts import say
from agent.sentences import verbatim
from agent.step import Step, Update, timed
from services.domain import Language
from services.language.query.values import CountRequest, Understanding
from services.models.output import language_name
from services.retrieval.scan.facts import CorpusFacts, corpus_facts
from services.retrieval.scan.scanner import ScanRequest, ScanResult

MAX_LOCATIONS = 100
MOST_TITLES: Final = 30


@timed("scan")
async def scan_corpus(state: AskState, step: Step) -> Update:
    """Read all texts for a word: an exact count, and the locations."""
    understanding, context = state["understanding"], step.context
    count = understanding.scan
    if count is None or count.term is None:
        raise ValueError("a scan needs a term; routing sends other questions to the search")
    result, term = await asyncio.to_thread(_scan, understanding, count, context)
    if result.missing:
        key = "unknown_documents" if result.named else "unknown_documents_all"
        names = ", ".join(result.missing), ", ".join(result.named)
        step.warn(say(understanding.language, key, *names))
    reply = _reply(result, count, understanding)
    if term is None:  # it may have been taken wrongly from the question
        coverage = reply.coverage and reply.coverage.model_copy(update={"statement": None})
        opening = say(understanding.language, "unknown_term", result.term)
        return {"reply": reply.model_copy(update={"opening": opening, "coverage": coverage})}
    if not set(count.term.split()) <= set(term.split()):
        instead = say(understanding.language, "counted_instead", count.term, result.term)
        reply = reply.model_copy(update={"opening": f"{instead} {reply.opening}"})
    return {"reply": reply}


def _scan(
    understanding: Understanding, count: CountRequest, context: Context
) -> tuple[ScanResult, str | None]:
    """Return the result of a scan and its term; None if the documents have no word of it."""
    scanner, scope, words = context.services.scanner, context.scope, count.term or ""
    languages = (understanding.language,)
    request = ScanRequest(term=words, languages=languages, limit=MAX_LOCATIONS)
    term: str | None = words
    if not count.quoted:
        term = next(filter(None, _terms(count, request, context)), None)
    request = request.model_copy(update={"term": term or words})
    question = understanding.question
    return scanner.scan_question(question, request, scope=scope), term


def _terms(count: CountRequest, request: ScanRequest, context: Context) -> Iterator[str | None]:
    """Yield the term as the documents have it, with the words beside it and alone."""
    for words, core in ((count.wide, count.term), (count.term, count.core)):
        if words and core is not None:
            wide = request.model_copy(update={"term": words})
            scanner = context.services.scanner
            yield scanner.longest_known_run(wide, core=core, scope=context.scope)


def count_for_search(understanding: Understanding, context: Context) -> Coverage | None:
    """Count the term of a question that may ask for a count, for an answer from a search."""
    count = understanding.scan
    if count is None or count.sure or count.term is None:
        return None
    result, term = _scan(understanding, count, context)
    coverage = None if term is None else _reply(result, count, understanding).coverage
    if coverage is None or not result.occurrences.any:
        return None
    text = statement(understanding.language, result, count.unit)
    return coverage.model_copy(update={"whole": False, "statement": text})


def _reply(result: ScanResult, count: CountRequest, understanding: Understanding) -> Reply:
    language, by_document = understanding.language, count.unit == "document"
    left_out = result.hits_left_out
    kinds = [match.kind for match in result.hits]
    return Reply(
        opening=statement(language, result, count.unit),
        sentences=tuple(map(verbatim, result.hits)),
        closing=say(language, "left_out", left_out) if left_out else "",
        listed=True,
        notes=tuple("" if kind == "exact" else say(language, kind) for kind in kinds),
        coverage=Coverage(
            whole=True,
            unit="document" if by_document else "section",
            matched=(result.documents if by_document else result.sections).exact,
            total=result.documents_searched if by_document else result.sections_searched,
            statement=share(language, result, count.unit),
            occurrences=result.occurrences.exact,
            inflections=result.occurrences.inflection,
            compounds=result.occurrences.compound,
        ),
    )


@timed("catalog")
async def answer_from_catalog(state: AskState, step: Step) -> Update:
    """Answer from the catalog how many documents there are, which, how long, from when."""
    understanding, context = state["understanding"], step.context
    corpus = await asyncio.to_thread(
        corpus_facts, context.catalog, context.scope, understanding.question
    )
    coverage = Coverage(
        whole=True, unit="document", matched=corpus.documents, total=corpus.documents
    )
    text = facts(understanding.language, corpus)
    return {"reply": Reply(opening=text, coverage=coverage)}


def _section_words(result: ScanResult) -> dict[str, str]:
    """Return the German words for one section of these documents, and for many."""
    if result.labels == "§":
        return {"one": "Paragraphen", "many": "Paragraphen"}
    return {"one": "Abschnitt", "many": "Abschnitten"}


def share(language: Language, result: ScanResult, unit: str) -> str:
    """Return the share with the term: ``34 of 586 sections``."""
    if unit == "document":
        return say(language, "share_document", result.documents.exact, result.documents_searched)
    n, total = result.sections.exact, result.sections_searched
    return say(language, "share_section", n, total, **_section_words(result))


def statement(language: Language, result: ScanResult, unit: str) -> str:
    """Say how often the term itself occurs, and apart from that its forms and compounds."""
    times, sections = result.occurrences, result.sections
    where = share(language, result, unit)
    first = say(language, "occurs", result.term, where, times.exact)
    others = {
        "forms": (sections.inflection, times.inflection),
        "compounds": (sections.compound, times.compound),
    }
    texts = [
        say(language, key, *n, **_section_words(result)) for key, n in others.items() if any(n)
    ]
    return f"{first} {say(language, 'not_counted', '; '.join(texts))}" if texts else first


def facts(language: Language, corpus: CorpusFacts) -> str:
    """Return the facts about the documents that a question asks for."""
    names = ", ".join(f"{c.name} ({c.documents})" for c in corpus.collections)
    texts = [say(language, "documents", corpus.documents, len(corpus.collections), names)]
    for topic in corpus.topics:
        match topic:
            case "pages":
                texts.append(say(language, "pages", corpus.pages, corpus.without_pages))
            case "sections":
                texts.append(say(language, "sections", corpus.sections))
            case "languages":
                texts.append(say(language, "languages", _languages(language, corpus)))
            case "dates" if corpus.earliest and corpus.latest:
                dated = (f"{info.title} ({info.date})" for info in (corpus.earliest, corpus.latest))
                texts.append(say(language, "dates", *dated))
            case "newest" if corpus.newest:
                day = corpus.newest.ingested_at[:10]
                texts.append(say(language, "newest", corpus.newest.document, day))
    if "titles" in corpus.topics:
        texts.append(_titles(corpus))
    return "\n\n".join(dict.fromkeys(texts))


def _languages(language: Language, corpus: CorpusFacts) -> str:
    return ", ".join(
        f"{code if language != 'en' else language_name(code)}: {number}"
        for code, number in corpus.languages
    )


def _titles(corpus: CorpusFacts) -> str:
    lines = [f"- {info.document}: {info.title}" for info in corpus.listed[:MOST_TITLES]]
    more = len(corpus.listed) - len(lines)
    return "\n".join([*lines, *([f"… +{more}"] if more else [])])
