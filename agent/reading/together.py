"""Say together: one answer written over the claims of several readings.

A sentence names the claims that it rests on, and is proven and verified by their places like a
claim. One that is not proof gives way to its claims, and no claim is lost.
"""

from collections.abc import Sequence

from agent.ask.step import asked
from agent.prompts.reading import TogetherInput, WriteTogether, WrittenSentence
from agent.reading.prove import Claim, checked
from agent.reading.reader import Question, Reader, Reading
from agent.step import Step


async def said_together(
    question: Question, reading: Reading, reader: Reader, step: Step
) -> list[Claim]:
    """The proven claims as sentences of one answer; as they are where the model writes none."""
    claims = reading.proof
    inp = TogetherInput(
        question=question.text,
        language=question.language,
        claims=tuple(f"[{n}] {claim.text}" for n, claim in enumerate(claims, start=1)),
    )
    written = await asked(step, WriteTogether(), inp)
    if not written:
        return claims
    used = [[claims[n - 1] for n in dict.fromkeys(each.claims)] for each in written]
    sentences = [
        _sentence(each, its, reading, question) for each, its in zip(written, used, strict=True)
    ]
    sentences = await reader.verified(sentences, reading.sections)
    said: list[Claim] = []
    for sentence, its in zip(sentences, used, strict=True):
        said += its if sentence.fault else [sentence]
    rest = (each for each in claims if not any(each in its for its in used))
    return list(dict.fromkeys([*said, *rest]))


def _sentence(
    written: WrittenSentence, claims: Sequence[Claim], reading: Reading, question: Question
) -> Claim:
    """A sentence with the quotes of its claims, and what of it these do not prove."""
    quotes = dict.fromkeys(quote for claim in claims for quote in claim.quotes)
    claim = Claim(text=written.text, quotes=tuple(quotes))
    return checked(claim, reading.sections, question.text, question.language)
