"""Texts about a scan and about the corpus itself. No model reads them."""

from typing import Final

from agent.prompts import say
from services.domain import Language
from services.models.output import language_name
from services.retrieval.scan.facts import CorpusFacts
from services.retrieval.scan.scanner import ScanResult

MOST_TITLES: Final = 30


def _sections(result: ScanResult) -> dict[str, str]:
    """Return the German words for one section of these documents, and for many."""
    if result.labels == "§":
        return {"one": "Paragraphen", "many": "Paragraphen"}
    return {"one": "Abschnitt", "many": "Abschnitten"}


def share(language: Language, result: ScanResult, unit: str) -> str:
    """Return the share with the term: ``34 of 586 sections``."""
    if unit == "document":
        return say(language, "share_document", result.documents.exact, result.documents_searched)
    n, total = result.sections.exact, result.sections_searched
    return say(language, "share_section", n, total, **_sections(result))


def statement(language: Language, result: ScanResult, unit: str) -> str:
    """Say how often the term itself occurs, and apart from that its forms and compounds."""
    times, sections = result.occurrences, result.sections
    where = share(language, result, unit)
    first = say(language, "occurs", result.term, where, times.exact)
    others = {
        "forms": (sections.inflection, times.inflection),
        "compounds": (sections.compound, times.compound),
    }
    texts = [say(language, key, *n, **_sections(result)) for key, n in others.items() if any(n)]
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
    more = len(corpus.listed) - len(lines) + corpus.left_out
    return "\n".join([*lines, *([f"… +{more}"] if more else [])])
