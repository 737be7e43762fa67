"""Model tasks of reading: words to search with, claims, what these leave unsaid, and summaries."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field, StringConstraints
from pydantic_core import from_json

from agent.prompts import PromptInput, PromptTask, QuestionInput
from services.domain import Language, Value
from services.domain.errors import InvalidGeneration
from services.models.output import check_language

Stripped = Annotated[str, StringConstraints(strip_whitespace=True)]
MOST_QUERIES: Final = 3
LONGEST_QUERY: Final = 1_000


class WordsInput(QuestionInput):
    """``languages`` and ``titles`` are of the documents; ``missing`` is what is still lacking after
    the searches ``tried``; ``context`` is the question that this one is a part of."""

    languages: str
    context: str = ""
    titles: tuple[str, ...] = ()
    missing: str = ""
    tried: tuple[str, ...] = ()


class Words(BaseModel):
    """Searches, and a passage as it might stand in the documents."""

    queries: list[str] = Field(max_length=MOST_QUERIES)
    passage: str

    @property
    def named(self) -> list[str]:
        """Return the searches, each once."""
        texts = (" ".join(query.split())[:LONGEST_QUERY] for query in self.queries)
        return list(dict.fromkeys(filter(None, texts)))

    def searches(self, question: str) -> list[str]:
        """Return the searches besides the question, one of them with the imagined passage."""
        passage = " ".join(f"{question} {self.passage}".split())[:LONGEST_QUERY]
        texts = [*self.named, *([passage] if self.passage else [])]
        return [text for text in dict.fromkeys(texts) if text != question]


class NameSearches(PromptTask[WordsInput, Words]):
    """Name searches in the words of documents that the model does not know."""

    name = "words"
    schema = Words
    max_tokens = 400

    def fallback(self, inp: WordsInput) -> Words:
        return Words(queries=[], passage="")


class DraftSource(BaseModel):
    passage: int
    quote: str


class DraftClaim(BaseModel):
    text: str
    sources: list[DraftSource]


class Draft(BaseModel):
    """An answer in claims with words of the passages, and ``searches`` for what is ``missing``."""

    answered: Literal["yes", "partly", "no"]
    claims: list[DraftClaim]
    missing: str
    searches: list[str] = Field(default=[], max_length=MOST_QUERIES)


def whole_claims(text: str) -> list[DraftClaim]:
    """Return the complete claims of a reply that is still being written."""
    try:
        reply = from_json(text, allow_partial=True)
        claims = reply["claims"] if "missing" in reply else reply["claims"][:-1]
        return [DraftClaim.model_validate(claim) for claim in claims]
    except (ValueError, TypeError, KeyError):
        return []


class ReadInput(QuestionInput):
    """``passages`` are numbered sections, ``known`` claims that were proven before, ``context`` the
    whole that the question is a part of."""

    passages: str = ""
    context: str = ""
    known: tuple[str, ...] = ()
    missing: str = ""
    instructions: str = ""


class ReadPassages(PromptTask[ReadInput, Draft | None]):
    """Answer a question from passages; None without a model."""

    name = "read"
    schema = Draft
    max_tokens = 2_000

    def check(self, inp: ReadInput, output: Draft) -> Draft:
        if output.answered != "no" and not output.claims and not inp.known:
            raise InvalidGeneration("add at least one claim, or set answered to no")
        return output

    def improve(self, inp: ReadInput, value: Draft | None) -> None:
        """A claim in the wrong language is better than none."""
        if value is not None:
            check_language("\n".join(claim.text for claim in value.claims), inp.language)


class Statement(Value):
    """A claim as it is verified, with the numbers of its passages; ``made_of`` are the claims that
    it was written over, ``answers`` a question with the value that it gives to it, ``doubted``
    words of it that code found in none of the passages."""

    number: int
    text: str
    passages: tuple[int, ...]
    made_of: tuple[str, ...] = ()
    answers: str = ""
    doubted: str = ""

    def as_lines(self, texts: Mapping[str, str]) -> str:
        """Return the statement behind its number and those of its passages."""
        passages = " ".join(f"[{n}]" for n in self.passages)
        basis = [f"   {texts['made_of']} {claim}" for claim in self.made_of]
        value = [f"   {texts['answers']} {self.answers}"] if self.answers else []
        doubt = [f"   {texts['doubted']} {self.doubted}"] if self.doubted else []
        return "\n".join((f"{self.number}. {passages} {self.text}", *basis, *value, *doubt))


class VerifyInput(QuestionInput):
    """``passages`` are numbered sections, ``context`` the whole that the question is a part of."""

    passages: str = ""
    context: str = ""
    statements: tuple[Statement, ...] = ()


class Verdict(BaseModel):
    """The words of a statement that its passages do not say, "" if there are none, and why;
    ``better`` is the statement as they say it, "" where nothing is left of it."""

    number: int
    missing: Stripped
    why: Stripped = ""
    better: Stripped = ""


class Readings(BaseModel):
    readings: list[Verdict]


class VerifyClaims(PromptTask[VerifyInput, dict[int, Verdict] | None]):
    """Verify each claim by reading its passages, by number; None without a model."""

    name = "verify"
    schema = Readings
    max_tokens = 1_600

    def values(self, inp: VerifyInput, texts: Mapping[str, str]) -> dict[str, str]:
        return {"claims": "\n".join(s.as_lines(texts) for s in inp.statements)}

    def improve(self, inp: VerifyInput, value: dict[int, Verdict] | None) -> None:
        """A verdict with a statement in the wrong language is better than none."""
        if value is not None:
            check_language("\n".join(verdict.better for verdict in value.values()), inp.language)

    def check(self, inp: VerifyInput, output: Readings) -> dict[int, Verdict]:
        verdicts = {verdict.number: verdict for verdict in output.readings}
        if lacking := [s.number for s in inp.statements if s.number not in verdicts]:
            raise InvalidGeneration(
                "no verdict on statement {numbers}", numbers=", ".join(map(str, lacking))
            )
        return verdicts


class TogetherInput(QuestionInput):
    """``claims`` are proven."""

    claims: tuple[str, ...]


class WrittenSentence(BaseModel):
    text: str
    claims: list[int]


class Written(BaseModel):
    sentences: list[WrittenSentence]


def require_claims(written: Sequence[WrittenSentence], most: int, language: Language) -> None:
    """Raise `InvalidGeneration` for another language, or a sentence without claims of 1 to most."""
    check_language("\n".join(sentence.text for sentence in written), language)
    for sentence in written:
        if not sentence.claims or not all(1 <= n <= most for n in sentence.claims):
            raise InvalidGeneration(
                "each sentence must name the claims that support it, numbered 1 to {most}",
                most=most,
            )


class WriteTogether(PromptTask[TogetherInput, list[WrittenSentence]]):
    """Write one answer over proven claims; each sentence names the claims that it rests on."""

    name = "together"
    schema = Written
    max_tokens = 1_200
    otherwise = list

    def check(self, inp: TogetherInput, output: Written) -> list[WrittenSentence]:
        require_claims(output.sentences, len(inp.claims), inp.language)
        return output.sentences


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

    def check(self, inp: SummaryInput, output: SummaryDraft) -> SummaryDraft:
        written = [*output.sentences, *output.questions]
        require_claims(written, len(inp.claims), inp.language)
        return output

    def fallback(self, inp: SummaryInput) -> SummaryDraft:
        return SummaryDraft(sentences=[], questions=[])
