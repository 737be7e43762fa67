"""Model tasks of summaries: noting claims of a part of a document, and writing over them."""

from collections.abc import Mapping

from pydantic import BaseModel

from agent.prompts import PromptInput, PromptTask
from agent.prompts.reading import DraftClaim, WrittenSentence, require_claims


class NoteInput(PromptInput):
    """``passages`` are the numbered sections of a part of the document of that title."""

    title: str
    passages: str = ""


class Noted(BaseModel):
    claims: list[DraftClaim]


class NoteClaims(PromptTask[NoteInput, list[DraftClaim] | None]):
    """Note what a part of a document says; None without a model."""

    name = "note"
    schema = Noted
    max_tokens = 2_000

    def check(self, inp: NoteInput, output: Noted) -> list[DraftClaim]:
        return output.claims

    def fallback(self, inp: NoteInput) -> None:
        return None


class SummaryInput(PromptInput):
    """``claims`` were noted, in the order of the text."""

    title: str
    claims: tuple[str, ...] = ()


class SummaryDraft(BaseModel):
    """Sentences and questions, each with the numbers of claims that it rests on."""

    sentences: list[WrittenSentence]
    questions: list[WrittenSentence]


class WriteSummary(PromptTask[SummaryInput, SummaryDraft]):
    """Write a summary over claims, and questions that they answer."""

    name = "summarise"
    schema = SummaryDraft
    max_tokens = 1_600

    def values(self, inp: SummaryInput, words: Mapping[str, str]) -> dict[str, str]:
        lines = (f"[{n}] {claim}" for n, claim in enumerate(inp.claims, start=1))
        return {"numbered": "\n".join(lines)}

    def check(self, inp: SummaryInput, output: SummaryDraft) -> SummaryDraft:
        written = [*output.sentences, *output.questions]
        require_claims(written, len(inp.claims), inp.language)
        return output

    def fallback(self, inp: SummaryInput) -> SummaryDraft:
        return SummaryDraft(sentences=[], questions=[])
