"""What a run takes for granted, so that a person can say otherwise before there is a plan.

An assumption is what would change the search if it were false: which reading of a name, which
documents.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from agent.context import Context
from agent.models import QueryAnalysis
from agent.prompts import say
from agent.sources import short_name
from services.domain import Language
from services.ingestion.references import detect_references
from services.language.text import stems

MOST_NAMED: Final = 4
"""Documents that one assumption names."""
NAMING: Final = 0.5
"""Share of the words of an assumption, or of what a person says, from which on it is meant."""
NUMBERED: Final = re.compile(r"\s*A(?P<number>\d{1,2})\s*[:.)]\s*(?P<text>.*\S)\s*")


def assumptions(analysis: QueryAnalysis, language: Language, context: Context) -> tuple[str, ...]:
    """What code can tell of it, in the language of the question."""
    stated = _readings(analysis.original_query, language, context)
    names = () if context.documents else context.collections
    searched = [say(language, "assumed_collections", ", ".join(names))] if len(names) > 1 else []
    return tuple(dict.fromkeys([*stated, *searched]))


def corrected(
    analysis: QueryAnalysis, said: str, language: Language
) -> tuple[tuple[str, ...], str]:
    """The assumptions after what a person said, and that without the numbers of assumptions.

    A line that begins with ``A1:`` takes the place of the first one, any other line that of those
    that it speaks of.
    """
    assumed, remarks = list(analysis.assumed_context), []
    question = set(stems(analysis.original_query, language))
    for line in filter(None, map(str.strip, said.splitlines())):
        match = NUMBERED.fullmatch(line)
        number = int(match["number"]) - 1 if match else -1
        if match and 0 <= number < len(assumed):
            line = match["text"]
            meant = [number]
        else:
            words = set(stems(line, language)) - question
            meant = [
                n
                for n, text in enumerate(assumed)
                if _speaks_of(words, set(stems(text, language)) - question)
            ]
        for n in meant:
            assumed[n] = line
        remarks.append(line)
    return tuple(dict.fromkeys(assumed)), " ".join(remarks)


def _speaks_of(words: set[str], assumption: set[str]) -> bool:
    shared = len(words & assumption)
    return shared > 0 and shared >= NAMING * min(len(words), len(assumption))


def _readings(question: str, language: Language, context: Context) -> Iterator[str]:
    """Sections and documents that the question names and that may be several."""
    for reference in detect_references(question):
        if reference.document:
            reason = context.registry.resolve(reference, from_document_id="").reason
            files = str(reason.fields.get("files", "")) if reason else ""
            if files:
                yield say(language, "assumed_reading", reference.document, files)
        elif reference.label:
            label = reference.label
            documents = context.catalog.documents.with_section(label, context.scope)
            if len(documents) > 1:
                names = _names(documents, context)
                yield say(language, "assumed_reading", label, names)


def _names(documents: Sequence[str], context: Context) -> str:
    infos = (context.catalog.documents.info(each) for each in documents[:MOST_NAMED])
    names = [short_name(info.document_id, info.document, context) for info in infos]
    return ", ".join([*names, *(["…"] if len(documents) > MOST_NAMED else [])])
