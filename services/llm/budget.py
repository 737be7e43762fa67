"""How much prompt a model can take: by its context, and by its speed."""

from collections.abc import Sequence

from services.errors import PromptTooLong
from services.llm.base import ChatModel, ChatRequest, Message

TOKENS_PER_MESSAGE = 6
"""Role and separators around a message in the usual chat templates (Qwen: 5)."""

TOKENS_PER_PROMPT = 32
"""A template's own system text and the opening of the answer (Qwen: 23)."""

PROMPT_SHARE = 0.4
"""Share of a deadline that reading the prompt may take; the rest is for the output."""


def count_prompt(model: ChatModel, messages: Sequence[Message]) -> int:
    """Tokens of a whole prompt, the template's own included."""
    texts = sum(model.count_tokens(message.content) for message in messages)
    return texts + TOKENS_PER_MESSAGE * len(messages) + TOKENS_PER_PROMPT


def require_fit(model: ChatModel, request: ChatRequest) -> None:
    """Refuse a request whose prompt and output do not fit the context.

    Raises:
        PromptTooLong: With the numbers, so that the caller can cut.
    """
    prompt = count_prompt(model, request.messages)
    if prompt + request.max_tokens > model.context_tokens:
        raise PromptTooLong(
            f"the prompt has about {prompt} tokens and the answer up to {request.max_tokens}, "
            f"more than the {model.context_tokens} tokens of {model.name}; give it fewer "
            "passages or raise RABBITHOLE_CONTEXT_TOKENS"
        )


def passage_tokens(
    model: ChatModel, *, fixed_tokens: int, max_tokens: int, deadline_s: float
) -> int:
    """Tokens of passages that a prompt may hold besides its fixed part.

    The smaller of what the context leaves and what the model reads, at its measured speed,
    in :data:`PROMPT_SHARE` of the deadline; never negative.

    Args:
        fixed_tokens: Prompt without passages, as :func:`count_prompt` counts it.
        max_tokens: Output to leave room for.
        deadline_s: Seconds of the whole call.
    """
    by_context = model.context_tokens - max_tokens - fixed_tokens
    by_speed = int(model.prompt_tokens_per_s * deadline_s * PROMPT_SHARE) - fixed_tokens
    return max(0, min(by_context, by_speed))


def fit_passages(model: ChatModel, passages: Sequence[str], tokens: int) -> list[str]:
    """The longest beginning of ``passages`` that fits into ``tokens``; none is cut."""
    fitting: list[str] = []
    for passage in passages:
        tokens -= model.count_tokens(passage) + 1
        if tokens < 0:
            break
        fitting.append(passage)
    return fitting
