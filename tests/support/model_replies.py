"""What a useful model would say to the tasks of a run over the law of ``desk``."""

import json
from typing import Any

from tests.support.loopback import Body
from tests.support.reading_rules import grade_reply, read_reply, section_reply, verify_reply
from tests.support.reading_test_replies import reply_to
from tests.support.research import LIMIT

PROSE = LIMIT
STRUCTURED: dict[str, Any] = {
    "concepts": {
        "concepts": ["Grenzwert"],
        "aspects": [{"aspect": "der Grenzwert", "covered": "yes"}],
        "assumptions": [],
        "questions": [],
    },
    "queries": {"queries": ["Lärm Jugendliche", "Ausnahme Auszubildende"], "passage": ""},
    "tasks": {
        "tasks": [
            {
                "task": "Grenzwert des Lärms für Auszubildende feststellen",
                "why": "die Zahl",
                "searches": [],
            }
        ]
    },
    "claims": lambda prompt: read_reply(prompt, (PROSE,)),
    "readings": verify_reply,
    "statements": {"statements": []},
    "grades": grade_reply,
    "repeats": {"repeats": [], "contradictions": []},
    "paragraphs": section_reply,
}


def reply(body: Body) -> str:
    """What a useful model would say, told apart by the schema that was sent."""
    schema, prompt = body.get("format"), body["messages"][-1]["content"]
    if tested := reply_to(prompt):
        return tested
    if not schema:
        return PROSE
    said = STRUCTURED[next(name for name in STRUCTURED if name in schema["properties"])]
    return str(said(prompt)) if callable(said) else json.dumps(said, ensure_ascii=False)
