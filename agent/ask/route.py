"""The first steps of a turn: a follow-up is completed, the question understood, a route chosen.

A head decides whether a question needs the conversation (``services.language.query.heads``);
where the embedding in use has none, a question of hardly any content words does.
"""

import asyncio
from collections.abc import Sequence
from typing import Final, Literal

from langgraph.runtime import Runtime

from agent.ask.models import AskOptions, Complexity, Depth, PastTurn, Rewriting, Route, RouteKind
from agent.ask.react.protocol import estimate_seconds
from agent.ask.state import AskState
from agent.context import Context
from agent.prompts.ask import RewriteFollowUp, RewriteInput
from agent.reading_test.tester import model_reads
from agent.step import Step, Update, timed
from services.domain import Language
from services.domain.events import ExecutionStart
from services.domain.notices import Notice
from services.language import query
from services.language.query.heads import QuestionReader
from services.language.query.language import detect_language
from services.language.query.values import Understanding
from services.language.text.words import has_stem, keyphrases, stems
from services.library.thresholds import Thresholds

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

    An ellipsis replaces one of its names, so half are enough, each with most of its words.
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
    """Complete a follow-up that needs the conversation, by a model if that is worth its time."""
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
        question=question, language=by_rules.language, conversation=talk, fallback=by_rules.question
    )
    text = await step.run(RewriteFollowUp(), inp)
    by_model = step.context.tasks.model is not None and step.usage[-1].fallback is None
    if not by_model or not resolves(text, past[-1], by_rules.language):
        return by_rules
    return by_rules.model_copy(update={"question": text, "by": "model"})


MAX_AUTO_SECONDS: Final = 60.0
"""Seconds of a usual turn of the agent up to which it is chosen automatically: quick answers are
promised in seconds, and a model in the processor takes minutes to think (docs/decisions/0008)."""


@timed("understand")
async def understand(state: AskState, step: Step) -> Update:
    """Understand the complete question without a model and choose how to answer it."""
    options, model = state["options"], step.context.tasks.model
    thresholds = await asyncio.to_thread(step.context.thresholds, options.profile)
    understanding = await understand_question(state["rewriting"], thresholds, step.context)
    complexity = understanding.complexity
    return {
        "understanding": understanding,
        "complexity": Complexity(score_rules=complexity.score, **dict(complexity)),
        "route": choose_route(
            understanding,
            complexity.score,
            options,
            thresholds,
            agent_s=None if model is None else estimate_seconds(model),
        ),
    }


async def understand_question(
    rewriting: Rewriting, thresholds: Thresholds, context: Context
) -> Understanding:
    """Return what the heads tell of a complete question, and the corpus of its phrases."""
    return await asyncio.to_thread(
        query.understand,
        rewriting.question,
        known_names=context.registry.names,
        language=rewriting.language,
        reader=context.services.reader,
        lookup=lambda phrases: context.catalog.corpus.named_phrases(phrases, context.scope),
        enhanced=thresholds.fast.value,
        agent=thresholds.agent.value,
    )


def choose_route(
    understanding: Understanding,
    score: float,
    options: AskOptions,
    thresholds: Thresholds,
    *,
    agent_s: float | None,
) -> Route:
    """Return the route of a question, which a depth that the person chose overrides.

    What only the catalog or all of the corpus can answer is answered from there at any depth.
    ``agent_s`` are the seconds that the agent usually takes; None without a model, and so without
    agent.
    """
    by_score = thresholds.depth(score)
    kind, reason = _route_kind(understanding)
    if kind != "search":
        return Route(way=kind, depth="fast", by_score=by_score, reason=reason)
    depth: Depth = options.depth if options.depth != "auto" else by_score
    reason = Notice.of("chosen by the user")
    if options.depth == "auto":
        bound = (thresholds.agent if depth == "agent" else thresholds.fast).value
        reason = (
            Notice.of("score {score:.3f} is below {bound:.2f}", score=score, bound=bound)
            if depth == "fast"
            else Notice.of("score {score:.3f} is {bound:.2f} or more", score=score, bound=bound)
        )
    deeper: tuple[Depth, ...] = ()
    if depth == "agent" and agent_s is None:
        depth, deeper = "enhanced", ("structured",)
        reason = Notice.of(
            "{reason}; the agent needs a language model and none is in use, so the depth "
            "“enhanced” was used instead",
            reason=reason,
        )
    elif depth == "agent" and options.depth == "auto" and agent_s and agent_s > MAX_AUTO_SECONDS:
        depth, deeper = "enhanced", ("structured", "agent")
        reason = Notice.of(
            "{reason}; the agent usually takes about {seconds:.0f} s with this model, so the "
            "depth “enhanced” was used instead",
            reason=reason,
            seconds=round(agent_s, -1),
        )
    return Route(way=kind, depth=depth, by_score=by_score, reason=reason, deeper=deeper)


def looked_again(route: Route) -> Route:
    """Return the route of an answer after a second look, which makes a quick one ``enhanced``."""
    if route.depth != "fast":
        return route
    reason = Notice.of(
        "{reason}; the first look left something open, so a second one followed",
        reason=route.reason,
    )
    return route.model_copy(update={"depth": "enhanced", "reason": reason})


def _route_kind(understanding: Understanding) -> tuple[RouteKind, Notice]:
    if understanding.about_database:
        return "catalog", Notice.of(
            "the question is about the documents themselves, so it is answered from the catalog"
        )
    count = understanding.scan
    if count is not None and count.sure and count.term is not None:
        return "scan", Notice.of(
            "every occurrence of {term!r} must be counted, so all texts are scanned",
            term=count.term,
        )
    return "search", Notice(message="")


def after_understanding(
    state: AskState,
) -> Literal["answer_from_catalog", "scan_corpus", "recall", "decompose"]:
    """Go to the first node of the route."""
    route = state["route"]
    if route.depth == "structured":
        return "decompose"
    if route.way == "search":
        return "recall"
    return "answer_from_catalog" if route.way == "catalog" else "scan_corpus"


def has_reader(state: AskState, runtime: Runtime[Context]) -> bool:
    """Say whether there is a model that reads."""
    return state.get("reads", False) and runtime.context.tasks.model is not None


def after_decomposition(
    state: AskState, runtime: Runtime[Context]
) -> Literal["quote_pieces", "read_pieces"]:
    """Go to the reading of each piece, or to its quotes where no model reads."""
    return "read_pieces" if has_reader(state, runtime) else "quote_pieces"
