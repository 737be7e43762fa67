"""Earlier plans of the same person: told to a model, suggested, and kept when a run ends."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agent.models import ToDoItem
from agent.prompts import say
from agent.prompts.research import MAX_TASKS, content, repeats
from agent.step import Step
from services.domain import Language, Value
from services.domain.events import PlanRecalled, total_seconds
from services.domain.plans import CaseTask, Origin, PlanCase, PlanKind
from services.domain.runs import RunInfo
from services.language.exchange import Exchange, exchange

SHOWN_TASKS: Final = 5
SHOWN_CHARACTERS: Final = 120
"""Of an earlier plan in a prompt: some 150 tokens."""


class Earlier(Value):
    """Plans of before for questions like this one, best first."""

    question: str
    language: Language
    cases: tuple[PlanCase, ...] = ()

    @property
    def asked(self) -> str:
        """The question of the best, for a prompt."""
        return self.cases[0].question[:SHOWN_CHARACTERS] if self.cases else ""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks of the best, for a prompt."""
        tasks = self.cases[0].tasks if self.cases else ()
        return tuple(each.task[:SHOWN_CHARACTERS] for each in tasks[:SHOWN_TASKS])

    def tell(self, step: Step) -> None:
        """Writes down which plans helped."""
        step.emit(PlanRecalled(question=self.question, cases=self.cases))

    def told(self, step: Step, proposed: Sequence[ToDoItem]) -> list[ToDoItem]:
        """``suggested``, and written down which plans helped, if they did or were told a model."""
        items = self.suggested(proposed)
        if self.cases and (step.context.tasks.model or items != list(proposed)):
            self.tell(step)
        return items

    def suggested(self, items: Sequence[ToDoItem]) -> list[ToDoItem]:
        """The proposal as the person would have it, by the plans of before.

        Where the best has a question that differs from this one only in its things, its tasks are
        taken over with the things exchanged, and its number of tasks. Every part of the question
        keeps its task.
        """
        for case in self.cases:
            change = exchange(case.question, self.question, self.language)
            if change is not None:
                return self._taken_over(items, _carried(case, change), len(case.tasks))
        return list(items)

    def _taken_over(
        self, items: Sequence[ToDoItem], tasks: Sequence[str], size: int
    ) -> list[ToDoItem]:
        """The tasks, what else the question asks, and of the other items as many as there were."""
        why, asked = say(self.language, "by_case"), say(self.language, "by_question")
        covered = [content(task, self.language) for task in tasks]
        own = {each.task: each for each in items}
        left = [
            each
            for each in items
            if each.context == asked and not repeats(content(each.task, self.language), covered)
        ]
        kept = [
            own.get(task, ToDoItem(id=0, task=task, context=why))
            for task in tasks[: MAX_TASKS - len(left)]
        ]
        kept += left
        seen = [content(each.task, self.language) for each in kept]
        for item in items:
            words = content(item.task, self.language)
            if len(kept) < min(MAX_TASKS, size) and not repeats(words, seen):
                kept.append(item)
                seen.append(words)
        return [item.model_copy(update={"id": n}) for n, item in enumerate(kept, start=1)]


def _carried(case: PlanCase, change: Exchange) -> list[str]:
    """The tasks of a case about the things of the new question, where that is certain.

    Sections that a search found belong to the old question.
    """
    own = (each.task for each in case.tasks if each.origin != "search")
    return [task for each in own if (task := change.applied(each))]


async def earlier_plans(step: Step, kind: PlanKind, question: str, language: Language) -> Earlier:
    """What the plan memory has for a question; nothing for none, and where it is off."""
    recall = step.context.recall if question else None
    cases = await asyncio.to_thread(recall, kind, question, language) if recall else ()
    return Earlier(question=question, language=language, cases=cases)


def research_case(
    run: RunInfo, state: Mapping[str, Any], report: Mapping[str, Any]
) -> PlanCase | None:
    """The plan of a finished research; None where it found no answer.

    It corrected itself where the answer was written anew, a task found nothing, or a rule stood
    in for the model.
    """
    if report["certainty"] == "refused":
        return None
    language, quality = state["detected_language"], state.get("quality_assessment")
    proposed = {each.task: each.context for each in state["todo_proposal"]}
    origins: dict[str, Origin] = {
        say(language, "by_question"): "question",
        say(language, "by_search"): "search",
        say(language, "by_model"): "model",
    }
    tasks = tuple(
        CaseTask(task=each.task, origin=origins.get(proposed.get(each.task, ""), "person"))
        for each in state["todo_list"]
    )
    empty = {each["task_id"] for each in report["task_summaries"] if each["key_findings"]}
    return _case(
        run,
        report["usage"],
        kind="research",
        language=language,
        question=state["query"],
        tasks=tasks,
        approved=state["options"].approve_plan,
        had_plan_improvements=bool(state.get("plan_changes")),
        had_tactical_improvements=bool(quality and quality.revised)
        or any(each.id not in empty for each in state["todo_list"])
        or report["usage"]["fallbacks"] > 0,
    )


def structured_case(
    run: RunInfo, state: Mapping[str, Any], report: Mapping[str, Any]
) -> PlanCase | None:
    """The decomposition of the last turn; None where no model made one, or it found no answer.

    A second pass of retrieval is a correction, so is a fallback.
    """
    turn = report["turns"][-1]
    if state.get("gathered") is None or state["plan"].by != "model" or turn["refused"]:
        return None
    queries = {each.target_info: each.query for each in reversed(state["plan"].sub_queries)}
    return _case(
        run,
        turn["usage"],
        turn=turn["turn"],
        kind="structured",
        language=turn["language"],
        question=state["understanding"].question,
        tasks=tuple(
            CaseTask(task=item, query=queries[item], origin="model")
            for item in state["plan"].required_info
        ),
        approved=False,
        had_tactical_improvements=any(each["gap"] for each in turn["sub_queries"])
        or turn["usage"]["fallbacks"] > 0,
    )


def _case(run: RunInfo, usage: Mapping[str, Any], **fields: Any) -> PlanCase:
    return PlanCase(
        case_id="",
        thread_id=run.thread_id,
        collections=run.collections,
        tokens=usage["prompt_tokens"] + usage["completion_tokens"],
        model_calls=usage["model_calls"],
        seconds=total_seconds(usage["seconds"]),
        **fields,
    )
