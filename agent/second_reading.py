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
    """Sentences that the judge takes for proven, with what they cite."""

    claims: tuple[CitedSentence, ...]


class NotSaid(BaseModel):
    not_said: list[Annotated[int, Field(ge=1)]]


class ReadAgain(PromptTask[ReadingInput, tuple[int, ...]]):
    """The numbers, from 1, of the sentences that say more than their places do."""

    name = "read_again"
    schema = NotSaid
    max_tokens = 100

    def values(self, inp: ReadingInput, words: Mapping[str, str]) -> dict[str, str]:
        pairs = []
        for number, claim in enumerate(inp.claims, start=1):
            places = (f"{each.section}: {' '.join(each.whole.split())}" for each in claim.citations)
            pairs.append(f"{number}. {words['place']} {' … '.join(places)}")
            pairs.append(f"{words['claim']} {claim.text}")
        return {"lines": "\n".join(pairs)}

    def check(self, inp: ReadingInput, output: NotSaid) -> tuple[int, ...]:
        if any(number > len(inp.claims) for number in output.not_said):
            raise InvalidGeneration("number must be one of 1 to {most}", most=len(inp.claims))
        return tuple(output.not_said)

    def fallback(self, inp: ReadingInput) -> tuple[int, ...]:
        return ()


async def checked(
    text: str,
    pool: Sequence[EvidenceSentence],
    language: Language,
    places: Sequence[str],
    question: str,
    step: Step,
) -> CheckedProse:
    """What each sentence of a model's text is worth, by the judge and then by the model itself.

    None is proof that its own writer does not find in its places, and nothing becomes proof by it.
    Quotes need no reading.
    """
    judge = step.context.judge
    prose = await asyncio.to_thread(checked_prose, text, pool, language, judge, places, question)
    claims = [each for each in prose.kept if each.standing == "follows"]
    if not claims:
        return prose
    numbers = await step.run(ReadAgain(), ReadingInput(language=language, claims=tuple(claims)))
    denied = {claims[number - 1].text for number in numbers}
    return prose._replace(
        kept=[_denied(each, language) if each.text in denied else each for each in prose.kept]
    )


def _denied(claim: CitedSentence, language: Language) -> CitedSentence:
    reason = reason_of(Judged(standing="loose", reason="not said"), language)
    told = {"standing": "loose", "supported": False, "reason": reason, "decisive": ()}
    return claim.model_copy(update=told)
