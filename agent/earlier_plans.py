"""Earlier plans of the same person: shown to a model, suggested, and kept when a run ends."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agent.models import ToDoItem
from agent.prompts import say
from agent.prompts.research import MAX_TASKS, content, repeats
from agent.step import Step
from services.domain import Language, Value
from services.domain.events import PlanRecalled, total_seconds
from services.domain.plan_cases import CaseTask, Origin, PlanCase, PlanKind
from services.domain.runs import RunInfo
from services.language.exchange import Exchange, exchange

PROMPT_TASKS: Final = 5
PROMPT_CHARACTERS: Final = 120
"""Of each question and task of an earlier plan in a prompt: some 150 tokens in all."""


class EarlierPlans(Value):
    """Earlier plans for questions like this one, best first."""

    question: str
    language: Language
    cases: tuple[PlanCase, ...] = ()

    @property
    def best_question(self) -> str:
        """The question of the best plan, for a prompt."""
        return self.cases[0].question[:PROMPT_CHARACTERS] if self.cases else ""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks of the best plan, for a prompt."""
        tasks = self.cases[0].tasks if self.cases else ()
        return tuple(case_task.task[:PROMPT_CHARACTERS] for case_task in tasks[:PROMPT_TASKS])

    def emit(self, step: Step) -> None:
        step.emit(PlanRecalled(question=self.question, cases=self.cases))

    def improve(self, step: Step, proposed: Sequence[ToDoItem]) -> list[ToDoItem]:
        """Return ``suggested`` items; record the plans if a model was shown them or they helped."""
        items = self.suggested(proposed)
        if self.cases and (step.context.tasks.model or items != list(proposed)):
            self.emit(step)
        return items

    def suggested(self, items: Sequence[ToDoItem]) -> list[ToDoItem]:
        """Return the proposal as the person would have it, by the earlier plans.

        If an earlier question differs from this one only in the things that it names, its tasks are
        taken over with the things exchanged, and so is their number. Every part of the question
        keeps its task.
        """
        for case in self.cases:
            change = exchange(case.question, self.question, self.language)
            if change is not None:
                return self._take_over(items, _exchanged_tasks(case, change), len(case.tasks))
        return list(items)

    def _take_over(
        self, items: Sequence[ToDoItem], tasks: Sequence[str], size: int
    ) -> list[ToDoItem]:
        """Return the tasks, what else the question asks, and other items up to ``size``."""
        by_case, by_question = say(self.language, "by_case"), say(self.language, "by_question")
        covered = [content(task, self.language) for task in tasks]
        proposed = {item.task: item for item in items}
        uncovered = [
            item
            for item in items
            if item.context == by_question
            and not any(content(item.task, self.language) <= words for words in covered)
        ]
        plan = [
            proposed.get(task, ToDoItem(id=0, task=task, context=by_case))
            for task in tasks[: MAX_TASKS - len(uncovered)]
        ]
        plan += uncovered
        planned = [content(item.task, self.language) for item in plan]
        for item in items:
            words = content(item.task, self.language)
            if len(plan) < min(MAX_TASKS, size) and not repeats(words, planned):
                plan.append(item)
                planned.append(words)
        return [item.model_copy(update={"id": n}) for n, item in enumerate(plan, start=1)]


def _exchanged_tasks(case: PlanCase, change: Exchange) -> list[str]:
    """Return the tasks of a case about the things of the new question, where that is certain.

    Sections that a search found belong to the old question.
    """
    tasks = (task.task for task in case.tasks if task.origin != "search")
    return [exchanged for task in tasks if (exchanged := change.applied(task))]


async def earlier_plans(
    step: Step, kind: PlanKind, question: str, language: Language
) -> EarlierPlans:
    """Return what the plan memory has for a question; nothing where it is off."""
    recall = step.context.recall if question else None
    cases = await asyncio.to_thread(recall, kind, question, language) if recall else ()
    return EarlierPlans(question=question, language=language, cases=cases)


def research_case(
    run: RunInfo, state: Mapping[str, Any], report: Mapping[str, Any]
) -> PlanCase | None:
    """Return the plan of a finished research; None where it found no answer.

    The plan had corrections if the answer was rewritten, a task found nothing, or a rule replaced
    the model.
    """
    if report["certainty"] == "refused":
        return None
    language, quality = state["detected_language"], state.get("quality_assessment")
    proposed = {item.task: item.context for item in state["todo_proposal"]}
    origins: dict[str, Origin] = {
        say(language, "by_question"): "question",
        say(language, "by_search"): "search",
        say(language, "by_model"): "model",
    }
    tasks = tuple(
        CaseTask(task=item.task, origin=origins.get(proposed.get(item.task, ""), "person"))
        for item in state["todo_list"]
    )
    fruitful = {task["task_id"] for task in report["task_summaries"] if task["key_findings"]}
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
        or any(item.id not in fruitful for item in state["todo_list"])
        or report["usage"]["fallbacks"] > 0,
    )


def structured_case(
    run: RunInfo, state: Mapping[str, Any], report: Mapping[str, Any]
) -> PlanCase | None:
    """Return the decomposition of the last turn; None where no model made it, or on a refusal.

    A second pass of retrieval is a correction, so is a fallback.
    """
    turn = report["turns"][-1]
    if state.get("structure") is None or state["plan"].by != "model" or turn["refused"]:
        return None
    queries = {query.target_info: query.query for query in reversed(state["plan"].sub_queries)}
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
        had_tactical_improvements=any(query["gap"] for query in turn["sub_queries"])
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
