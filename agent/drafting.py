"""From quotes to cited sentences, and how sentences are shown to models and people."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from agent.context import Context
from agent.prompts import PassageText, say
from agent.sources import header
from services.domain import Citation, CitedSentence, EvidenceSentence, Language, Standing
from services.export.layout import case_of
from services.models.base import ChatModel
from services.retrieval.context import location_line


def prompted(
    found: Sequence[EvidenceSentence], language: Language, context: Context
) -> list[PassageText]:
    """Sentences with their cases and places, as prompts show them."""
    return [PassageText(place=header(each, language, context), text=each.whole) for each in found]


def fitting(
    passages: Sequence[PassageText], tokens: int, model: ChatModel, *, least: int = 0
) -> int:
    """How many of the passages have room, from the first on; ``least`` of them always.

    What stands under the same place needs its header once.
    """
    places: set[str] = set()
    for count, each in enumerate(passages):
        lines = [each.text] if each.place in places else [location_line(each.place), each.text]
        tokens -= sum(model.count_tokens(line) + 1 for line in lines)
        if tokens < 0 and count >= least:
            return count
        places.add(each.place)
    return len(passages)


def verbatim(evidence: Citation) -> CitedSentence:
    """A sentence of a document; its text is the catalog's own, so that it is verified."""
    return CitedSentence(
        text=evidence.quote,
        supported=True,
        standing="quote",
        citations=(evidence.bare(),),
    )


def standings_of(sentences: Iterable[CitedSentence]) -> dict[Standing, int]:
    """How many sentences have each standing."""
    return dict(Counter(sentence.standing for sentence in sentences))


def unproven(sentence: CitedSentence, language: Language) -> str:
    """The mark of a sentence that is cited and no proof, or for which no place was found."""
    match sentence.standing:
        case "contradicts":
            return say(language, "contradicted")
        case "loose" if sentence.citations:
            return say(language, "not_shown")
    return say(language, "no_support")


def with_case(sentence: CitedSentence) -> str:
    """The sentence; before a quote, for whom or when it holds."""
    text = " ".join(sentence.text.split())
    cases = [case_of(each) for each in sentence.citations if each.quote == sentence.text]
    return f"{cases[0]} »{text}«" if any(cases[:1]) else text


def paragraphs(
    lines: Iterable[tuple[str, CitedSentence]], marks: Callable[[CitedSentence], str]
) -> list[str]:
    """Sentences under their headings ("" for none) as Markdown, each with its marks behind it.

    A heading stands once before what is under it, prose behind prose, a quote as a block quote.
    """
    parts: list[str] = []
    above, running = "", False
    for heading, sentence in lines:
        if heading and heading != above:
            parts.append(f"## {' '.join(heading.split())}")
            running = False
        above = heading
        text = f"{with_case(sentence)} {marks(sentence)}"
        if sentence.quoted:
            parts.append(f"> {text}")
        elif running:
            parts[-1] = f"{parts[-1]} {text}"
        else:
            parts.append(text)
        running = not sentence.quoted
    return parts
