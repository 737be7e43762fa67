"""The first step of a turn: a follow-up becomes a question that can be understood alone.

A head decides whether a question needs the conversation (``services.language.query.heads``);
where the embedding in use has none, a question of hardly any content words does.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from agent.ask.models import PastTurn, Rewriting
from agent.ask.state import AskState
from agent.prompts.ask import RewriteFollowUp, RewriteInput
from agent.reading_test.tester import model_reads
from agent.step import Step, Update, timed
from services.domain import Language
from services.domain.events import ExecutionStart
from services.language.query.heads import QuestionReader
from services.language.query.language import detect_language
from services.language.text.words import has_stem, keyphrases, stems

MAX_NAMES: Final = 6

BECAUSE: Final = "it leans on the conversation before it"
MAX_WORDS: Final = 1
"""Content words up to which a question is incomplete, where there is no head."""

MAX_LENGTH: Final = 400
"""Characters of a follow-up with what is added to it; a longer one stays as it is."""
SHORT_ANSWER: Final = 160
MAX_ANSWER_NAMES: Final = 3
MIN_NAME_LENGTH: Final = 4
"""Letters; shorter names in an answer are mostly units."""

TURNS_SHOWN: Final = 2
ANSWER_SHOWN: Final = 240


def names_of(question: str, language: Language, entities: Sequence[str] = ()) -> tuple[str, ...]:
    """Return entities and key phrases of a question, each once, in the order of the question."""
    phrases = keyphrases(question, language, limit=MAX_NAMES)
    folded = {name: name.casefold() for name in (*entities, *phrases)}
    alone = [
        name
        for name, words in folded.items()
        if not any(name != other and words in longer for other, longer in folded.items())
    ]
    return tuple(sorted(alone[:MAX_NAMES], key=lambda name: question.casefold().find(folded[name])))


def needs_conversation(
    question: str, past: Sequence[PastTurn], language: Language, reader: QuestionReader | None
) -> bool:
    """Say whether a question cannot be understood without the turns before it."""
    if not past:
        return False
    if reader is None:
        return len(stems(question, language)) <= MAX_WORDS
    return reader.follows(question, past[-1].question, language)


def resolves(text: str, last: PastTurn, language: Language) -> bool:
    """Say whether a model's version names enough of the turn before to replace that of the rules.

    The rules' version has every name of that turn. An ellipsis replaces one of them, so half are
    enough; a name counts if most of its words are there, or compounds with them.
    """

    def covered(name: str) -> bool:
        words = stems(name, language)
        return 2 * sum(has_stem(word, text, language) for word in words) >= len(words)

    names = last.names or _answered(last, language)
    return 2 * sum(map(covered, names)) >= len(names)


def completed(question: str, past: Sequence[PastTurn], language: Language) -> Rewriting:
    """Return the follow-up with the topic of the last turn: the fallback without a model."""
    last, words = past[-1], set(stems(question, language))
    names = dict.fromkeys((*last.names, *_answered(last, language)))
    missing = [name for name in names if not set(stems(name, language)) <= words]
    about = ", ".join(missing[:MAX_NAMES])[: max(0, MAX_LENGTH - len(question))]
    complete = f"{question.strip()} ({about})" if about else question
    return Rewriting(question=complete, language=language, because=BECAUSE, by="rules")


def _answered(last: PastTurn, language: Language) -> tuple[str, ...]:
    """Return the names in a short answer: "Maria Thornton signed it"."""
    if len(last.answer) > SHORT_ANSWER:
        return ()
    names = [name for name in names_of(last.answer, language) if len(name) >= MIN_NAME_LENGTH]
    return tuple(names[:MAX_ANSWER_NAMES])


@timed("rewrite")
async def rewrite_question(state: AskState, step: Step) -> Update:
    """Complete a follow-up that needs the conversation.

    A model that reads does so at every depth; another one does not where a quick answer will do.
    """
    question, past, options = state["question"], state.get("conversation", []), state["options"]
    reads = await model_reads(step)
    step.emit(
        ExecutionStart(
            turn=state["turn"],
            question=question,
            profile_tag=options.profile or "",
            options=options.model_dump(mode="json"),
            reads=reads,
        )
    )
    # One too short to tell its language is in that of the question before.
    default = detect_language(past[-1].question) if past else "en"
    language, reader = detect_language(question, default=default), step.context.services.reader
    rewriting = Rewriting(question=question, language=language)
    if await asyncio.to_thread(needs_conversation, question, past, language, reader):
        rewriting = completed(question, past, language)
        if reads or options.depth not in ("auto", "fast"):
            rewriting = await _by_model(question, rewriting, past, step)
    return {"rewriting": rewriting, "reads": reads}


async def _by_model(
    question: str, by_rules: Rewriting, past: Sequence[PastTurn], step: Step
) -> Rewriting:
    """Return the model's version if it passes the checks, else that of the rules."""
    talk = tuple((turn.question, turn.answer[:ANSWER_SHOWN]) for turn in past[-TURNS_SHOWN:])
    inp = RewriteInput(
        question=question,
        language=by_rules.language,
        conversation=talk,
        fallback=by_rules.question,
    )
    text = await step.run(RewriteFollowUp(), inp)
    by_model = step.context.tasks.model is not None and step.usage[-1].fallback is None
    if not by_model or not resolves(text, past[-1], by_rules.language):
        return by_rules
    return by_rules.model_copy(update={"question": text, "by": "model"})
