"""What is said of a scan and of the corpus itself. No model reads this."""

from typing import Final

from agent.prompts import say
from services.domain import Language
from services.models.output import language_name
from services.retrieval.scan.facts import CorpusFacts
from services.retrieval.scan.values import ScanResult

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
    if not sections.inflection and not sections.compound:
        return first
    counts = sections.inflection, times.inflection, sections.compound, times.compound
    return f"{first} {say(language, 'not_counted', *counts, **_sections(result))}"


def facts(language: Language, known: CorpusFacts) -> str:
    """What a question about the documents asks for, the rest left unsaid."""
    names = ", ".join(f"{each.name} ({each.documents})" for each in known.collections)
    parts = [say(language, "documents", known.documents, len(known.collections), names)]
    for topic in known.topics:
        match topic:
            case "pages":
                parts.append(say(language, "pages", known.pages, known.without_pages))
            case "sections":
                parts.append(say(language, "sections", known.sections))
            case "languages":
                parts.append(say(language, "languages", _languages(language, known)))
            case "dates" if known.earliest and known.latest:
                dated = (f"{each.title} ({each.date})" for each in (known.earliest, known.latest))
                parts.append(say(language, "dates", *dated))
            case "newest" if known.newest:
                day = known.newest.ingested_at[:10]
                parts.append(say(language, "newest", known.newest.document, day))
    if "titles" in known.topics:
        parts.append(_titles(known))
    return "\n\n".join(dict.fromkeys(parts))


def _languages(language: Language, known: CorpusFacts) -> str:
    return ", ".join(
        f"{code if language != 'en' else language_name(code)}: {number}"
        for code, number in known.languages
    )


def _titles(known: CorpusFacts) -> str:
    shown = [f"- {each.document}: {each.title}" for each in known.listed[:MOST_TITLES]]
    more = len(known.listed) - len(shown) + known.left_out
    return "\n".join([*shown, *([f"… +{more}"] if more else [])])
