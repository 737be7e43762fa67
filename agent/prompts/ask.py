"""Model tasks of quick answers: completing a follow-up, and answering from passages."""

from collections.abc import Mapping
from typing import Final

from pydantic import Field

from agent.prompts import Asked, PromptTask, filled
from services.domain import Value
from services.domain.errors import InvalidGeneration
from services.language.quantities import quantities
from services.language.text import compound_match, stems

LONGEST_QUESTION: Final = 300
OWN_WORDS_KEPT: Final = 0.5
"""Share of the follow-up's words that a rewriting keeps: ``the second one`` is to be replaced."""


class RewriteInput(Asked):
    """``conversation`` are (question, short answer), oldest first; ``fallback`` is by rules."""

    conversation: tuple[tuple[str, str], ...]
    fallback: str


class WholeQuestion(Value):
    question: str = Field(description="the follow-up as one complete question")


class RewriteFollowUp(PromptTask[RewriteInput, str]):
    """A follow-up as a question that stands for itself."""

    name = "rewrite"
    schema = WholeQuestion
    max_tokens = 120

    def values(self, inp: RewriteInput, words: Mapping[str, str]) -> dict[str, str]:
        turns = (
            filled(words["turn"], {"question": question, "answer": answer})
            for question, answer in inp.conversation
        )
        return {"talk": "\n".join(turns)}

    def language(self, inp: RewriteInput) -> str | None:
        return inp.language

    def check(self, inp: RewriteInput, output: WholeQuestion) -> str:
        """Keeps the person's own words and numbers and brings in words of the conversation.

        A number that nobody mentioned is made up.
        """
        text = " ".join(output.question.split())
        if not text or len(text) > LONGEST_QUESTION:
            raise InvalidGeneration(
                "write one question of 1 to {most} characters", most=LONGEST_QUESTION
            )
        own = set(stems(inp.question, inp.language))
        kept = set(stems(text, inp.language))
        if own and len(own & kept) < OWN_WORDS_KEPT * len(own):
            missing = ", ".join(sorted(own - kept))
            raise InvalidGeneration(
                "keep the words of the follow-up; missing: {words}", words=missing
            )
        before = " ".join(part for turn in inp.conversation for part in turn)
        if numbers(text, inp.language) - numbers(f"{inp.question} {before}", inp.language):
            raise InvalidGeneration("use no number that was not mentioned before")
        if numbers(inp.question, inp.language) - numbers(text, inp.language):
            raise InvalidGeneration("keep the numbers of the follow-up")
        said = set(stems(before, inp.language))
        if said and not any(compound_match(stem, other) for stem in kept - own for other in said):
            raise InvalidGeneration("name what the conversation was about; the follow-up does not")
        return text


def numbers(text: str, language: str) -> set[str]:
    """Numbers of a text, with those of section labels."""
    digits = {stem for stem in stems(text, language) if stem[0].isdigit()}
    return digits | {f"{each.value:g}" for each in quantities(text, language) if not each.article}
