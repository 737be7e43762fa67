"""Model tasks of grids and sweeps: filling in a row, looking through sections, comparing."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from pydantic import BaseModel

from agent.prompts import PromptInput, PromptTask, QuestionInput
from agent.prompts.reading import DraftSource, Stripped
from services.domain.errors import InvalidGeneration
from services.domain.grids import Form
from services.models.output import check_language

MOST_COUNTS: Final = 2_000
"""Characters that say what a sweep lists."""


class DraftValue(BaseModel):
    """A value for a cell, or an item of a list, with the claim that states it."""

    value: Stripped
    claim: Stripped
    sources: list[DraftSource]


class DraftCell(BaseModel):
    question: int
    values: list[DraftValue]


class DraftRow(BaseModel):
    cells: list[DraftCell]


class RowInput(PromptInput):
    """``passages`` are sections of the ``subject``; ``columns`` questions with forms of values."""

    subject: str
    columns: tuple[tuple[str, Form], ...]
    passages: str = ""


class FillIn(PromptTask[RowInput, list[list[DraftValue]] | None]):
    """Answer the questions of a row, the values by question; None without a model."""

    name = "fill_in"
    schema = DraftRow
    max_tokens = 2_500

    def values(self, inp: RowInput, texts: Mapping[str, str]) -> dict[str, str]:
        lines = (f"{n}. {text} ({texts[form]})" for n, (text, form) in enumerate(inp.columns, 1))
        return {"questions": "\n".join(lines)}

    def check(self, inp: RowInput, output: DraftRow) -> list[list[DraftValue]]:
        cells = {cell.question: cell.values for cell in output.cells}
        numbers = range(1, len(inp.columns) + 1)
        if lacking := missing_numbers(cells, numbers):
            raise InvalidGeneration("no cell for question {numbers}", numbers=lacking)
        return [[value for value in cells[n] if value.value] for n in numbers]

    def improve(self, inp: RowInput, value: list[list[DraftValue]] | None) -> None:
        """A claim in the wrong language is better than none."""
        claims = (draft.claim for drafts in value or () for draft in drafts)
        check_language("\n".join(claims), inp.language)


class CountsInput(QuestionInput):
    """``passages`` are some of those that a search finds."""

    passages: str


class Counts(BaseModel):
    counts: Stripped


class SayWhatCounts(PromptTask[CountsInput, str]):
    """Say what a sweep lists and what not, so that all its calls mean the same; else nothing."""

    name = "what_counts"
    schema = Counts
    max_tokens = 300
    otherwise = str

    def check(self, inp: CountsInput, output: Counts) -> str:
        check_language(output.counts, inp.language)
        return output.counts[:MOST_COUNTS]


class LookInput(QuestionInput):
    """``passages`` are ``count`` numbered sections; ``counts`` says what is listed."""

    count: int = 0
    counts: str = ""
    passages: str = ""


class DraftItems(BaseModel):
    items: list[DraftValue]
    nothing_in: list[int]


class LookThrough(PromptTask[LookInput, list[DraftValue] | None]):
    """List what sections say to a question, each accounted for; None without a model."""

    name = "look_through"
    schema = DraftItems
    max_tokens = 3_000

    def check(self, inp: LookInput, output: DraftItems) -> list[DraftValue]:
        named = {source.passage for item in output.items for source in item.sources}
        named.update(output.nothing_in)
        if lacking := missing_numbers(named, range(1, inp.count + 1)):
            raise InvalidGeneration("nothing was said about passage {numbers}", numbers=lacking)
        return [item for item in output.items if item.value and item.sources]

    def improve(self, inp: LookInput, value: list[DraftValue] | None) -> None:
        """A claim in the wrong language is better than none."""
        check_language("\n".join(item.claim for item in value or ()), inp.language)


def missing_numbers(named: Iterable[int], numbers: Iterable[int]) -> str:
    """Return the numbers that a reply leaves out, for its repair."""
    return ", ".join(str(n) for n in sorted(set(numbers).difference(named)))


class StatementsInput(PromptInput):
    """``statements`` are numbered from 1."""

    statements: tuple[str, ...]


class GroupInput(StatementsInput):
    question: str


class DraftGroup(BaseModel):
    value: Stripped
    numbers: list[int]


class Grouped(BaseModel):
    groups: list[DraftGroup]


class GroupStatements(PromptTask[GroupInput, list[DraftGroup]]):
    """Put statements together that say the same; without a model each stands alone."""

    name = "group"
    schema = Grouped
    max_tokens = 2_000

    def check(self, inp: GroupInput, output: Grouped) -> list[DraftGroup]:
        numbers = [n for group in output.groups for n in group.numbers]
        if lacking := missing_numbers(numbers, range(1, len(inp.statements) + 1)):
            raise InvalidGeneration("no group for {numbers}", numbers=lacking)
        if len(numbers) != len(inp.statements):
            raise InvalidGeneration("each statement must be in exactly one group")
        return [group for group in output.groups if group.numbers]

    def fallback(self, inp: GroupInput) -> list[DraftGroup]:
        return [DraftGroup(value="", numbers=[n]) for n, _ in enumerate(inp.statements, start=1)]


class Pair(BaseModel):
    first: int
    second: int
    relation: Literal["contradiction", "exception", "version", "other_case"]
    why: Stripped


class Pairs(BaseModel):
    pairs: list[Pair]


class FindContradictions(PromptTask[StatementsInput, list[Pair]]):
    """Find pairs of statements that seem to contradict each other, and say what they are."""

    name = "contradict"
    schema = Pairs
    max_tokens = 1_600
    otherwise = list

    def check(self, inp: StatementsInput, output: Pairs) -> list[Pair]:
        most = len(inp.statements)
        for pair in output.pairs:
            if not (1 <= pair.first <= most and 1 <= pair.second <= most):
                raise InvalidGeneration(
                    "a pair must name two statements, numbered 1 to {most}", most=most
                )
        return [pair for pair in output.pairs if pair.first != pair.second]
