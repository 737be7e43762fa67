"""The first step of a turn: a follow-up becomes a question that stands for itself."""

import asyncio
from collections.abc import Sequence
from typing import Final

from agent.ask.follow_up import completed, needs_conversation, resolves
from agent.ask.models import AskOptions, PastTurn, Rewriting
from agent.ask.state import AskState
from agent.ask.step import AskStep, asked, timed
from agent.ask.writing_skill import writes
from agent.prompts.ask import RewriteFollowUp, RewriteInput
from agent.step import Update
from services.events import ExecutionStart
from services.query.language import detect_language

TURNS_SHOWN: Final = 2
ANSWER_SHOWN: Final = 240


@timed("rewrite")
async def rewrite_question(state: AskState, step: AskStep) -> Update:
    """Asks the model only for a follow-up that needs the conversation, and only one that writes
    well where a quick answer will do."""
    question, past = state["question"], state.get("conversation", [])
    options = await asyncio.to_thread(_with_skill, state["options"], step)
    step.emit(
        ExecutionStart(
            turn=state["turn"],
            question=question,
            profile_tag=options.profile or "",
            options=options.model_dump(mode="json"),
        )
    )
    language = _language(question, past)
    reader = step.context.reader
    if not await asyncio.to_thread(needs_conversation, question, past, language, reader):
        rewriting = Rewriting(question=question, language=language)
        return {"rewriting": rewriting, "options": options}
    rewriting = completed(question, past, language)
    if options.depth not in ("auto", "fast") or writes(options.writing):
        rewriting = await _by_model(question, rewriting, past, step)
    return {"rewriting": rewriting, "options": options}


def _with_skill(options: AskOptions, step: AskStep) -> AskOptions:
    """The options with what is known of the model's writing; a replay's have it."""
    skill, model = step.context.skill, step.context.tasks.model
    if skill is None or model is None:
        return options
    return options.model_copy(update={"writing": skill.figure(model.name)})


async def _by_model(
    question: str, by_rules: Rewriting, past: Sequence[PastTurn], step: AskStep
) -> Rewriting:
    """The model's version if its words hold and it says what was meant, else that of the rules."""
    text = await asked(
        step,
        RewriteFollowUp(),
        RewriteInput(
            question=question,
            language=by_rules.language,
            conversation=tuple(
                (turn.question, turn.answer[:ANSWER_SHOWN]) for turn in past[-TURNS_SHOWN:]
            ),
            fallback=by_rules.question,
        ),
    )
    if step.context.tasks.model is None or step.usage[-1].fallback is not None:
        return by_rules
    if not resolves(text, past[-1], by_rules.language):
        return by_rules
    return by_rules.model_copy(update={"question": text, "by": "model"})


def _language(question: str, past: Sequence[PastTurn]) -> str:
    """That of the question; one too short to tell is in the language of the one before."""
    default = detect_language(past[-1].question) if past else "en"
    return detect_language(question, default=default)
