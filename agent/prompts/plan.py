"""Model task of planning: three to five research tasks."""

import re

from pydantic import BaseModel, Field

from agent.prompts import bullets, in_language, worded
from services.llm.base import Message
from services.llm.tasks import ModelTask
from services.text import stems
from services.types import Value

MIN_TASKS, MAX_TASKS = 3, 5
REPETITION = 0.7


class SectionFound(Value):
    """A section that clarification found: ``name`` is ``StrlSchG § 78``."""

    name: str
    heading: str


class PlanInput(Value):
    question: str
    language: str
    facets: tuple[str, ...]
    refinements: tuple[str, ...]
    gaps: tuple[str, ...]
    found: tuple[SectionFound, ...]


class PlanOutput(BaseModel):
    tasks: list[str] = Field(min_length=1, max_length=MAX_TASKS)


class PlannedTask(Value):
    task: str
    context: str


class PlanTasks(ModelTask[PlanInput, list[PlannedTask]]):
    """Every part of the question gets a task; the model adds what else is worth a look."""

    name = "plan"
    schema = PlanOutput
    max_tokens = 250

    def render(self, inp: PlanInput) -> tuple[Message, ...]:
        system = in_language(
            inp.language,
            de="Du planst eine Recherche in Dokumenten. Nenne 3 bis 5 Aufgaben, je ein kurzer "
            "Satz mit dem, was nachzuschlagen ist. Bleibe bei der Frage. Beantworte nichts.",
            en="You plan research in documents. Give 3 to 5 tasks, each one short sentence "
            "saying what to look up. Stay with the question. Answer nothing.",
        )
        found = worded(inp.language, de="Vorhandene Abschnitte:", en="Sections available:")
        wishes = worded(inp.language, de="Hinweise der Person:", en="The person adds:")
        parts = [inp.question]
        if inp.refinements:
            parts.append(f"{wishes}\n{bullets(inp.refinements)}")
        parts.append(f"{found}\n{bullets([f'{s.name}: {s.heading}' for s in inp.found])}")
        return (
            Message(role="system", content=system),
            Message(role="user", content="\n\n".join(parts)),
        )

    def check(self, inp: PlanInput, output: PlanOutput) -> list[PlannedTask]:
        """Keeps tasks that talk about the question; code adds the rest."""
        terms = set(stems(" ".join([inp.question, *inp.refinements]), inp.language))
        why = worded(
            inp.language,
            de="Vorschlag des Modells",
            en="proposed by the model",
            fr="proposé par le modèle",
            es="propuesto por el modelo",
        )
        proposed = [
            PlannedTask(task=task.strip(), context=why)
            for task in output.tasks
            if len(set(stems(task, inp.language)) & terms) >= 2
        ]
        return _merge([*_facet_tasks(inp), *proposed], _section_tasks(inp), inp.language)

    def fallback(self, inp: PlanInput) -> list[PlannedTask]:
        return _merge(_facet_tasks(inp), _section_tasks(inp), inp.language)


def _facet_tasks(inp: PlanInput) -> list[PlannedTask]:
    part = worded(
        inp.language,
        de="Teil der Frage",
        en="part of the question",
        fr="partie de la question",
        es="parte de la pregunta",
    )
    gap = worded(
        inp.language,
        de="Lücke aus der Klärung",
        en="gap from clarification",
        fr="lacune relevée en clarifiant la question",
        es="laguna hallada al aclarar la pregunta",
    )
    wish = worded(
        inp.language,
        de="Hinweis der Person",
        en="the person's remark",
        fr="remarque de la personne",
        es="observación de la persona",
    )
    return [
        *(PlannedTask(task=facet, context=part) for facet in inp.facets),
        *(PlannedTask(task=text, context=wish) for text in inp.refinements),
        *(PlannedTask(task=text, context=gap) for text in inp.gaps),
    ]


def _section_tasks(inp: PlanInput) -> list[PlannedTask]:
    text = worded(
        inp.language,
        de="{} auswerten: {}",
        en="Evaluate {}: {}",
        fr="Examiner {} : {}",
        es="Examinar {}: {}",
    )
    why = worded(
        inp.language,
        de="bei der Klärung gefunden",
        en="found in clarification",
        fr="trouvé en clarifiant la question",
        es="hallado al aclarar la pregunta",
    )
    tasks = [text.format(s.name, s.heading).rstrip(": ") for s in inp.found]
    return [PlannedTask(task=task, context=why) for task in tasks]


REMINDER = re.compile(r"\([^()]*\)$")
"""What a part of the question takes along from the whole, in brackets at its end."""


def _merge(
    wanted: list[PlannedTask], further: list[PlannedTask], language: str
) -> list[PlannedTask]:
    """At most five of the wanted tasks; further ones only to reach three. No repetitions."""
    kept: list[PlannedTask] = []
    seen: list[set[str]] = []
    for limit, tasks in ((MAX_TASKS, wanted), (MIN_TASKS, further)):
        for task in tasks:
            words = content(task.task, language)
            if len(kept) < limit and words and not repeats(words, seen):
                text = task.task[0].upper() + task.task[1:]
                kept.append(task.model_copy(update={"task": text}))
                seen.append(words)
    return kept


def content(task: str, language: str) -> set[str]:
    """The word stems of a task, without what it takes along from the whole question."""
    return set(stems(REMINDER.sub("", task), language))


def repeats(words: set[str], seen: list[set[str]]) -> bool:
    """Whether a task of these words asks what another asks already."""
    return any(len(words & other) >= REPETITION * min(len(words), len(other)) for other in seen)
