"""Model tasks of research: what is there, a plan, grades of findings, and the report over them."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field
from pydantic_core import from_json

from agent.models import ToDoItem
from agent.prompts import PromptTask, QuestionInput, say
from agent.prompts.reading import DraftSource, WrittenSentence, require_claims
from services.domain import Language, Value
from services.domain.errors import InvalidGeneration
from services.language.text.words import addresses, stems
from services.models.output import check_language

MOST_ASPECTS: Final = 6
MOST_QUESTIONS: Final = 2
MOST_ASSUMPTIONS: Final = 2
MIN_TASKS, MAX_TASKS = 3, 5
REPETITION: Final = 0.7
SHARED_STEMS: Final = 2
"""With fewer word stems a task says nothing of another one (``What is radon?``)."""

Covered = Literal["yes", "partly", "no"]


class SurveyInput(QuestionInput):
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
        """Return all of it that the person reads."""
        return " ".join((self.question, self.matters, *(o.answer for o in self.options)))


class Survey(BaseModel):
    """What the documents offer to a question, and what only the person can decide."""

    concepts: list[str] = Field(max_length=6)
    aspects: list[Aspect] = Field(min_length=1, max_length=MOST_ASPECTS)
    assumptions: list[str] = Field(default=[], max_length=MOST_ASSUMPTIONS)
    questions: list[AskBack] = Field(default=[], max_length=MOST_QUESTIONS)


class LookOver(PromptTask[SurveyInput, Survey | None]):
    """Find out what passages cover of a question, and what to ask; None without a model."""

    name = "look_over"
    schema = Survey
    max_tokens = 900

    def check(self, inp: SurveyInput, output: Survey) -> Survey:
        """Keep new questions whose answers lead to different words; drop texts with addresses."""
        earlier = {question.casefold() for question in inp.asked}
        questions = [
            question
            for question in output.questions
            if question.question.casefold() not in earlier
            and _differ(question.options)
            and not addresses(question.text)
        ]
        aspects = [aspect for aspect in output.aspects if not addresses(aspect.aspect)]
        if not aspects:
            raise InvalidGeneration("no part of the question was named")
        assumptions = [text for text in output.assumptions if not addresses(text)]
        update = {"questions": questions, "aspects": aspects, "assumptions": assumptions}
        return output.model_copy(update=update)


def _differ(options: Sequence[Option]) -> bool:
    sources = {
        frozenset((source.passage, " ".join(source.quote.split())) for source in option.holds)
        for option in options
    }
    return len(sources) == len(options)


class SectionFound(Value):
    """A section that clarification found: ``name`` is ``StrlSchG § 78``."""

    name: str
    heading: str


class PlanInput(QuestionInput):
    """``aspects`` are the parts of the question, with what of each was found; ``refinements`` what
    the person added; ``earlier`` the tasks that they approved for ``earlier_question``."""

    aspects: tuple[str, ...] = ()
    refinements: tuple[str, ...] = ()
    found: tuple[SectionFound, ...] = ()
    earlier: tuple[str, ...] = ()
    earlier_question: str = ""
    languages: str = ""


class Planned(BaseModel):
    """A task, what it is to find out, and what is searched for."""

    task: str
    why: str
    searches: list[str] = Field(max_length=3)


class PlanOutput(BaseModel):
    tasks: list[Planned] = Field(min_length=1, max_length=MAX_TASKS)


class PlanTasks(PromptTask[PlanInput, list[ToDoItem]]):
    """Propose tasks that together answer the question; none without a model that reads."""

    name = "plan"
    schema = PlanOutput
    max_tokens = 900
    otherwise = list

    def values(self, inp: PlanInput, texts: object) -> dict[str, object]:
        return {"sections": tuple(f"{s.name}: {s.heading}".rstrip(": ") for s in inp.found)}

    def check(self, inp: PlanInput, output: PlanOutput) -> list[ToDoItem]:
        tasks = [
            ToDoItem(
                id=0,
                task=" ".join(planned.task.split()),
                context=planned.why.strip(),
                searches=tuple(filter(None, map(str.strip, planned.searches))),
            )
            for planned in output.tasks
            if planned.task.strip() and not addresses(f"{planned.task} {planned.why}")
        ]
        if not tasks:
            raise InvalidGeneration("no tasks are left")
        check_language("\n".join(task.task for task in tasks), inp.language)
        return _numbered(tasks)


def tasks_by_rule(inp: PlanInput) -> list[ToDoItem]:
    """Return a task for each aspect of the question and each remark; sections only to reach three.

    Aspects may differ in a single word; a remark that repeats a task is none of its own. A section
    is one unless another task names it: its heading does not count, as it repeats the question.
    """
    language, limit = inp.language, max(MAX_TASKS, len(inp.aspects))
    tasks: list[ToDoItem] = []
    contents: list[set[str]] = []

    def add(text: str, why: str) -> None:
        task = text[0].upper() + text[1:]
        tasks.append(ToDoItem(id=0, task=task, context=say(language, why)))
        contents.append(content(text, language))

    for text in dict.fromkeys(inp.aspects):
        add(text, "by_question")
    for text in inp.refinements:
        words = content(text, language)
        comparable = [
            other
            for other in contents
            if other == words or min(len(other), len(words)) >= SHARED_STEMS
        ]
        if len(tasks) < limit and words and not repeats(words, comparable):
            add(text, "by_person")
    for section in inp.found:
        name = content(section.name, language)
        if len(tasks) < MIN_TASKS and not any(name <= words for words in contents):
            text = say(language, "evaluate", section.name, section.heading).rstrip(": ")
            add(text, "by_search")
    return _numbered(tasks)


def _numbered(tasks: Sequence[ToDoItem]) -> list[ToDoItem]:
    return [task.model_copy(update={"id": n}) for n, task in enumerate(tasks, start=1)]


def content(task: str, language: Language) -> set[str]:
    """Return the word stems of a task."""
    return set(stems(task, language))


def repeats(words: set[str], others: Sequence[set[str]]) -> bool:
    """Return whether a task with these word stems asks what another one asks already."""
    return any(len(words & other) >= REPETITION * min(len(words), len(other)) for other in others)


class GradeInput(QuestionInput):
    """``findings`` come with their task; ``said`` is what the person added."""

    findings: tuple[str, ...]
    said: tuple[str, ...] = ()


class Grade(BaseModel):
    number: int
    grade: Annotated[int, Field(ge=0, le=10)]
    why: str


class Grades(BaseModel):
    grades: list[Grade]


class GradeFindings(PromptTask[GradeInput, dict[int, Grade]]):
    """Grade how relevant each finding is to the question, by its number from 1."""

    name = "grade"
    schema = Grades
    max_tokens = 1_500
    otherwise = dict

    def check(self, inp: GradeInput, output: Grades) -> dict[int, Grade]:
        return {g.number: g for g in output.grades if g.number <= len(inp.findings)}


class RelateInput(QuestionInput):
    """``findings`` come with task and place; ``gaps`` are numbered lines of what readings
    lacked."""

    findings: tuple[str, ...]
    gaps: tuple[str, ...] = ()


class Repeat(BaseModel):
    """A finding that says what another one says, which stands at the better place."""

    finding: int
    of: int


class Contradiction(BaseModel):
    """Findings that cannot both hold, in one sentence."""

    findings: list[int] = Field(min_length=2)
    text: str


class Gap(BaseModel):
    """What no finding says of a gap, "" if they close it."""

    number: int
    open: str


class Relations(BaseModel):
    repeats: list[Repeat]
    contradictions: list[Contradiction]
    gaps: list[Gap] = []


class RelateFindings(PromptTask[RelateInput, Relations]):
    """Find repetitions, contradictions and closed gaps among the findings of several tasks."""

    name = "relate"
    schema = Relations
    max_tokens = 1_200

    def fallback(self, inp: RelateInput) -> Relations:
        return Relations(repeats=[], contradictions=[])

    def check(self, inp: RelateInput, output: Relations) -> Relations:
        numbers = range(1, len(inp.findings) + 1)
        gaps: dict[int, dict[str, None]] = {}
        for gap in output.gaps:
            if 1 <= gap.number <= len(inp.gaps):
                gaps.setdefault(gap.number, {})[gap.open.strip()] = None
        return Relations(
            repeats=[r for r in output.repeats if r.finding in numbers and r.of in numbers],
            contradictions=[c for c in output.contradictions if set(c.findings) <= set(numbers)],
            gaps=[
                Gap(number=n, open="; ".join(text for text in texts if any(map(str.isalnum, text))))
                for n, texts in gaps.items()
            ],
        )


class WriteInput(QuestionInput):
    """``task`` is what a section is about, "" for the answer of the report; ``findings`` come with
    their quotes, ``said`` is what the person added, ``remarks`` what an earlier draft lacked."""

    findings: tuple[str, ...]
    task: str = ""
    said: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    instructions: str = ""


class Paragraph(BaseModel):
    """Sentences of prose, items of a list, or rows of a table with a cell for each column."""

    form: Literal["prose", "list", "table"]
    columns: list[str] = []
    sentences: list[WrittenSentence]


class WrittenSection(BaseModel):
    paragraphs: list[Paragraph]


class WriteSection(PromptTask[WriteInput, Sequence[Paragraph]]):
    """Write a section of a report over its findings; no paragraph without a model."""

    name = "section"
    schema = WrittenSection
    max_tokens = 3_000
    otherwise = list

    def check(self, inp: WriteInput, output: WrittenSection) -> Sequence[Paragraph]:
        written = [s for paragraph in output.paragraphs for s in paragraph.sentences]
        require_claims(written, len(inp.findings), inp.language)
        return [paragraph for paragraph in output.paragraphs if paragraph.sentences]


class WriteAnswer(WriteSection):
    """Write the answer at the top of a report, and what only all of its findings show."""

    name = "lead"
    max_tokens = 2_500


def written_so_far(text: str) -> str:
    """Return the complete sentences of a section whose reply is still being written."""
    try:
        paragraphs = from_json(text, allow_partial=True)["paragraphs"]
        sentences = [s for paragraph in paragraphs for s in paragraph["sentences"]]
        return " ".join(s["text"] for s in sentences if "claims" in s)
    except (ValueError, TypeError, KeyError):
        return ""
