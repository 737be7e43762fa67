"""The one judge of evidence that all depths ask.

The cross-encoder judges (claim, quote); code checks what it must not decide alone: that numbers,
units, names with a number and section labels agree. Of negations it must be surer.
"""

import re
from collections.abc import Sequence
from typing import Final

from services.cross_encoder import CrossEncoder, Entailment
from services.domain import Judged
from services.domain.answers import EvidenceSentence, Standing
from services.domain.value import Language
from services.evidence.matching import (
    as_written,
    check_numbers,
    nearest,
    other_labels,
    other_names,
    shares_word,
    ungrounded,
)
from services.evidence.ranking import UNREAD, Nearness, features, probabilities
from services.language.text import normalise, sentences

CANDIDATES: Final = 6
SAYS: Final = 0.9
"""Share that a quote must have for saying a claim; this and the next were chosen for precision on
the development pairs of ``eval claims``."""
NEGATED: Final = 0.95
"""The same where only one of the two has a negation."""
NEARLY: Final = 0.8
"""The same, whichever negates, where a language model reads both as well (docs/decisions/0025)."""
CONTRADICTS: Final = 0.8
_NEGATION = re.compile(
    r"\b(?:nicht|kein(?:e[mnrs]?)?|ohne|nie(?:mals)?|weder|not|never|without|neither|nor|cannot|no)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)


class Judge:
    """Ranks sentences for a question and says what claims rest on.

    ``nearness`` may be left out where nothing is ranked.
    """

    def __init__(self, encoder: CrossEncoder, nearness: Nearness | None = None) -> None:
        self._encoder, self._nearness = encoder, nearness
        self.name = encoder.name

    def scores(
        self,
        question: str,
        sentences: Sequence[EvidenceSentence],
        relevance: Sequence[float],
        language: Language,
        *,
        near_to: str = "",
    ) -> list[float]:
        """How surely each sentence answers a question, 0-1.

        Args:
            question: a question, or what a task is about.
            sentences: of the passages that were found; those with one `context` are read together.
            relevance: calibrated nearness of each one's passage, 0-1.
            language: of the question.
            near_to: what sentences are to be near to, where it is more than the question.
        """
        if self._nearness is None:
            raise ValueError("ranking needs nearness, and this judge was made without them")
        if not sentences:
            return []
        given = (question, sentences, relevance, language)
        return probabilities(features(*given, self._encoder, self._nearness, near_to))

    def speaks_to(self, question: str, claim: Judged, text: str, language: Language) -> bool:
        """Whether a claim is about a question: it, or what says it, shares a word or answers.

        What a document orders its reader to write the document says, and nobody asked: of a quote
        counts the sentence next to the claim, not what is lawful beside it, nor heading and case.
        """

        def saying(quote: str) -> str:
            parts = (quote[start:end] for start, end in sentences(quote))
            return min(parts, key=lambda part: len(ungrounded(text, part, language)), default=text)

        said = [text, *(saying(each.quote) for each in claim.evidence)]
        if shares_word(question, " ".join(said), language):
            return True
        readings = self._encoder.read(question, [["-", each] for each in said])
        return any(float(reading.sentences[1]) > UNREAD for reading in readings)

    def claims(
        self, claims: Sequence[str], pool: Sequence[EvidenceSentence], language: Language
    ) -> list[Judged]:
        """The standing of each claim within the evidence.

        Args:
            claims: sentences of an answer.
            pool: what they may rest on, some hundreds at most.
            language: of the claims.
        """
        known = {normalise(item.quote): item for item in reversed(pool)}
        verbatim = [known.get(normalise(claim)) for claim in claims]
        options = [
            [] if quote else nearest(claim, pool, language, CANDIDATES)
            for claim, quote in zip(claims, verbatim, strict=True)
        ]
        pairs = zip(claims, options, strict=True)
        verdicts = iter(
            self._encoder.entail(
                [(claim, each.premise) for claim, found in pairs for each in found]
            )
        )
        return [
            Judged(standing="quote", evidence=(quote,), says=1.0)
            if quote
            else _judged(claim, [(each, next(verdicts)) for each in found], language)
            for claim, quote, found in zip(claims, verbatim, options, strict=True)
        ]


def _judged(
    claim: str, options: Sequence[tuple[EvidenceSentence, Entailment]], language: Language
) -> Judged:
    """Beside each of the nearest evidence by itself: of two together more false claims held."""
    if not options:
        return Judged(standing="none", reason="nothing like it")
    tried = [
        _checked(claim, item, verdict, language, first=n == 0)
        for n, (item, verdict) in enumerate(options)
    ]
    against = next((each for each in tried if each.standing == "contradicts"), None)
    proof = [each for each in tried if each.standing == "follows"]
    if against and not proof:
        return against
    nearly = [each for each in tried if each.nearly]
    return max(proof or nearly or tried, key=lambda each: each.says)


def _checked(
    claim: str,
    item: EvidenceSentence,
    verdict: Entailment,
    language: Language,
    *,
    first: bool,
) -> Judged:
    """The standing of a claim beside one option; all that stands against it, worst first.

    What is about something else contradicts nothing: a claim with words of its own is believed to
    be contradicted by the evidence nearest to it alone.
    """
    quote = item.whole
    numbers = check_numbers(claim, quote, item.context, language)
    names = other_names(claim, f"{item.premise} {item.section} {item.document}", language)
    words = (*ungrounded(claim, item.premise, language), *names)
    labels = other_labels(claim, quote, [item.section], [item.document])
    negation_differs = bool(_NEGATION.search(claim)) != bool(_NEGATION.search(quote))

    def found(
        standing: Standing, reason: str, decisive: Sequence[str] = (), *, nearly: bool = False
    ) -> Judged:
        return Judged(
            standing=standing,
            evidence=(item,),
            reason=reason,
            words=tuple(decisive),
            says=round(verdict.says, 4),
            nearly=nearly,
        )

    if numbers.contradicts and not words:
        return found("contradicts", "numbers", numbers.problems)
    if verdict.contradicts >= CONTRADICTS and (first or not words):
        return found("contradicts", "says otherwise")
    if numbers.problems:
        return found("loose", "numbers", numbers.problems)
    if names:
        return found("loose", "words", names)
    if labels:
        return found("loose", "labels", labels)
    if verdict.says >= (NEGATED if negation_differs else SAYS):
        return found("follows", "in other words")
    reason = "words" if words else "not said"
    return found("loose", reason, as_written(claim, words, language), nearly=verdict.says >= NEARLY)
