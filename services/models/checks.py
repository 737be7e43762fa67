"""Short trials of the language model and of the embedding model: do they work, and how fast."""

import asyncio
import time
from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, JsonValue

from services.domain.errors import (
    InvalidGeneration,
    ModelTimeout,
    RabbitholeError,
    TruncatedGeneration,
)
from services.domain.model_checks import EmbedderCheck, ModelCheck
from services.domain.notices import Notice
from services.models.base import ChatModel, ChatRequest, Completion, Message
from services.models.output import generation_schema, read_output
from services.retrieval.embedders import Embedder

NO_MODEL = "none"
SPEED_PROMPT = "Count from one to twenty in English words, separated by commas. Nothing else."
SPEED_TOKENS = 200
FORM_PROMPT = 'Is the sky on a clear day blue? Answer as JSON: {"answer": "yes"} or "no".'
FORM_TOKENS = 40
SAMPLE_QUERY = "Welche Grenzwerte gelten für Beschäftigte?"


class Form(BaseModel):
    """What the model is to fill in."""

    answer: Literal["yes", "no"]


async def check_model(
    model: ChatModel | None, *, deadline_s: float, clock: Callable[[], float] = time.monotonic
) -> ModelCheck:
    """Has the model write a line and fill in a form; errors of it are told, not raised."""
    if model is None:
        return ModelCheck(model=NO_MODEL)
    check = ModelCheck(model=model.name, context_tokens=model.context_tokens)
    begin, told_s = clock(), list[float]()
    try:
        request = _request(SPEED_PROMPT, SPEED_TOKENS, deadline_s)
        written = await model.complete(request, lambda text: told_s.append(clock() - begin))
        check = check.model_copy(update=_speed(told_s[0] if told_s else None, written))
        form = generation_schema(Form)
        filled = await model.complete(_request(FORM_PROMPT, FORM_TOKENS, deadline_s, form))
        read_output(Form, filled.text)
    except RabbitholeError as problem:
        return check.model_copy(update={"problem": _sentence(problem)})
    return check.model_copy(
        update={"keeps_form": True, "prompt_tokens_per_s": model.prompt_tokens_per_s}
    )


def _speed(first_s: float | None, completion: Completion) -> dict[str, float | None]:
    """Tokens after the first one by the time that they took."""
    writing_s = completion.seconds - (first_s or 0.0)
    tokens = completion.completion_tokens - 1
    rate = tokens / writing_s if tokens > 0 and writing_s > 0 else None
    return {"first_token_s": first_s, "tokens_per_s": rate}


def _request(
    prompt: str, tokens: int, deadline_s: float, form: dict[str, JsonValue] | None = None
) -> ChatRequest:
    return ChatRequest(
        messages=(Message(role="user", content=prompt),),
        json_schema=form,
        max_tokens=tokens,
        deadline_s=deadline_s,
        task="check",
    )


def _sentence(problem: RabbitholeError) -> Notice:
    """The error; of one that no message of a server explains, with the way out."""
    match problem:
        case TruncatedGeneration():
            return Notice.of(
                "{reason}. It does not stop where it should: choose another model.",
                reason=problem,
            )
        case InvalidGeneration():
            return Notice.of(
                "{reason}. It does not do what it is told: choose another model.",
                reason=problem,
            )
        case ModelTimeout():
            return Notice.of(
                "{reason}. Choose a smaller model, or allow more time with "
                "RABBITHOLE_MODEL_DEADLINE_S.",
                reason=problem,
            )
    return problem.notice


async def check_embedder(
    embedder: Embedder, clock: Callable[[], float] = time.monotonic
) -> EmbedderCheck:
    """Has the embedding model read a question; raises what the model raises."""

    def check() -> EmbedderCheck:
        embedder.embed_query(SAMPLE_QUERY)  # the first one may load the model
        begin = clock()
        embedder.embed_query(f"{SAMPLE_QUERY} {begin}")
        return EmbedderCheck(
            query_ms=1000 * (clock() - begin),
            fingerprint=embedder.fingerprint,
            dimension=embedder.dimension,
            max_tokens=embedder.max_tokens,
        )

    return await asyncio.to_thread(check)
