"""What must be known to answer, and whether it is: plan and critique, by a model or by rules."""

import asyncio
from collections.abc import Sequence
from typing import Final, Literal

from agent.ask.parts import of_assessment
from agent.ask.state import AskState
from agent.ask.step import timed
from agent.context import Context
from agent.drafting import fitting, prompted
from agent.plan_memory import earlier_plans
from agent.prompts.structured import (
    MOST_GAP_QUERIES,
    CritiqueEvidence,
    CritiqueInput,
    DecomposeInput,
    DecomposeQuestion,
    ItemEvidence,
)
from agent.step import Step, Update
from services.domain import Language
from services.graph.names import clean_name
from services.language.text.keyphrases import keyphrases
from services.models.base import ChatModel, takes_one_call
from services.structured.decomposition import decompose_by_rules
from services.structured.values import MOST_TOPICS, Assessment, Judgement, Plan, SubQuery

ENOUGH: Final = 0.7
"""Confidence from which on nothing more is looked for."""

SHOWN_OF_ITEM: Final = 2
CRITIQUE_TOKENS: Final = 700
"""Of the sentences that a critic is shown."""

REMINDERS: Final = 2


@timed("decomposition")
async def decompose(state: AskState, step: Step) -> Update:
    """One call of the model, whose plan code checks; the rules' plan where it is of no use.

    Topics help to word the queries. A model of one call at a time copies them, and is told none.
    """
    understanding, model = state["understanding"], step.context.tasks.model
    by_rules = decompose_by_rules(understanding)
    if model is None:
        return {"plan": by_rules}
    alone = takes_one_call(model)
    question, language = understanding.question, understanding.language
    earlier = await earlier_plans(step, "structured", question, language)
    inp = DecomposeInput(
        question=question,
        language=language,
        earlier=earlier.tasks,
        earlier_question=earlier.asked,
        topics=() if alone else await asyncio.to_thread(topics_of, step.context),
        fallback=by_rules,
    )
    if earlier.cases:
        earlier.tell(step)
    return {"plan": await step.run(DecomposeQuestion(), inp)}


def topics_of(context: Context) -> tuple[str, ...]:
    """What the documents are about, as the graph's largest communities name it.

    Names are read off documents, so only plain ones go to a model.
    """
    graph, scope = context.graph, context.scope
    topics = () if graph is None else graph.topics(scope, limit=MOST_TOPICS)
    plain = (clean_name(name) for name in topics)
    return tuple(dict.fromkeys(name for name in plain if name))


@timed("critique")
async def critique(state: AskState, step: Step) -> Update:
    """Judges the evidence; a critic that fails leaves it to the coverage map.

    A critic can only doubt what the map calls covered. A model of one call at a time is spared
    that: it is asked about what is open, and not at all where nothing is.
    """
    assessment, model = state["assessment"], step.context.tasks.model
    by_map = by_coverage(state["plan"], assessment, state["understanding"].language)
    judged = assessment.open if takes_one_call(model) else state["plan"].required_info
    if model is None or not judged:
        return {"judgement": by_map}
    inp = await asyncio.to_thread(_shown, state, judged, by_map, step.context, model)
    return {"judgement": await step.run(CritiqueEvidence(), inp)}


def _shown(
    state: AskState,
    judged: Sequence[str],
    by_map: Judgement,
    context: Context,
    model: ChatModel,
) -> CritiqueInput:
    """Return the pieces to judge, each with its best sentences, as many as have room."""
    understanding = state["understanding"]
    language, share = understanding.language, CRITIQUE_TOKENS // len(judged)
    best = {part.text: part.ranked[:SHOWN_OF_ITEM] for part in of_assessment(state, context).parts}

    def shown(item: str) -> ItemEvidence:
        passages = prompted([s for _, s in best.get(item, ())], language, context)
        count = fitting(passages, share, model, least=1)
        return ItemEvidence(item=item, passages=tuple(passages[:count]))

    return CritiqueInput(
        question=understanding.question,
        language=language,
        required=state["assessment"].required,
        items=tuple(map(shown, judged)),
        fallback=by_map,
    )


def after_critique(state: AskState) -> Literal["fill_gaps", "synthesize", "refuse"]:
    """A second pass where something is missing and confidence is low, if it has what to ask."""
    judgement = state["judgement"]
    if judgement.queries and judgement.gaps and judgement.confidence < ENOUGH:
        return "fill_gaps"
    return after_gaps(state)


def after_gaps(state: AskState) -> Literal["synthesize", "refuse"]:
    """Refuses where nothing at all of what is required was found."""
    required = state["assessment"].required
    return "synthesize" if any(each.status != "missing" for each in required) else "refuse"


def by_coverage(plan: Plan, assessment: Assessment, language: Language) -> Judgement:
    """What the coverage map says: every item that is not wholly covered is looked for again.

    The search for an item is its key phrases with what else the question names.
    """
    queries = []
    for item in assessment.open[:MOST_GAP_QUERIES]:
        phrases = keyphrases(item, language) or [item]
        others = [hint for hint in plan.entity_hints if hint.casefold() not in item.casefold()]
        query = " ".join([*phrases, *others[:REMINDERS]])
        queries.append(SubQuery(query=query, target_info=item))
    return Judgement(confidence=assessment.coverage, gaps=assessment.open, queries=tuple(queries))
