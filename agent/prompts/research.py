"""Model tasks of research: clarification, planning, extraction and synthesis."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from pydantic import BaseModel, Field

from agent.models import ToDoItem
from agent.prompts import Asked, PassageText, PromptTask, TextTask, Worded, say, shown
from services.domain import Language, Value
from services.domain.errors import InvalidGeneration
from services.language.text import addresses, stems
from services.language.text.keyphrases import keyphrases

ALTERNATIVES: Final = 2
MAX_GAPS: Final = 3
MAX_ASSUMPTIONS: Final = 2
MAX_QUESTIONS: Final = 3
MIN_TASKS, MAX_TASKS = 3, 5
MOST_SENTENCES: Final = 8
REPETITION: Final = 0.7
SHARED_STEMS: Final = 2
"""Word stems that a proposed task shares with the question, if that has so many; with fewer one
task says nothing of another (``What is radon?``)."""
REMINDER: Final = re.compile(r"\([^()]*\)$")
"""What a part of the question takes along from the whole, in brackets at its end."""


class QueriesInput(Asked):
    refinements: tuple[str, ...]
    gaps: tuple[str, ...]
    earlier: tuple[str, ...]


class QueriesOutput(BaseModel):
    queries: list[str] = Field(min_length=1, max_length=3)


class SearchQueries(PromptTask[QueriesInput, list[str]]):
    """Two further search queries beside the question itself."""

    name = "search_queries"
    schema = QueriesOutput
    max_tokens = 120

    def check(self, inp: QueriesInput, output: QueriesOutput) -> list[str]:
        fresh = _distinct(output.queries, known=(inp.question, *inp.earlier))
        return _distinct([*fresh, *self.fallback(inp)], known=(inp.question,))[:ALTERNATIVES]

    def fallback(self, inp: QueriesInput) -> list[str]:
        """Open gaps and refinements first, then the question's keyphrases."""
        phrases = keyphrases(inp.question, inp.language, limit=6)
        lead = " ".join(phrases[:2])
        candidates = [
            *(f"{lead} {each}".strip() for each in (*reversed(inp.refinements), *inp.gaps)),
            " ".join(phrases),
            *phrases,
        ]
        return _distinct(candidates, known=(inp.question, *inp.earlier))[:ALTERNATIVES]


class AnalysisInput(Asked):
    """``missing`` are the parts of the question that nothing answers, ``complete``: all are.

    ``readings`` are sections that answer a part about equally well.
    """

    found: tuple[str, ...]
    missing: tuple[str, ...]
    complete: bool
    readings: tuple[str, ...] = ()


class AnalysisOutput(BaseModel):
    concepts: tuple[str, ...] = Field(max_length=6)
    gaps: tuple[str, ...] = Field(max_length=MAX_GAPS)
    assumptions: tuple[str, ...] = Field(default=(), max_length=MAX_ASSUMPTIONS)
    clarification_needed: bool


class AnalyzeRetrieval(PromptTask[AnalysisInput, AnalysisOutput]):
    """Concepts, gaps and assumptions in view of what the corpus holds.

    Gaps start with the parts that nothing answers; where all are answered none is left.
    """

    name = "analyze_retrieval"
    schema = AnalysisOutput
    max_tokens = 260

    def check(self, inp: AnalysisInput, output: AnalysisOutput) -> AnalysisOutput:
        terms = set(stems(inp.question, inp.language))
        related = [gap for gap in output.gaps if terms.intersection(stems(gap, inp.language))]
        gaps = [] if inp.complete else _distinct([*inp.missing, *related])
        return AnalysisOutput(
            concepts=tuple(_distinct(output.concepts)),
            gaps=tuple(gaps[:MAX_GAPS]),
            assumptions=tuple(
                text
                for text in _distinct(output.assumptions, known=(inp.question,))
                if terms.intersection(words := content(text, inp.language)) and words - terms
            ),
            clarification_needed=not inp.complete
            and (output.clarification_needed or bool(inp.missing or inp.readings)),
        )

    def fallback(self, inp: AnalysisInput) -> AnalysisOutput:
        return AnalysisOutput(
            concepts=tuple(keyphrases(inp.question, inp.language, limit=6)),
            gaps=inp.missing[:MAX_GAPS],
            clarification_needed=not inp.complete,
        )


class QuestionsInput(Asked):
    """``readings`` are sections that answer about equally well; ``asked`` what was asked before."""

    found: tuple[str, ...]
    gaps: tuple[str, ...]
    readings: tuple[str, ...]
    asked: tuple[str, ...]


class QuestionOutput(BaseModel):
    """A question to the person, with answers that it may get."""

    question: str
    answers: tuple[str, ...] = Field(min_length=2, max_length=3)


class QuestionsOutput(BaseModel):
    questions: list[QuestionOutput] = Field(max_length=MAX_QUESTIONS)


class AskQuestions(PromptTask[QuestionsInput, list[QuestionOutput]]):
    """Questions with the answers that they may get; which are worth asking, the search decides."""

    name = "clarifying_questions"
    schema = QuestionsOutput
    max_tokens = 260

    def check(self, inp: QuestionsInput, output: QuestionsOutput) -> list[QuestionOutput]:
        proposed = [
            QuestionOutput(question=each.question.strip(), answers=tuple(answers))
            for each in output.questions
            if not addresses(" ".join([each.question, *each.answers]))
            and len(answers := _distinct(each.answers)) > 1
        ]
        return _fresh([*proposed, *self.fallback(inp)], inp)

    def fallback(self, inp: QuestionsInput) -> list[QuestionOutput]:
        """Which of the sections that answer about equally well is meant; each is offered once."""
        readings = tuple(
            each for each in inp.readings if not any(each in asked for asked in inp.asked)
        )
        if len(readings) < 2:
            return []
        either = say(inp.language, "or_reading").join(readings)
        question = say(inp.language, "which_reading", either)
        return _fresh([QuestionOutput(question=question, answers=readings)], inp)


def _fresh(questions: Sequence[QuestionOutput], inp: QuestionsInput) -> list[QuestionOutput]:
    """Questions that have not been asked, each once."""
    by_text = {each.question: each for each in questions if each.question.endswith("?")}
    texts = _distinct(list(by_text), known=(inp.question, *inp.asked))
    return [by_text[text] for text in texts][:MAX_QUESTIONS]


def _distinct(texts: Sequence[str], known: Sequence[str] = ()) -> list[str]:
    """Non-empty texts that differ from each other and from the known ones, in order."""
    seen = {"", *(text.casefold().strip() for text in known)}
    first: dict[str, str] = {}
    for text in map(str.strip, texts):
        first.setdefault(text.casefold(), text)
    return [text for folded, text in first.items() if folded not in seen]


class SectionFound(Value):
    """A section that clarification found: ``name`` is ``StrlSchG § 78``."""

    name: str
    heading: str


class PlanInput(Asked):
    """``earlier`` are the tasks of a plan that the person approved for ``earlier_question``."""

    facets: tuple[str, ...]
    refinements: tuple[str, ...]
    found: tuple[SectionFound, ...]
    earlier: tuple[str, ...] = ()
    earlier_question: str = ""


class PlanOutput(BaseModel):
    tasks: list[str] = Field(min_length=1, max_length=MAX_TASKS)


class PlanTasks(PromptTask[PlanInput, list[ToDoItem]]):
    """Every part of the question gets a task; the model adds what else is worth a look."""

    name = "plan"
    schema = PlanOutput
    max_tokens = 250

    def values(self, inp: PlanInput, words: Mapping[str, str]) -> dict[str, object]:
        return {"sections": tuple(f"{each.name}: {each.heading}" for each in inp.found)}

    def check(self, inp: PlanInput, output: PlanOutput) -> list[ToDoItem]:
        """Keeps tasks that talk about the question and lead nowhere else; code adds the rest."""
        terms = set(stems(" ".join([inp.question, *inp.refinements]), inp.language))
        least = max(1, min(SHARED_STEMS, len(terms)))
        tasks = [t for task in output.tasks if (t := task.strip()) and not addresses(t)]
        return _planned(
            inp, [t for t in tasks if len(terms.intersection(stems(t, inp.language))) >= least]
        )

    def fallback(self, inp: PlanInput) -> list[ToDoItem]:
        return _planned(inp, [])


def _planned(inp: PlanInput, proposed: Sequence[str]) -> list[ToDoItem]:
    """At most five tasks for parts, remarks and proposals; sections only to reach three.

    A section is a task of its own unless another one names it: that its heading says what the
    question says is why it was found.
    """
    language = inp.language
    kept: list[ToDoItem] = []
    seen: list[set[str]] = []

    def take(task: str, why: str, words: set[str]) -> None:
        text = task[0].upper() + task[1:]
        kept.append(ToDoItem(id=len(kept) + 1, task=text, context=say(language, why)))
        seen.append(words)

    for why, tasks in (
        ("by_question", inp.facets),
        ("by_person", inp.refinements),
        ("by_model", proposed),
    ):
        most = max(MAX_TASKS, len(inp.facets))
        for task in tasks:
            words = content(task, language)
            comparable = [o for o in seen if o == words or min(len(o), len(words)) >= SHARED_STEMS]
            if len(kept) < most and words and not repeats(words, comparable):
                take(task, why, words)
    for section in inp.found:
        name = content(section.name, language)
        if len(kept) < MIN_TASKS and not any(name <= words for words in seen):
            task = say(language, "evaluate", section.name, section.heading).rstrip(": ")
            take(task, "by_search", content(task, language))
    return kept


def content(task: str, language: Language) -> set[str]:
    """The word stems of a task, without what it takes along from the whole question."""
    return set(stems(REMINDER.sub("", task), language))


def repeats(words: set[str], seen: Sequence[set[str]]) -> bool:
    """Whether a task of these words asks what another asks already."""
    return any(len(words & other) >= REPETITION * min(len(words), len(other)) for other in seen)


class ExtractInput(Worded):
    """``sentences`` are best first, as code ranked them."""

    task: str
    sentences: tuple[PassageText, ...]


class ExtractOutput(BaseModel):
    relevant: list[Annotated[int, Field(ge=1, le=MOST_SENTENCES)]] = Field(
        min_length=1, max_length=4
    )


class ExtractEvidence(PromptTask[ExtractInput, tuple[int, ...]]):
    """One call over the whole batch of a task: positions in ``sentences``, best first.

    The model chooses; code's first three sentences always stay, so that a poor choice costs
    precision and never the answer.
    """

    name = "extract"
    schema = ExtractOutput
    max_tokens = 60
    always = 3
    most = 5

    def values(self, inp: ExtractInput, words: Mapping[str, str]) -> dict[str, str]:
        numbered = [
            PassageText(place=each.place, text=f"[{number}] {each.text}")
            for number, each in enumerate(inp.sentences, start=1)
        ]
        return {"lines": shown(numbered)}

    def check(self, inp: ExtractInput, output: ExtractOutput) -> tuple[int, ...]:
        picked = [n - 1 for n in output.relevant if 1 <= n <= len(inp.sentences)]
        if not picked:
            raise InvalidGeneration(
                "relevant must hold numbers from 1 to {most}", most=len(inp.sentences)
            )
        leading = range(min(self.always, len(inp.sentences)))
        return tuple(dict.fromkeys([*leading, *picked]))[: self.most]

    def fallback(self, inp: ExtractInput) -> tuple[int, ...]:
        return tuple(range(min(4, len(inp.sentences))))


class WriteInput(Worded):
    """``sentences`` are verbatim and best first; ``context`` is what the person added.

    ``instructions`` replace the system prompt unless empty.
    """

    task: str
    sentences: tuple[PassageText, ...]
    context: str = ""
    instructions: str = ""


class WritePart(TextTask[WriteInput]):
    """A short paragraph that says only what the given sentences say.

    Nothing without a model: the verified quotes that follow each part carry it alone.
    """

    name = "write"
    max_tokens = 400

    def values(self, inp: WriteInput, words: Mapping[str, str]) -> dict[str, str]:
        """Without numbers, and the question last: else a small model lists what it read."""
        return {"lines": shown(inp.sentences)}
