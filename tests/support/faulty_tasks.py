"""A model behind a real server that answers every task rightly but one, at which it has a fault."""

import json
from collections.abc import Callable
from typing import Any, Final, get_args

from services.models.base import ChatRequest, Completion
from services.models.openai_compatible import OpenAICompatibleModel
from tests.support.loopback import Body, Fault
from tests.support.openai_server import OpenAIServer
from tests.support.reading_rules import grade_reply, read_reply, section_reply, verify_reply

DOWN: Final = "down"
"""Nobody listens; all other faults are those of a server."""
FAULTS: Final = (DOWN, *(each for each in get_args(Fault) if each != "none"))
HALVED: Final = ("cut", "drop", "length")
CLOSED_PORT: Final = "http://127.0.0.1:9/v1"

TRUE: Final = "Für Beschäftigte unter 18 Jahren beträgt der Grenzwert des Lärms 70 Dezibel."
ALLOWED: Final = "Die Behörde kann für Auszubildende einen Grenzwert von 80 Dezibel zulassen"
LIMIT: Final = "Grenzwert des Lärms für Auszubildende"
SEARCH: Final = 'THOUGHT: suchen\nACTION: retrieve_vector\nARGUMENTS: {"query": "Grenzwert Lärm"}'
SUM_UP: Final = "THOUGHT: fassen\nACTION: synthesize\nARGUMENTS: {}"
REPLIES: Final[dict[str, Any]] = {
    "rewrite": {"question": f"Welcher {LIMIT[:19]} gilt für Auszubildende?"},
    "words": {"queries": ["Lärm Jugendliche"], "passage": ""},
    "together": {"sentences": [{"text": TRUE, "claims": [1]}]},
    "decompose": {
        "question_type": "factual",
        "required_info": [{"info": LIMIT, "query": LIMIT}],
    },
    "agent_reflect": "Es fehlt etwas.\nACTION: continue",
    "agent_synthesize": TRUE,
    "look_over": {
        "concepts": ["Grenzwert"],
        "aspects": [{"aspect": "der Grenzwert", "covered": "partly"}],
        "assumptions": [],
        "questions": [
            {
                "question": "Für wen?",
                "matters": "Davon hängt ab, welcher Grenzwert gilt.",
                "options": [
                    {"answer": "Auszubildende", "holds": [{"passage": 1, "quote": "80 Dezibel"}]},
                    {"answer": "andere", "holds": [{"passage": 1, "quote": "85 Dezibel"}]},
                ],
            }
        ],
    },
    "plan": {
        "tasks": [
            {"task": f"{LIMIT} feststellen", "why": "die Zahl", "searches": []},
            {"task": "Ausnahmen der Behörde vom Grenzwert", "why": "wer", "searches": []},
        ]
    },
    "relate": {"repeats": [], "contradictions": []},
    "graph_facts": {
        "entities": ["Behörde", "Auszubildende", "Grenzwert", "Ausnahme"],
        "relations": [
            {"sentence": 4, "subject": "Behörde", "relation": "zulassen", "object": "Grenzwert"}
        ],
    },
}

FROM_THE_PROMPT: Final[dict[str, Callable[[str], str]]] = {
    "verify": verify_reply,
    "grade": grade_reply,
    "section": section_reply,
    "lead": section_reply,
}


def right(body: Body) -> str:
    """What a useful model says to each task of a run over the law of ``desk``."""
    task, prompt = body["user"], body["messages"][-1]["content"]
    if task == "rerank":
        marks = body["response_format"]["json_schema"]["schema"]["properties"]
        return json.dumps(dict.fromkeys(marks, 5))
    if task == "agent_think":
        return SUM_UP if "retrieve_vector" in prompt and "synthesize" not in prompt else SEARCH
    if task == "read":
        return read_reply(prompt, (TRUE, ALLOWED))
    if task in FROM_THE_PROMPT:
        return FROM_THE_PROMPT[task](prompt)
    reply = REPLIES[task]
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


class TaskServer(OpenAIServer):
    """Has its fault at the requests of the task ``ill``."""

    def __init__(self) -> None:
        super().__init__(right)
        self.ill = ""

    def next_fault(self, body: Body) -> Fault:
        fault = super().next_fault(body)
        return fault if body["user"] == self.ill else "none"

    def text_for(self, fault: str, body: Body) -> str:
        """Of what breaks off the beginning of the right answer comes: it would be believed."""
        whole = super().text_for("none" if fault in HALVED else fault, body)
        return whole[: len(whole) // 2] if fault in HALVED else whole

    def asked(self) -> dict[str, bool]:
        """The tasks that it was asked so far, and whether each wants JSON."""
        return {each["user"]: "response_format" in each for each in self.requests}


class TaskModel(OpenAICompatibleModel):
    """Tells the server which task a request is of; nobody answers those of ``down``."""

    learns_speed = False
    first_guess_tokens_per_s = 10_000.0

    def __init__(self, url: str) -> None:
        super().__init__("m", url=url, parallel=2)
        self.down = ""
        self._nobody = OpenAICompatibleModel("m", url=CLOSED_PORT)

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        return super()._arguments(request) | {"user": request.task}

    async def _generate(
        self, request: ChatRequest, on_text: Callable[[str], None] | None
    ) -> Completion:
        if request.task == self.down:
            return await self._nobody._generate(request, on_text)
        return await super()._generate(request, on_text)
