"""What is said of a scan and of the corpus itself. No model reads this."""

from typing import Final

from agent.prompts import say
from services.domain import Language
from services.models.output import language_name
from services.retrieval.scan.facts import CorpusFacts
from services.retrieval.scan.scanner import ScanResult

MOST_TITLES: Final = 30


def _sections(result: ScanResult) -> dict[str, str]:
    """What German calls one section of these documents, and many."""
    if result.labels == "§":
        return {"one": "Paragraphen", "many": "Paragraphen"}
    return {"one": "Abschnitt", "many": "Abschnitten"}


def share(language: Language, result: ScanResult, unit: str) -> str:
    """``34 of 586 sections``."""
    if unit == "document":
        return say(language, "share_document", result.documents.exact, result.documents_searched)
    n, total = result.sections.exact, result.sections_searched
    return say(language, "share_section", n, total, **_sections(result))


def statement(language: Language, result: ScanResult, unit: str) -> str:
    """In how many places the word itself stands, and apart from these its forms and compounds."""
    times, sections = result.occurrences, result.sections
    where = share(language, result, unit)
    first = say(language, "occurs", result.term, where, times.exact)
    others = {
        "forms": (sections.inflection, times.inflection),
        "compounds": (sections.compound, times.compound),
    }
    said = [say(language, key, *n, **_sections(result)) for key, n in others.items() if any(n)]
    return f"{first} {say(language, 'not_counted', '; '.join(said))}" if said else first


def facts(language: Language, corpus: CorpusFacts) -> str:
    """What a question about the documents asks for, the rest left unsaid."""
    names = ", ".join(f"{each.name} ({each.documents})" for each in corpus.collections)
    parts = [say(language, "documents", corpus.documents, len(corpus.collections), names)]
    for topic in corpus.topics:
        match topic:
            case "pages":
                parts.append(say(language, "pages", corpus.pages, corpus.without_pages))
            case "sections":
                parts.append(say(language, "sections", corpus.sections))
            case "languages":
                parts.append(say(language, "languages", _languages(language, corpus)))
            case "dates" if corpus.earliest and corpus.latest:
                dated = (f"{each.title} ({each.date})" for each in (corpus.earliest, corpus.latest))
                parts.append(say(language, "dates", *dated))
            case "newest" if corpus.newest:
                day = corpus.newest.ingested_at[:10]
                parts.append(say(language, "newest", corpus.newest.document, day))
    if "titles" in corpus.topics:
        parts.append(_titles(corpus))
    return "\n\n".join(dict.fromkeys(parts))


def _languages(language: Language, corpus: CorpusFacts) -> str:
    return ", ".join(
        f"{code if language != 'en' else language_name(code)}: {number}"
        for code, number in corpus.languages
    )


def _titles(corpus: CorpusFacts) -> str:
    shown = [f"- {each.document}: {each.title}" for each in corpus.listed[:MOST_TITLES]]
    more = len(corpus.listed) - len(shown) + corpus.left_out
    return "\n".join([*shown, *([f"… +{more}"] if more else [])])
