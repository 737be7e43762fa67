"""The honest baseline: top-5 passages in one prompt, one model call, citations by the model.

    python -m tests.benchmarks.plain_rag --questions FILE.jsonl --home HOME --collection NAME \\
        --out PLAIN.json
    rabbithole eval answers --questions FILE.jsonl --collection NAME --depth research \\
        --out OURS.json
    rabbithole eval compare OURS.json PLAIN.json

Answers with the model of ``RABBITHOLE_LLM``; called again, it asks only what is still open. The
search is the product's own and the model the same, so that what is measured is the research method
and nothing else. Where a choice was open it favours the baseline: the prompt asks for full
answers, a truncated answer is kept as far as it got, every ``[n]`` counts as a citation of that
whole passage, and support is checked against the whole passage.
"""

import argparse
import asyncio
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from services.build import Services
from services.domain import Hit, Principal
from services.domain.errors import NoModel, RabbitholeError, StoresBusy, TruncatedGeneration
from services.evaluation.answer_results import ResultFile
from services.evaluation.answers import Question, Report
from services.evidence.stated import unstated_labels, unstated_numbers
from services.evidence.verification.claims import CitedSection
from services.language.text import sentences
from services.models.base import ChatModel, ChatRequest, Completion, Message
from services.ownership import OwnerLock
from services.settings import Settings
from tests.benchmarks import common

PASSAGES = 5
ANSWER_TOKENS = 1024

# No word about refusing: told how to refuse, the bundled model did so with the answer in
# passage 1, and a baseline that never answers would prove nothing.
INSTRUCTIONS = {
    "de": (
        "Beantworte die Frage vollständig und in ganzen Sätzen aus diesen Textstellen. Nenne am "
        "Ende jedes Satzes die Nummer der Textstelle, aus der er stammt, zum Beispiel [2]."
    ),
    "en": (
        "Answer the question completely and in whole sentences from these passages. End every "
        "sentence with the number of the passage it comes from, for example [2]."
    ),
}

_MARKS = r"\[\s*\d+(?:\s*[,;]\s*\d+)*\s*\]"
_AFTER_STOP = re.compile(rf"([.!?:])[ \t]*((?:{_MARKS}[ \t]*)+)(?![ \t]*[a-zäöüß\d])\.?")
_ALONE_ON_LINE = re.compile(rf"\s*\n\s*((?:{_MARKS}\s*)+)(?=\n|$)")

SupportCheck = Callable[[str, Hit, str], bool]
"""Whether a passage supports a sentence of a language: (sentence, passage, language)."""
Search = Callable[[str], Sequence[Hit]]


def render(question: Question, hits: Sequence[Hit]) -> tuple[Message, ...]:
    """The whole prompt: instructions, numbered passages, question."""
    passages = "\n\n".join(
        f"[{number}] {hit.title}, {hit.section}\n{hit.text}"
        for number, hit in enumerate(hits, start=1)
    )
    german = question.lang == "de"
    ask = "Frage" if german else "Question"
    return (
        Message(role="system", content=INSTRUCTIONS["de" if german else "en"]),
        Message(role="user", content=f"{passages}\n\n{ask}: {question.q}"),
    )


def bind_marks(text: str) -> str:
    """Moves marks that follow a full stop or stand on a line of their own into their sentence."""
    text = _ALONE_ON_LINE.sub(lambda found: " " + found[1].strip(), text)
    return _AFTER_STOP.sub(lambda found: f" {found[2].strip()}{found[1]} ", text)


def marks_of(sentence: str, passages: int) -> list[int]:
    """Numbers of the passages that a sentence cites, each once; others are ignored."""
    numbers = (int(n) for mark in re.findall(_MARKS, sentence) for n in re.findall(r"\d+", mark))
    return list(dict.fromkeys(n for n in numbers if 1 <= n <= passages))


def without_marks(text: str) -> str:
    """The text a reader sees."""
    bare = re.sub(rf"\s*{_MARKS}", "", text)
    return re.sub(r"\s+([.!?,:])", r"\1", bare).strip()


def split(text: str) -> list[str]:
    """Sentences of a model's answer with their marks; every line ends one."""
    lines = [line.strip() for line in bind_marks(text).splitlines() if line.strip()]
    return [line[start:end].strip() for line in lines for start, end in sentences(line)]


def cite(
    text: str, hits: Sequence[Hit], supports: SupportCheck, language: str
) -> list[dict[str, Any]]:
    """Sentences in the shape of the report, cited as the model marked them.

    A sentence is supported if a passage that it marks states its numbers and labels.
    """
    result = []
    for marked in split(text):
        cited = [hits[number - 1] for number in marks_of(marked, len(hits))]
        plain = without_marks(marked)
        if not plain:
            continue
        result.append(
            {
                "text": plain,
                "supported": any(supports(plain, hit, language) for hit in cited),
                "citations": [citation(hit) for hit in cited],
            }
        )
    return result


def citation(hit: Hit) -> dict[str, Any]:
    """A whole passage as a citation; its text is the catalog's own, hence verified."""
    fields = {"document", "document_id", "page", "section", "start", "end"}
    return {**hit.model_dump(include=fields), "quote": hit.text, "verified": True}


def stated(sentence: str, hit: Hit, language: str) -> bool:
    """Whether a passage states all numbers and labels of a sentence, as code checks it."""
    headings = "\n".join((hit.title, *hit.heading_path))
    passage = [CitedSection(hit.section, headings, hit.text, language)]
    return not (
        unstated_numbers(sentence, "", passage, language) or unstated_labels(sentence, "", passage)
    )


class PlainRag:
    """Answers questions with one search and one model call."""

    def __init__(
        self, search: Search, model: ChatModel, supports: SupportCheck, *, deadline_s: float
    ) -> None:
        self._search = search
        self._model = model
        self._supports = supports
        self._deadline_s = deadline_s

    async def answer(self, question: Question) -> Report:
        """A report with ``retrieved``: the places of the passages that stood in the prompt."""
        hits = self._search(question.q)[:PASSAGES]
        completion, degraded = await self._generate(render(question, hits))
        return {
            "question": question.q,
            "language": question.lang,
            "answer": without_marks(bind_marks(completion.text)),
            "raw_answer": completion.text,
            "sentences": cite(completion.text, hits, self._supports, question.lang),
            "sources": [{"document": hit.document, "title": hit.title} for hit in hits],
            "retrieved": [hit.model_dump(include={"document", "title", "section"}) for hit in hits],
            "degraded": degraded,
            "usage": {
                "model": self._model.name,
                "model_calls": 1,
                "repairs": 0,
                "fallbacks": 0,
                "prompt_tokens": completion.prompt_tokens,
                "completion_tokens": completion.completion_tokens,
                "seconds": {"answer": completion.seconds},
            },
        }

    async def _generate(self, messages: tuple[Message, ...]) -> tuple[Completion, list[str]]:
        request = ChatRequest(
            messages=messages,
            json_schema=None,
            max_tokens=ANSWER_TOKENS,
            deadline_s=self._deadline_s,
        )
        states = [""]
        try:
            return await self._model.complete(request, states.append), []
        except TruncatedGeneration:
            text = states[-1]
            return Completion(
                text=text,
                prompt_tokens=sum(self._model.count_tokens(m.content) for m in messages),
                completion_tokens=self._model.count_tokens(text),
                seconds=0.0,
            ), ["the answer was cut at the token limit"]


async def measure(given: argparse.Namespace) -> None:
    """Asks every open question; each answer is kept as soon as it is there.

    Raises:
        NotFound: There is no such collection.
        NoModel: The settings name no model; the baseline has no path without one.
    """
    services = Services(Settings(home=given.home))
    try:
        scope = services.library.scope(Principal(), [given.collection])
        model = await services.chat_model()
        if model is None:
            raise NoModel("The baseline needs a language model; set RABBITHOLE_LLM.")
        rag = PlainRag(
            lambda query: services.retriever.search(query, scope=scope, k=PASSAGES),
            model,
            stated,
            deadline_s=given.timeout,
        )
        questions = Question.load(given.questions)
        kept = ResultFile(given.out, given.questions, depth="plain", collections=[given.collection])
        done = kept.answered("plain")
        for question in questions:
            if question.id not in done:
                row = await answered(rag, question)
                kept.add(row, questions)
                print(f"{row['id']}: {row.get('error', 'answered')} in {row['seconds']} s")
    finally:
        await services.aclose()


async def answered(rag: PlainRag, question: Question) -> common.Row:
    """The report with its wall-clock seconds, or the error in its place."""
    row = {"system": "plain", "id": question.id, "question": question.q}
    begin = time.monotonic()
    try:
        row |= {"report": await rag.answer(question)}
    except RabbitholeError as error:
        row["error"] = f"{type(error).__name__}: {error}"
    return {**row, "seconds": round(time.monotonic() - begin, 2)}


def main() -> None:
    parser = common.arguments(__doc__, "home", "collection", "out")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--timeout", type=float, default=1800.0, help="seconds for one answer")
    given = parser.parse_args()
    lock = OwnerLock(given.home)
    if not lock.acquire():
        raise StoresBusy(f"Another process uses {given.home}; stop it and measure again.")
    try:
        asyncio.run(measure(given))
    finally:
        lock.release()


if __name__ == "__main__":
    main()
