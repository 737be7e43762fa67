"""Model tasks of reading: words to search with, an answer in claims, what these leave unsaid."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field, StringConstraints
from pydantic_core import from_json

from agent.prompts import Asked, PromptTask
from services.domain import Language, Value
from services.domain.errors import InvalidGeneration
from services.models.output import check_language

MOST_QUERIES: Final = 3
LONGEST_QUERY: Final = 1_000


class WordsInput(Asked):
    """``languages`` names those of the documents, ``titles`` some of them.

    ``missing`` is what an earlier look lacked, which searched for what was ``tried``; ``context``
    the whole that the question is a part of.
    """

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
        """The searches, each once."""
        texts = (" ".join(each.split())[:LONGEST_QUERY] for each in self.queries)
        return list(dict.fromkeys(filter(None, texts)))

    def searches(self, question: str) -> list[str]:
        """All there is to search for besides the question, each once; the passage behind it."""
        passage = " ".join(f"{question} {self.passage}".split())[:LONGEST_QUERY]
        texts = [*self.named, *([passage] if self.passage else [])]
        return [each for each in dict.fromkeys(texts) if each != question]


class NameSearches(PromptTask[WordsInput, Words]):
    """What to search for, in the words of documents that the model does not know."""

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
    """An answer in claims, each with the words of the passages that say it."""

    answered: Literal["yes", "partly", "no"]
    claims: list[DraftClaim]
    missing: str


def whole_claims(text: str) -> list[DraftClaim]:
    """The claims of a reply that is still being written, as far as they are whole."""
    try:
        reply = from_json(text, allow_partial=True)
        claims = reply["claims"] if "missing" in reply else reply["claims"][:-1]
        return [DraftClaim.model_validate(each) for each in claims]
    except (ValueError, TypeError, KeyError):
        return []


class ReadInput(Asked):
    """``passages`` are numbered sections; ``known`` are claims that were proven before.

    ``context`` is the whole that the question is a part of.
    """

    passages: str = ""
    context: str = ""
    known: tuple[str, ...] = ()
    missing: str = ""
    instructions: str = ""


class ReadPassages(PromptTask[ReadInput, Draft | None]):
    """The answer of passages to a question; None without a model."""

    name = "read"
    schema = Draft
    max_tokens = 2_000

    def check(self, inp: ReadInput, output: Draft) -> Draft:
        if output.answered != "no" and not output.claims and not inp.known:
            raise InvalidGeneration("claims are missing, or answered is no")
        return output

    def improve(self, inp: ReadInput, value: Draft | None) -> None:
        """A claim in the wrong language is better than none."""
        if value is not None:
            check_language("\n".join(each.text for each in value.claims), inp.language)

    def fallback(self, inp: ReadInput) -> None:
        return None


class Statement(Value):
    """A claim as it is verified; ``passages`` are the numbers of those that it rests on.

    ``made_of`` are the claims that it was written over, where it was.
    """

    number: int
    text: str
    passages: tuple[int, ...]
    made_of: tuple[str, ...] = ()

    def shown(self, words: Mapping[str, str]) -> str:
        """The statement as a prompt shows it, behind its number and those of its passages."""
        places = " ".join(f"[{n}]" for n in self.passages)
        basis = (f"   {words['made_of']} {each}" for each in self.made_of)
        return "\n".join((f"{self.number}. {places} {self.text}", *basis))


class VerifyInput(Asked):
    """``passages`` are those that the claims rest on, numbered as when they were read.

    ``context`` is the whole that the question is a part of.
    """

    passages: str = ""
    context: str = ""
    statements: tuple[Statement, ...] = ()


class Missing(BaseModel):
    """The words of a statement that nothing proves, "" if there are none, and why."""

    number: int
    missing: Annotated[str, StringConstraints(strip_whitespace=True)]
    why: str = ""

    @property
    def doubt(self) -> str:
        """What a rewording is told: the words, and why."""
        return f"{self.missing} ({self.why})" if self.why else self.missing


class Readings(BaseModel):
    readings: list[Missing]


class VerifyClaims(PromptTask[VerifyInput, dict[int, Missing] | None]):
    """The words of each claim that its passages do not say, by its number; None without a model."""

    name = "verify"
    schema = Readings
    max_tokens = 1_200

    def values(self, inp: VerifyInput, words: Mapping[str, str]) -> dict[str, str]:
        return {"claims": "\n".join(each.shown(words) for each in inp.statements)}

    def check(self, inp: VerifyInput, output: Readings) -> dict[int, Missing]:
        found = {each.number: each for each in output.readings}
        if lacking := [each.number for each in inp.statements if each.number not in found]:
            raise InvalidGeneration(
                "no reading of statement {numbers}", numbers=", ".join(map(str, lacking))
            )
        return found

    def fallback(self, inp: VerifyInput) -> None:
        return None


class RewordInput(VerifyInput):
    """``doubted`` are the words of each statement that its passages do not say."""

    doubted: tuple[str, ...] = ()


class Reworded(BaseModel):
    number: int
    text: str


class Rewordings(BaseModel):
    statements: list[Reworded]


class RewordClaims(PromptTask[RewordInput, dict[int, str]]):
    """Statements cut to what their passages say, by number; "" for one of which nothing is left."""

    name = "reword"
    schema = Rewordings
    max_tokens = 800

    def values(self, inp: RewordInput, words: Mapping[str, str]) -> dict[str, str]:
        lines = (
            f"{each.shown(words)}\n   {words['doubt']} {doubted}"
            for each, doubted in zip(inp.statements, inp.doubted, strict=True)
        )
        return {"claims": "\n".join(lines)}

    def check(self, inp: RewordInput, output: Rewordings) -> dict[int, str]:
        check_language("\n".join(each.text for each in output.statements), inp.language)
        return {each.number: " ".join(each.text.split()) for each in output.statements}

    def fallback(self, inp: RewordInput) -> dict[int, str]:
        return {}


class TogetherInput(Asked):
    """``claims`` are proven, each behind its number."""

    claims: tuple[str, ...]


class WrittenSentence(BaseModel):
    text: str
    claims: list[int]


class Written(BaseModel):
    sentences: list[WrittenSentence]


def require_claims(written: Sequence[WrittenSentence], most: int, language: Language) -> None:
    """Raise `InvalidGeneration` for another language, or a sentence without claims of 1 to most."""
    check_language("\n".join(each.text for each in written), language)
    for each in written:
        if not each.claims or not all(1 <= n <= most for n in each.claims):
            raise InvalidGeneration(
                "each sentence names the claims it rests on, 1 to {most}", most=most
            )


class WriteTogether(PromptTask[TogetherInput, list[WrittenSentence]]):
    """One answer over proven claims, each sentence with the numbers of those that it rests on."""

    name = "together"
    schema = Written
    max_tokens = 1_200

    def values(self, inp: TogetherInput, words: Mapping[str, str]) -> dict[str, str]:
        return {"numbered": "\n".join(inp.claims)}

    def check(self, inp: TogetherInput, output: Written) -> list[WrittenSentence]:
        require_claims(output.sentences, len(inp.claims), inp.language)
        return output.sentences

    def fallback(self, inp: TogetherInput) -> list[WrittenSentence]:
        return []
