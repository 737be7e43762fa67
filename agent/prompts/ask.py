"""Model tasks of quick answers: completing a follow-up, and answering from passages."""

from collections.abc import Mapping
from typing import Final

from pydantic import Field

from agent.prompts import PromptTask, QuestionInput, filled
from services.domain import Value
from services.domain.errors import InvalidGeneration
from services.language.quantities import quantities
from services.language.text import compound_match, stems

LONGEST_QUESTION: Final = 300
MIN_OVERLAP: Final = 0.5
"""Share of the follow-up's words that a rewriting keeps; ``the second one`` is to be replaced."""


class RewriteInput(QuestionInput):
    """``conversation`` are (question, short answer), oldest first; ``fallback`` is by rules."""

    conversation: tuple[tuple[str, str], ...]
    fallback: str


class WholeQuestion(Value):
    question: str = Field(description="the follow-up as one complete question")


class RewriteFollowUp(PromptTask[RewriteInput, str]):
    """Rewrite a follow-up as a question that needs no conversation."""

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
        """Require the words and numbers of the follow-up, a word of the conversation, and no other
        number."""
        text = " ".join(output.question.split())
        if not text or len(text) > LONGEST_QUESTION:
            raise InvalidGeneration(
                "write one question of 1 to {most} characters", most=LONGEST_QUESTION
            )
        original = set(stems(inp.question, inp.language))
        rewritten = set(stems(text, inp.language))
        if original and len(original & rewritten) < MIN_OVERLAP * len(original):
            missing = ", ".join(sorted(original - rewritten))
            raise InvalidGeneration(
                "keep the words of the follow-up; missing: {words}", words=missing
            )
        before = " ".join(text for turn in inp.conversation for text in turn)
        if numbers(text, inp.language) - numbers(f"{inp.question} {before}", inp.language):
            raise InvalidGeneration("use no number that was not mentioned before")
        if numbers(inp.question, inp.language) - numbers(text, inp.language):
            raise InvalidGeneration("keep the numbers of the follow-up")
        earlier, new = set(stems(before, inp.language)), rewritten - original
        if earlier and not any(compound_match(stem, other) for stem in new for other in earlier):
            raise InvalidGeneration("name what the conversation was about; the follow-up does not")
        return text


def numbers(text: str, language: str) -> set[str]:
    """Return the numbers of a text, with those of section labels."""
    digits = {stem for stem in stems(text, language) if stem[0].isdigit()}
    return digits | {f"{q.value:g}" for q in quantities(text, language) if not q.article}
