"""What a question asks for, and what a run assumes of it, by code alone.

An assumption would change the search if it were false: which reading of a name, which documents.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from agent.context import Context
from agent.models import QueryAnalysis, QueryAnchor
from agent.prompts import say
from agent.sources import short_name
from services.domain import Language
from services.language.query.heads import QuestionReader
from services.language.query.understand import subquestions
from services.language.text.words import keyphrases, stems
from services.references import detect_references

MAX_NAMES: Final = 4
"""Documents that one assumption names."""
MIN_SHARED: Final = 0.5
"""Share of the words of an assumption, or of a person's line, from which the line is about it."""
NUMBERED: Final = re.compile(r"\s*A(?P<number>\d{1,2})\s*[:.)]\s*(?P<text>.*\S)\s*")


def analyse(
    query: str,
    language: Language,
    collections: tuple[str, ...],
    reader: QuestionReader | None = None,
) -> QueryAnalysis:
    """Return what a question names, and the questions that it lists."""
    concepts = keyphrases(query, language, limit=5)
    labels = [reference.target for reference in detect_references(query)]
    facets = subquestions(query, language, reader)
    return QueryAnalysis(
        original_query=query,
        entities=tuple(dict.fromkeys([*labels, *concepts])),
        scope=", ".join(collections),
        facets=tuple(facet.strip(" ,;?!.") or facet for facet in facets),
    )


def make_anchor(analysis: QueryAnalysis, language: str) -> QueryAnchor:
    """Return the question as it was meant, fixed for the rest of the run."""
    return QueryAnchor(
        original_query=analysis.original_query,
        detected_language=language,
        key_entities=analysis.entities,
        scope=analysis.scope,
        hitl_refinements=analysis.hitl_refinements,
        assumed_context=analysis.assumed_context,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def assumptions(analysis: QueryAnalysis, language: Language, context: Context) -> tuple[str, ...]:
    """Return the assumptions that code can name, in the language of the question."""
    ambiguous = _ambiguous_names(analysis.original_query, language, context)
    names = () if context.documents else context.collections
    searched = [say(language, "assumed_collections", ", ".join(names))] if len(names) > 1 else []
    return tuple(dict.fromkeys([*ambiguous, *searched]))


def _ambiguous_names(question: str, language: Language, context: Context) -> Iterator[str]:
    for reference in detect_references(question):
        if reference.document:
            reason = context.registry.resolve(reference, from_document_id="").reason
            files = str(reason.fields.get("files", "")) if reason else ""
            if files:
                yield say(language, "assumed_reading", reference.document, files)
        elif reference.label:
            documents = context.catalog.documents.with_section(reference.label, context.scope)
            if len(documents) > 1:
                infos = map(context.catalog.documents.info, documents[:MAX_NAMES])
                names = [short_name(info.document_id, info.document, context) for info in infos]
                more = ["…"] if len(documents) > MAX_NAMES else []
                yield say(language, "assumed_reading", reference.label, ", ".join([*names, *more]))


def correct_assumptions(
    analysis: QueryAnalysis, comment: str, language: Language
) -> tuple[tuple[str, ...], str]:
    """Return the assumptions after a person's comment, and the comment without their numbers.

    A line that begins with ``A1:`` replaces the first assumption, any other those that it is about.
    """
    assumed, remarks = list(analysis.assumed_context), []
    question = set(stems(analysis.original_query, language))
    for line in filter(None, map(str.strip, comment.splitlines())):
        match = NUMBERED.fullmatch(line)
        number = int(match["number"]) - 1 if match else -1
        if match and 0 <= number < len(assumed):
            line = match["text"]
            replaced = [number]
        else:
            words = set(stems(line, language)) - question
            replaced = [
                n
                for n, text in enumerate(assumed)
                if _is_about(words, set(stems(text, language)) - question)
            ]
        for n in replaced:
            assumed[n] = line
        remarks.append(line)
    return tuple(dict.fromkeys(assumed)), " ".join(remarks)


def _is_about(words: set[str], assumption: set[str]) -> bool:
    shared = len(words & assumption)
    return shared > 0 and shared >= MIN_SHARED * min(len(words), len(assumption))
