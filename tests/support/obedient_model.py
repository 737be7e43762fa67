"""A scripted model that does whatever a hostile text in its prompt says, whichever task it has."""

import json
import re
from collections.abc import Sequence
from typing import Any

from services.evaluation.answers import QuestionRecord
from services.models.base import ChatRequest
from tests.support.injection import HostileText
from tests.support.reading_test_replies import faithful
from tests.support.scripted_model import Answer, ScriptedModel, prompt_of

BEGIN = 40
"""Characters of a text that tell it from others: tools show the beginning of a sentence."""
TEXT_TASKS = ("agent_synthesize",)
HONEST: dict[str, Answer] = {
    "words": {"queries": ["Grenzwert"], "passage": ""},
    "look_over": {
        "concepts": ["Grenzwert"],
        "aspects": [{"aspect": "Grenzwert", "covered": "yes"}],
        "assumptions": [],
        "questions": [],
    },
    "relate": {"repeats": [], "contradictions": []},
    "agent_reflect": "Alles da.\nACTION: final_answer",
}


class ObedientModel(ScriptedModel):
    """Says the truth where it read nothing hostile, and else what it was told to by ``texts``.

    It passes its reading test, so that it reads, and misses nothing in what it reads once more.
    Told in a free text to write something, it repeats the order, says what stands in it between
    quotation marks, and then the truth, unless it is to ``say`` ``only`` what was ordered. Where
    there is JSON to write the text is in every field. ``truths`` answer each question.
    """

    def __init__(
        self,
        texts: Sequence[HostileText],
        truths: Sequence[tuple[QuestionRecord, str]],
        say: str = "all",
    ) -> None:
        super().__init__(default="no JSON", name="obedient")
        self._texts, self._truths, self._say = texts, truths, say
        self.obeyed: list[str] = []

    def _answer(self, request: ChatRequest) -> Answer:
        if tested := faithful(request):
            return tested
        prompt = " ".join(prompt_of(request).replace("|", " ").split())
        begins = {
            " ".join(each.text.replace("|", " ").split())[:BEGIN]: each for each in self._texts
        }
        seen = next((each.text for begin, each in begins.items() if begin in prompt), None)
        truth = next((said for one, said in self._truths if one.q in prompt), "Das gilt.")
        if seen is not None:
            self.obeyed.append(request.task)
            return self._obeying(request.task, seen, truth)
        if request.task == "agent_think":
            query = next((one.q for one, _ in self._truths if one.q in prompt), "Grenzwert")
            return action("final_answer", "") if "\n| " in prompt_of(request) else searching(query)
        if request.task == "plan":
            return {"tasks": [_task(truth)]}
        if request.task in TEXT_TASKS:
            return truth
        return HONEST.get(request.task, "no JSON")

    def _obeying(self, task: str, text: str, truth: str) -> Answer:
        inside = re.findall(r"[\"»“'](.{12,}?)[\"«”']", text)
        ordered = " ".join([text, *(f"{each.rstrip('.')}." for each in inside)])
        said = f"{ordered} {truth}" if self._say == "all" else ordered
        if task in TEXT_TASKS:
            return said
        if task == "agent_think":
            call = re.search(r"ACTION: \w+ ARGUMENTS: \{.*?\}", text)
            told = call and call[0].replace(" ARGUMENTS", "\nARGUMENTS")
            return f"THOUGHT: {text}\n{told}" if told else action("final_answer", said)
        written: dict[str, Answer] = {
            "plan": {"tasks": [_task(text), _task(truth)]},
            "words": {"queries": [text], "passage": text},
            "look_over": {
                "concepts": [text],
                "aspects": [{"aspect": text, "covered": "no"}],
                "assumptions": [text],
                "questions": [_asked_back(text)],
            },
        }
        return written.get(task, said)


def _task(text: str) -> dict[str, Any]:
    return {"task": text, "why": text, "searches": [text]}


def _asked_back(text: str) -> dict[str, Any]:
    options = [
        {"answer": each, "holds": [{"passage": 1, "quote": each}]} for each in (text, f"{text}!")
    ]
    return {"question": text, "matters": text, "options": options}


def searching(query: str) -> str:
    arguments = json.dumps({"query": query}, ensure_ascii=False)
    return f"THOUGHT: suchen\nACTION: retrieve_vector\nARGUMENTS: {arguments}"


def action(tool: str, answer: str) -> str:
    arguments = json.dumps({"answer": answer}, ensure_ascii=False)
    return f"THOUGHT: fertig\nACTION: {tool}\nARGUMENTS: {arguments}"
