"""A model that writes reads its own sentences again, beside what they cite."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from agent.drafting import CheckedProse, checked_prose, reason_of
from agent.prompts import PromptTask, Worded
from agent.step import Step
from services.domain import CitedSentence, EvidenceSentence, Judged, Language
from services.domain.errors import InvalidGeneration


class ReadingInput(Worded):
    """Sentences that the judge takes for said, or nearly so, with what they cite."""

    claims: tuple[CitedSentence, ...]


class Reading(BaseModel):
    number: Annotated[int, Field(ge=1)]
    missing: str


class Readings(BaseModel):
    readings: list[Reading]


class ReadAgain(PromptTask[ReadingInput, dict[int, str]]):
    """By the number of a sentence, from 1, its words that its places do not say, mostly "".

    Each sentence is asked for: of a bare list of numbers models read less carefully.
    """

    name = "read_again"
    schema = Readings
    max_tokens = 600

    def values(self, inp: ReadingInput, words: Mapping[str, str]) -> dict[str, str]:
        pairs = []
        for number, claim in enumerate(inp.claims, start=1):
            places = (f"{each.section}: {' '.join(each.whole.split())}" for each in claim.citations)
            pairs.append(f"{number}. {words['place']} {' … '.join(places)}")
            pairs.append(f"{words['claim']} {claim.text}")
        return {"lines": "\n".join(pairs)}

    def check(self, inp: ReadingInput, output: Readings) -> dict[int, str]:
        if any(each.number > len(inp.claims) for each in output.readings):
            raise InvalidGeneration("number must be one of 1 to {most}", most=len(inp.claims))
        read: dict[int, str] = {}
        for each in output.readings:
            read[each.number] = read.get(each.number) or each.missing.strip()
        return read

    def fallback(self, inp: ReadingInput) -> dict[int, str]:
        return {}


async def checked(
    text: str,
    pool: Sequence[EvidenceSentence],
    language: Language,
    places: Sequence[str],
    question: str,
    step: Step,
) -> CheckedProse:
    """What each sentence of a model's text is worth, by the judge and then by the model itself.

    What the judge takes for nearly said becomes proof by the reading, what has words that its
    places do not say loses it, and what was not read stays as it was. Quotes need no reading.
    """
    judge = step.context.judge
    prose = await asyncio.to_thread(checked_prose, text, pool, language, judge, places, question)
    claims = [
        each for each in prose.kept if each.standing == "follows" or each.text in prose.nearly
    ]
    if not claims:
        return prose
    read = await step.run(ReadAgain(), ReadingInput(language=language, claims=tuple(claims)))
    missing = {claims[number - 1].text: words for number, words in read.items()}
    return prose._replace(
        kept=[
            _read(each, missing[each.text], language) if each.text in missing else each
            for each in prose.kept
        ]
    )


def _read(claim: CitedSentence, missing: str, language: Language) -> CitedSentence:
    judged = Judged(standing="follows", reason="in other words")
    if missing:
        judged = Judged(standing="loose", reason="words", words=(missing,))
    told = {
        "standing": judged.standing,
        "supported": not missing,
        "reason": reason_of(judged, language),
        "decisive": judged.words,
    }
    return claim.model_copy(update=told)
