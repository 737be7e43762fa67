"""Plain RAG on CLAPNQ: top 5 passages in one prompt; the model cites, and refuses by a word."""

import time
from collections.abc import Sequence
from typing import Any

from agent.ask.answer import PROMPT_TOKENS, room
from agent.prompts.ask import AnswerInput, AnswerQuestion
from services.build import build_services
from services.domain import Hit, Principal
from services.domain.errors import NoModel, RabbitholeError
from services.models.base import ChatModel, ChatRequest, Message
from services.ownership import OwnerLock
from services.settings import Settings
from tests.benchmarks.clapnq_data import ClapQuestion
from tests.benchmarks.plain_rag import PASSAGES, bind_marks, marks_of, split

REFUSAL = "UNANSWERABLE"
INSTRUCTIONS = (
    "Answer the question in at most 3 short sentences from these passages alone. End every "
    "sentence with the number of the passage it comes from, for example [2]. If the passages do "
    f"not answer the question, write only {REFUSAL}."
)
ANSWER_TOKENS = 260
Row = dict[str, Any]


def prompt(question: str, hits: Sequence[Hit], model: ChatModel) -> tuple[Message, ...]:
    """Five passages, each cut to its share of the prompt that quick answers would have."""
    wanted = AnswerInput(question=question, language="en", passages=())
    tokens = room(model, AnswerQuestion(), wanted, PROMPT_TOKENS)
    share = min(tokens, PROMPT_TOKENS) // max(1, len(hits))
    passages = "\n\n".join(
        f"[{n}] {hit.title}\n{cut(hit.text, share, model)}" for n, hit in enumerate(hits, start=1)
    )
    return (
        Message(role="system", content=INSTRUCTIONS),
        Message(role="user", content=f"{passages}\n\nQuestion: {question}"),
    )


def cut(text: str, tokens: int, model: ChatModel) -> str:
    """The longest beginning of whole words that has at most so many tokens, nearly."""
    words = text.split()
    share = min(1.0, tokens / max(1, model.count_tokens(text)))
    return " ".join(words[: int(len(words) * share)])


async def answer_all(
    settings: Settings, collection: str, questions: Sequence[ClapQuestion]
) -> list[Row]:
    """One search and one call a question.

    Raises:
        NoModel: the settings name no model.
    """
    lock = OwnerLock(settings.home)
    if not lock.acquire():
        raise RabbitholeError(f"Another process uses {settings.home}; stop it and measure again.")
    services = build_services(settings)
    try:
        scope = services.library.scope(Principal(), [collection])
        model = await services.chat_model()
        if model is None:
            raise NoModel("Plain RAG needs a language model; set RABBITHOLE_LLM.")
        rows = []
        for question in questions:
            hits = services.retriever.search(question.text, scope=scope, k=10)
            rows.append(await answer(question, hits, model, settings.model_deadline_s))
        return rows
    finally:
        await services.aclose()
        lock.release()


async def answer(
    question: ClapQuestion, hits: Sequence[Hit], model: ChatModel, deadline_s: float
) -> Row:
    """What the figures need; a call that fails counts as a refusal."""
    begin = time.monotonic()
    shown = hits[:PASSAGES]
    request = ChatRequest(
        messages=prompt(question.text, shown, model),
        max_tokens=ANSWER_TOKENS,
        deadline_s=deadline_s,
    )
    texts = [""]
    try:
        texts.append((await model.complete(request, texts.append)).text)
    except RabbitholeError as problem:
        print(f"{question.id}: {problem}")
    text = texts[-1]
    order = list(dict.fromkeys(hit.document for hit in hits))
    cited = list(
        dict.fromkeys(
            shown[number - 1].document
            for sentence in split(bind_marks(text))
            for number in marks_of(sentence, len(shown))
        )
    )
    refused = not text.strip() or REFUSAL in text.upper()
    return {
        "id": question.id,
        "half": question.half,
        "answerable": question.answerable,
        "refused": refused,
        "rank": order.index(question.gold) + 1 if question.gold in order else None,
        "cited_gold": cited.count(question.gold or "") / len(cited)
        if cited and not refused
        else None,
        "answer": text,
        "calls": 1,
        "seconds": round(time.monotonic() - begin, 2),
    }
