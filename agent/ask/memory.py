"""Answers to the same question asked again, kept where people want it."""

from agent.ask.models import Reply, RetrievalSummary
from agent.ask.state import AskState
from agent.context import Context
from services.library.answer_cache import AnswerKey


def recalled(state: AskState, context: Context) -> tuple[Reply, RetrievalSummary] | None:
    """What was answered to the same question before, as far as reader and model may share it."""
    kept = context.services.answers.find(_key(state, context), state["understanding"].question)
    if kept is None:
        return None
    return Reply.model_validate(kept["reply"]), RetrievalSummary.model_validate(kept["found"])


def keep(state: AskState, context: Context) -> None:
    """Remembers an answer that nothing was wrong with; a refusal is none."""
    reply, found = state["reply"], state["found"]
    wrong = reply.degraded or state["warnings"] or any(each.fallback for each in state["usage"])
    if reply.refused or wrong or found is None:
        return
    answer = {"reply": reply.model_dump(mode="json"), "found": found.model_dump(mode="json")}
    context.services.answers.keep(_key(state, context), state["understanding"].question, answer)


def _key(state: AskState, context: Context) -> AnswerKey:
    options, model = state["options"], context.tasks.model
    versions, graph, said = context.before(options.profile)
    return AnswerKey(
        scope=context.scope,
        versions=versions,
        language=state["understanding"].language,
        profile=options.profile,
        model=model.name if model else "none",
        graph=graph,
        parameters=(
            state["route"].depth,
            options.k,
            options.max_tokens,
            options.synthesis_prompt,
            said,
            state["reads"],
        ),
    )
