"""Prove: each quote of a claim stands in its section, and each number and label of it somewhere.

Code decides this, and no model is asked. What it lets through is verified by reading
(`agent.reading.reader`).
"""

from collections.abc import Sequence
from typing import Literal

from agent.prompts.reading import DraftClaim, Verdict
from agent.reading.quotes import QuotedText
from agent.reading.sections import Section
from agent.reading.values import Quote
from services.domain import Language, Value
from services.evidence.grounding import ungrounded_labels, ungrounded_numbers

Fault = Literal["", "quote", "number", "label", "missing", "unread"]
"""Why a claim is no proof: its quote stands nowhere; a number or a label of it does not; its
sections do not say all of it; or nobody could verify it."""


class Claim(Value):
    """A sentence of an answer with the words that it rests on.

    ``words`` are those of the claim that nothing proves, where it has a ``fault``, and ``better``
    is what a reading made of it; ``made_of`` are the claims that the sentence was written over.
    """

    text: str
    quotes: tuple[Quote, ...] = ()
    fault: Fault = ""
    words: str = ""
    better: str = ""
    made_of: tuple[str, ...] = ()

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

    def verified(self, found: Verdict | None) -> "Claim":
        """The claim as its verification leaves it; None where nobody could verify it.

        What code found stays, whatever a reading says.
        """
        better = found.better if found else ""
        if self.fault:
            return self.model_copy(update={"better": better})
        words = found.missing if found else ""
        fault: Fault = "unread" if found is None else "missing" if words else ""
        if words and found and found.why:
            words = f"{words} ({found.why})"
        return self.model_copy(update={"fault": fault, "words": words, "better": better})


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
    if words := ungrounded_numbers(claim.text, question, read, language):
        return claim.model_copy(update={"fault": "number", "words": ", ".join(words)})
    if words := ungrounded_labels(claim.text, question, read):
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
