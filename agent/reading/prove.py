"""Prove: each quote of a claim stands in its section, and each number and label of it somewhere.

Code decides this, and no model is asked. What it lets through is verified by reading
(`agent.reading.reader`).
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from agent.models import Quote
from agent.prompts.reading import DraftClaim
from agent.reading.arithmetic import uncalculated
from agent.reading.quotes import QuotedText
from agent.reading.sections import Section
from services.domain import Language, Value
from services.evidence.matching import mentions, other_names
from services.language.quantities import Quantity, agreement, quantities

Fault = Literal["", "quote", "number", "label", "missing", "unread"]
"""Why a claim is no proof: its quote stands nowhere; a number or a label of it does not; its
sections do not say all of it; or nobody could verify it."""

STATED: Final = ("full", "weak", "bound")
"""How a number may agree with one of a source; whether a limit is meant is left to the reading."""


class Claim(Value):
    """A sentence of an answer with the words that it rests on.

    ``words`` are those of the claim that nothing proves, where it has a ``fault``.
    """

    text: str
    quotes: tuple[Quote, ...] = ()
    fault: Fault = ""
    words: str = ""

    @property
    def sections(self) -> tuple[int, ...]:
        """The places of its sections in the list that was read, each once."""
        return tuple(dict.fromkeys(quote.section for quote in self.quotes))

    def moved(self, places: Sequence[int]) -> "Claim":
        """The claim where the sections that it was made from have these places."""
        quotes = (
            quote.model_copy(update={"section": places[quote.section]}) for quote in self.quotes
        )
        return self.model_copy(update={"quotes": tuple(quotes)})

    def verified(self, missing: str | None) -> "Claim":
        """The claim as its verification leaves it, which found these words ``missing``.

        None where nobody could verify it.
        """
        fault: Fault = "unread" if missing is None else "missing" if missing else ""
        return self.model_copy(update={"fault": fault, "words": missing or ""})


def proven(
    draft: DraftClaim, sections: Sequence[Section], question: str, language: Language
) -> Claim:
    """A claim of a model, with the places of its quotes and what of it is not proven."""
    quotes: list[Quote] = []
    for source in draft.sources:
        found = _quotes(source.passage, source.quote, sections)
        if not found:
            return Claim(text=draft.text, quotes=(*quotes,), fault="quote", words=source.quote)
        quotes += found
    claim = Claim(text=draft.text, quotes=tuple(dict.fromkeys(quotes)))
    return checked(claim, sections, question, language)


def checked(claim: Claim, sections: Sequence[Section], question: str, language: Language) -> Claim:
    """A claim with its quotes, and what of it neither its sections nor the question state."""
    if not claim.quotes:
        return claim.model_copy(update={"fault": "quote"})
    read = [sections[number] for number in claim.sections]
    if words := unstated_numbers(claim.text, question, read, language):
        return claim.model_copy(update={"fault": "number", "words": ", ".join(words)})
    if words := unstated_labels(claim.text, question, read):
        return claim.model_copy(update={"fault": "label", "words": ", ".join(words)})
    return claim


def _quotes(number: int, quote: str, sections: Sequence[Section]) -> list[Quote]:
    """Where a quote stands in the section of that number, counted from 1."""
    if not 1 <= number <= len(sections):
        return []
    section = sections[number - 1]
    return [
        Quote(
            section=number - 1,
            document_id=section.document_id,
            start=section.offset(start),
            end=section.offset(end),
            text=section.text[start:end],
        )
        for start, end in QuotedText(section.text, section.language).find(quote)
    ]


def unstated_numbers(
    text: str, question: str, sections: Sequence[Section], language: Language
) -> tuple[str, ...]:
    """Numbers of a claim that neither its sections nor the question state, as written.

    A number that follows from others of the claim (`uncalculated`) is stated if these are.
    """
    claimed = [one for one in quantities(text, language) if _says_something(one, text)]
    source = "\n".join((question, *(f"{each.headings}\n{each.text}" for each in sections)))
    stated = [*quantities(question, language)]
    for each in sections:
        for part in (each.headings, each.text):
            stated += quantities(part, each.language)
    missing = [one for one in claimed if not _is_stated(one, stated, source)]
    operands = [one for one in claimed if one not in missing]
    unstated = [one.text for one in uncalculated(missing, operands)]
    return (*unstated, *other_names(text, source, language))


def _says_something(number: Quantity, text: str) -> bool:
    """Whether a number is neither an article nor the minutes of a full hour (``20:00``)."""
    full_hour = number.number == 0 and text[: number.start].endswith(":")
    return not full_hour and (number.unit is not None or not number.article)


def _is_stated(claimed: Quantity, stated: Sequence[Quantity], source: str) -> bool:
    """Whether a number stands there, with the same unit where both have one.

    One that is part of a name there ("lift 4") states no amount and stands there all the same.
    """
    if agreement(claimed, stated) in STATED:
        return True
    same = [each for each in stated if each.number == claimed.number]
    if not same:
        return re.search(rf"(?<![\w.,]){re.escape(claimed.text)}(?![\w.,]*\d)", source) is not None
    return any(claimed.unit is None or each.unit is None for each in same)


def unstated_labels(text: str, question: str, sections: Iterable[Section]) -> tuple[str, ...]:
    """Labels of sections that a claim names, and neither its sections nor the question do."""
    source = [question]
    for each in sections:
        source += (each.label, each.headings, each.text)
    known = {mention.label for mention in mentions("\n".join(source))}
    known |= {each.label for each in sections}
    return tuple(dict.fromkeys(each.label for each in mentions(text) if each.label not in known))
