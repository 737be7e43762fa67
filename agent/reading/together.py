"""Say together: sentences that a model writes over proven claims.

A sentence names the claims that it rests on, and is proven and verified by their places like a
claim. One that is not proof gives way to its claims, and no claim is lost.
"""

from collections.abc import Sequence

from agent.prompts.reading import TogetherInput, WriteTogether, WrittenSentence
from agent.reading.prove import Claim, checked
from agent.reading.reader import Reading
from agent.reading.sections import Section
from agent.reading.verify import Question, verified
from agent.step import Step


async def said_together(question: Question, reading: Reading, step: Step) -> list[Claim]:
    """The proven claims as sentences of one answer; as they are where the model writes none."""
    claims = reading.proof
    inp = TogetherInput(
        question=question.text,
        language=question.language,
        claims=tuple(f"[{n}] {claim.text}" for n, claim in enumerate(claims, start=1)),
    )
    written = await step.run(WriteTogether(), inp)
    sentences = over(written, claims, reading.sections, question)
    sentences = await verified(sentences, reading.sections, question, step)
    return in_place_of(written, sentences, claims)


def over(
    written: Sequence[WrittenSentence],
    claims: Sequence[Claim],
    sections: Sequence[Section],
    question: Question,
) -> list[Claim]:
    """Sentences with the quotes of their claims, and what of them these do not prove."""
    made: list[Claim] = []
    for each in written:
        quotes = dict.fromkeys(quote for n in each.claims for quote in claims[n - 1].quotes)
        texts = tuple(claims[n - 1].text for n in each.claims)
        claim = Claim(text=each.text, quotes=tuple(quotes), made_of=texts)
        made.append(checked(claim, sections, question.said, question.language))
    return made


def in_place_of(
    written: Sequence[WrittenSentence], sentences: Sequence[Claim], claims: Sequence[Claim]
) -> list[Claim]:
    """The sentences that are proof; where one is not its claims, and last what none rests on."""
    said: list[Claim] = []
    used: set[int] = set()
    for each, sentence in zip(written, sentences, strict=True):
        used |= set(each.claims)
        said += [claims[n - 1] for n in each.claims] if sentence.fault else [sentence]
    rest = (claim for n, claim in enumerate(claims, start=1) if n not in used)
    return list(dict.fromkeys([*said, *rest]))
