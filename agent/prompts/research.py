"""Model tasks of research: what is there, a plan, grades of findings, and the report over them."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field
from pydantic_core import from_json

from agent.models import ToDoItem
from agent.prompts import Asked, PromptTask, say
from agent.prompts.reading import DraftSource, WrittenSentence, require_claims
from services.domain import Language, Value
from services.domain.errors import InvalidGeneration
from services.language.text import addresses, stems
from services.models.output import check_language

MOST_ASPECTS: Final = 6
MOST_QUESTIONS: Final = 2
MOST_ASSUMPTIONS: Final = 2
MIN_TASKS, MAX_TASKS = 3, 5
REPETITION: Final = 0.7
SHARED_STEMS: Final = 2
"""With fewer word stems a task says nothing of another one (``What is radon?``)."""

Covered = Literal["yes", "partly", "no"]


class SurveyInput(Asked):
    """``passages`` are numbered sections; ``said`` is what the person added, ``asked`` what they
    were asked before."""

    passages: str = ""
    said: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


class Aspect(BaseModel):
    """A part of what is asked, and whether the passages answer it."""

    aspect: str
    covered: Covered


class Option(BaseModel):
    """An answer that a person may give, and the words of the passages that hold then."""

    answer: str
    holds: list[DraftSource]


class AskBack(BaseModel):
    """A question to the person; ``matters`` says what hangs on its answer."""

    question: str
    matters: str
    options: list[Option] = Field(min_length=2, max_length=4)

    @property
    def text(self) -> str:
        """All that the person reads of it."""
        return " ".join((self.question, self.matters, *(each.answer for each in self.options)))


class Survey(BaseModel):
    """What the documents offer to a question, and what only the person can decide."""

    concepts: list[str] = Field(max_length=6)
    aspects: list[Aspect] = Field(min_length=1, max_length=MOST_ASPECTS)
    assumptions: list[str] = Field(default=[], max_length=MOST_ASSUMPTIONS)
    questions: list[AskBack] = Field(default=[], max_length=MOST_QUESTIONS)


class LookOver(PromptTask[SurveyInput, Survey | None]):
    """What of a question the passages cover, and what to ask the person; None without a model."""

    name = "look_over"
    schema = Survey
    max_tokens = 900

    def check(self, inp: SurveyInput, output: Survey) -> Survey:
        """Keeps questions under whose answers different words hold; nothing leads to an address."""
        asked = {each.casefold() for each in inp.asked}
        questions = [
            each
            for each in output.questions
            if each.question.casefold() not in asked
            and _differ(each.options)
            and not addresses(each.text)
        ]
        aspects = [each for each in output.aspects if not addresses(each.aspect)]
        if not aspects:
            raise InvalidGeneration("no aspect of the question is named")
        assumptions = [each for each in output.assumptions if not addresses(each)]
        kept = {"questions": questions, "aspects": aspects, "assumptions": assumptions}
        return output.model_copy(update=kept)

    def fallback(self, inp: SurveyInput) -> None:
        return None


def _differ(options: Sequence[Option]) -> bool:
    """Whether under each of the answers other words hold."""
    held = {
        frozenset((each.passage, " ".join(each.quote.split())) for each in option.holds)
        for option in options
    }
    return len(held) == len(options)


class SectionFound(Value):
    """A section that clarification found: ``name`` is ``StrlSchG § 78``."""

    name: str
    heading: str


class PlanInput(Asked):
    """``aspects`` are the parts of the question, with what of each was found; ``refinements`` what
    the person added; ``earlier`` the tasks that they approved for ``earlier_question``."""

    aspects: tuple[str, ...] = ()
    refinements: tuple[str, ...] = ()
    found: tuple[SectionFound, ...] = ()
    earlier: tuple[str, ...] = ()
    earlier_question: str = ""
    languages: str = ""

    @property
    def sections(self) -> tuple[str, ...]:
        return tuple(f"{each.name}: {each.heading}".rstrip(": ") for each in self.found)


class Planned(BaseModel):
    """A task, what it is to find out, and what is searched for."""

    task: str
    why: str
    searches: list[str] = Field(max_length=3)


class PlanOutput(BaseModel):
    tasks: list[Planned] = Field(min_length=1, max_length=MAX_TASKS)


class PlanTasks(PromptTask[PlanInput, list[ToDoItem]]):
    """Tasks that together answer the question; none without a model that reads."""

    name = "plan"
    schema = PlanOutput
    max_tokens = 900

    def values(self, inp: PlanInput, words: object) -> dict[str, object]:
        return {"sections": inp.sections}

    def check(self, inp: PlanInput, output: PlanOutput) -> list[ToDoItem]:
        tasks = [
            ToDoItem(
                id=0,
                task=" ".join(each.task.split()),
                context=each.why.strip(),
                searches=tuple(filter(None, map(str.strip, each.searches))),
            )
            for each in output.tasks
            if each.task.strip() and not addresses(f"{each.task} {each.why}")
        ]
        if not tasks:
            raise InvalidGeneration("no task is left to be done")
        check_language("\n".join(each.task for each in tasks), inp.language)
        return _numbered(tasks)

    def fallback(self, inp: PlanInput) -> list[ToDoItem]:
        return []


def tasks_by_rule(inp: PlanInput) -> list[ToDoItem]:
    """A task for each part of the question and each remark; sections only to reach three.

    A section is a task of its own unless another one names it: that its heading says what the
    question says is why it was found.
    """
    language, most = inp.language, max(MAX_TASKS, len(inp.aspects))
    kept: list[ToDoItem] = []
    seen: list[set[str]] = []

    def take(task: str, why: str) -> None:
        text = task[0].upper() + task[1:]
        kept.append(ToDoItem(id=0, task=text, context=say(language, why)))
        seen.append(content(task, language))

    for why, tasks in (("by_question", inp.aspects), ("by_person", inp.refinements)):
        for task in tasks:
            words = content(task, language)
            comparable = [o for o in seen if o == words or min(len(o), len(words)) >= SHARED_STEMS]
            if len(kept) < most and words and not repeats(words, comparable):
                take(task, why)
    for section in inp.found:
        name = content(section.name, language)
        if len(kept) < MIN_TASKS and not any(name <= words for words in seen):
            task = say(language, "evaluate", section.name, section.heading).rstrip(": ")
            take(task, "by_search")
    return _numbered(kept)


def _numbered(tasks: Sequence[ToDoItem]) -> list[ToDoItem]:
    return [each.model_copy(update={"id": n}) for n, each in enumerate(tasks, start=1)]


def content(task: str, language: Language) -> set[str]:
    """Return the word stems of a task."""
    return set(stems(task, language))


def repeats(words: set[str], seen: Sequence[set[str]]) -> bool:
    """Whether a task of these words asks what another asks already."""
    return any(len(words & other) >= REPETITION * min(len(words), len(other)) for other in seen)


class GradeInput(Asked):
    """``findings`` are numbered lines, each with its task; ``said`` is what the person added."""

    findings: tuple[str, ...]
    said: tuple[str, ...] = ()


class Grade(BaseModel):
    number: int
    grade: Annotated[int, Field(ge=0, le=10)]
    why: str


class Grades(BaseModel):
    grades: list[Grade]


class GradeFindings(PromptTask[GradeInput, dict[int, Grade]]):
    """How much each finding, by its number from 1, has to do with what was asked."""

    name = "grade"
    schema = Grades
    max_tokens = 1_500

    def values(self, inp: GradeInput, words: object) -> dict[str, str]:
        return {"lines": "\n".join(inp.findings)}

    def check(self, inp: GradeInput, output: Grades) -> dict[int, Grade]:
        return {each.number: each for each in output.grades if each.number <= len(inp.findings)}

    def fallback(self, inp: GradeInput) -> dict[int, Grade]:
        return {}


class RelateInput(Asked):
    """``findings`` are numbered lines, each with its task and its place."""

    findings: tuple[str, ...]


class Repeat(BaseModel):
    """A finding that says what another one says, which stands at the better place."""

    finding: int
    of: int


class Contradiction(BaseModel):
    """Findings that cannot both hold, in one sentence."""

    findings: list[int] = Field(min_length=2)
    text: str


class Relations(BaseModel):
    repeats: list[Repeat] = []
    contradictions: list[Contradiction] = []


class RelateFindings(PromptTask[RelateInput, Relations]):
    """What of the findings of several tasks repeats and what contradicts itself."""

    name = "relate"
    schema = Relations
    max_tokens = 600

    def values(self, inp: RelateInput, words: object) -> dict[str, str]:
        return {"lines": "\n".join(inp.findings)}

    def check(self, inp: RelateInput, output: Relations) -> Relations:
        known = range(1, len(inp.findings) + 1)
        return Relations(
            repeats=[r for r in output.repeats if r.finding in known and r.of in known],
            contradictions=[c for c in output.contradictions if set(c.findings) <= set(known)],
        )

    def fallback(self, inp: RelateInput) -> Relations:
        return Relations()


class WriteInput(Asked):
    """``task`` is what a section is about, "" for the answer of the whole report.

    ``findings`` are numbered lines with their quotes; ``said`` is what the person added;
    ``remarks`` what was found lacking of an earlier draft.
    """

    findings: tuple[str, ...]
    task: str = ""
    said: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    instructions: str = ""


class Paragraph(BaseModel):
    """Sentences of prose, items of a list, or rows of a table under the names of its columns.

    The text of a row has a cell for each column, between bars.
    """

    form: Literal["prose", "list", "table"]
    columns: list[str] = []
    sentences: list[WrittenSentence]


class WrittenSection(BaseModel):
    paragraphs: list[Paragraph]


class WriteSection(PromptTask[WriteInput, Sequence[Paragraph]]):
    """A section of a report over its findings; no paragraph without a model."""

    name = "section"
    schema = WrittenSection
    max_tokens = 2_000

    def values(self, inp: WriteInput, words: object) -> dict[str, str]:
        return {"lines": "\n".join(inp.findings)}

    def check(self, inp: WriteInput, output: WrittenSection) -> Sequence[Paragraph]:
        written = [each for paragraph in output.paragraphs for each in paragraph.sentences]
        require_claims(written, len(inp.findings), inp.language)
        return [each for each in output.paragraphs if each.sentences]

    def fallback(self, inp: WriteInput) -> Sequence[Paragraph]:
        return []


class WriteAnswer(WriteSection):
    """The direct answer at the top of a report: two to five sentences of prose."""

    name = "lead"
    max_tokens = 700


def written_so_far(text: str) -> str:
    """The sentences of a section whose reply is still being written, as far as they are whole."""
    try:
        paragraphs = from_json(text, allow_partial=True)["paragraphs"]
        sentences = [each for paragraph in paragraphs for each in paragraph["sentences"]]
        return " ".join(each["text"] for each in sentences if "claims" in each)
    except (ValueError, TypeError, KeyError):
        return ""
