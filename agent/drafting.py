"""From model prose and quotes to cited sentences: what each rests on, and how it is shown."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from agent.context import Context
from agent.models import RunOptions
from agent.prompts import PassageText, say
from agent.sources import header
from services.domain import (
    PROOF,
    Citation,
    CitedSentence,
    EvidenceSentence,
    Judged,
    Language,
    Standing,
)
from services.evidence.judge import Judge
from services.export.layout import case_of
from services.language.text import addresses, normalise, sentences
from services.models.base import ChatModel
from services.retrieval.context import place_line, without_place


def prompted(
    found: Sequence[EvidenceSentence], language: Language, context: Context
) -> list[PassageText]:
    """Sentences with their cases and places, as prompts show them."""
    return [PassageText(place=header(each, language, context), text=each.whole) for each in found]


def readable(
    found: Sequence[EvidenceSentence], language: Language, context: Context, options: RunOptions
) -> list[PassageText]:
    """The sentences, from the first on, that a model may be given in one prompt; none is cut.

    Without a model or a bound these are all.
    """
    passages, model = prompted(found, language, context), context.tasks.model
    if model is None or options.max_tokens is None:
        return passages
    return passages[: fitting(passages, options.max_tokens, model)]


def fitting(
    passages: Sequence[PassageText], tokens: int, model: ChatModel, *, least: int = 0
) -> int:
    """How many of the passages have room, from the first on; ``least`` of them always.

    What stands under the same place needs its header once.
    """
    places: set[str] = set()
    for count, each in enumerate(passages):
        lines = [each.text] if each.place in places else [place_line(each.place), each.text]
        tokens -= sum(model.count_tokens(line) + 1 for line in lines)
        if tokens < 0 and count >= least:
            return count
        places.add(each.place)
    return len(passages)


class CheckedProse(NamedTuple):
    """Sentences of a model's prose with their standing; apart those that evidence contradicts.

    ``nearly`` are the texts of those that are proof once a reader finds them in their places.
    """

    kept: list[CitedSentence]
    left_out: list[str]
    nearly: frozenset[str] = frozenset()

    @property
    def proven(self) -> list[CitedSentence]:
        return [sentence for sentence in self.kept if sentence.supported]

    @property
    def loose(self) -> list[CitedSentence]:
        return [sentence for sentence in self.kept if not sentence.supported]


def places_of(
    pool: Iterable[EvidenceSentence], language: Language, context: Context
) -> tuple[str, ...]:
    """The places of sentences as prompts show them, each once."""
    first = {(each.chunk_id, each.page, each.section): each for each in pool}
    return tuple(dict.fromkeys(header(each, language, context) for each in first.values()))


def checked_prose(
    prose: str,
    pool: Sequence[EvidenceSentence],
    language: Language,
    judge: Judge,
    places: Sequence[str] = (),
    question: str = "",
) -> CheckedProse:
    """What each sentence of the prose is worth beside the evidence.

    ``places`` are those under which the evidence was shown: they are no words of a sentence. What
    a document has a model write is no proof: a sentence that does not speak to the ``question``,
    where there is one, or that has an address which nobody asked for.
    """
    bare = (without_place(prose[start:end].strip(), places) for start, end in sentences(prose))
    texts = [text for text in bare if normalise(text)]
    kept: list[CitedSentence] = []
    left_out: list[str] = []
    nearly: set[str] = set()
    for text, judged in zip(texts, judge.claims(texts, pool, language), strict=True):
        if judged.nearly or judged.standing in PROOF:
            if told := _told(text, judged, question, judge, language):
                judged = judged.model_copy(update={"standing": "loose", "reason": told})
            elif judged.nearly:
                nearly.add(text)
        reason = reason_of(judged, language)
        if judged.standing == "contradicts":
            left_out.append(f"{text} ({reason})")
            continue
        cited = judged.evidence if judged.standing != "none" else ()
        kept.append(
            CitedSentence(
                text=text,
                supported=False,
                standing=judged.standing,
                reason=reason,
                decisive=judged.words,
                citations=tuple(each.bare() for each in cited),
            )
        )
    return CheckedProse(kept, left_out, frozenset(nearly))


def _told(text: str, judged: Judged, question: str, judge: Judge, language: Language) -> str:
    """Why a sentence that evidence says is none of the answer, "" where it is."""
    if addresses(text) - addresses(question):
        return "address"
    asked = not question or judge.speaks_to(question, judged, text, language)
    return "" if asked else "not asked"


def verbatim(evidence: Citation) -> CitedSentence:
    """A sentence of a document; its text is the catalog's own, so that it is verified."""
    return CitedSentence(
        text=evidence.quote,
        supported=True,
        standing="quote",
        citations=(evidence.bare(),),
    )


def quoted(evidence: EvidenceSentence, context: Context) -> CitedSentence:
    """A quote as a sentence of the answer, verified against the document's text."""
    spans = [(evidence.start, evidence.end, evidence.quote)]
    if evidence.case:
        spans.append((evidence.case.start, evidence.case.end, evidence.case.text))
    slices = context.catalog.documents.text_slice
    if all(
        normalise(slices(evidence.document_id, start, end)) == normalise(text)
        for start, end, text in spans
    ):
        return verbatim(evidence)
    citations = (evidence.bare().model_copy(update={"verified": False}),)
    return CitedSentence(
        text=evidence.quote, supported=False, standing="loose", citations=citations
    )


def carried(evidence: EvidenceSentence, sentences: Iterable[CitedSentence]) -> bool:
    """Whether one of the sentences is proven by this quote already, or says it."""
    return any(
        sentence.text == evidence.quote
        or any(citation.overlaps(evidence) for citation in sentence.citations)
        for sentence in sentences
        if sentence.supported
    )


def standings_of(sentences: Iterable[CitedSentence]) -> dict[Standing, int]:
    """How many sentences have each standing."""
    return dict(Counter(sentence.standing for sentence in sentences))


def reason_of(judged: Judged, language: Language) -> str:
    """Why a sentence is proof or not, in a few words of the reader's language; "" for a quote."""
    if not judged.reason:
        return ""
    return say(language, f"reason: {judged.reason}", ", ".join(judged.words))


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
