"""What a useful model would say to the tasks of a run over the law of ``desk``."""

import json

from tests.support.exam_replies import reply_to
from tests.support.loopback import Body

PROSE = "Für Beschäftigte unter 18 Jahren beträgt der Grenzwert des Lärms 70 Dezibel."
STRUCTURED = {
    "queries": {"queries": ["Lärm Jugendliche", "Ausnahme Auszubildende"]},
    "gaps": {"concepts": ["Grenzwert"], "gaps": [], "clarification_needed": False},
    "questions": {
        "questions": [
            {"question": "Geht es um Auszubildende?", "answers": ["ja, Auszubildende", "nein"]}
        ]
    },
    "tasks": {"tasks": ["Grenzwert des Lärms für Auszubildende feststellen"]},
    "relevant": {"relevant": [1, 2]},
    "passage": {"passage": "Bei der Ausbildung wird Gehörschutz getragen."},
    "readings": {"readings": []},
}


def reply(body: Body) -> str:
    """What a useful model would say, told apart by the schema that was sent."""
    schema, prompt = body.get("format"), body["messages"][-1]["content"]
    if examined := reply_to(prompt):
        return examined
    if not schema:
        return PROSE
    name = next(name for name in STRUCTURED if name in schema["properties"])
    return json.dumps(STRUCTURED[name], ensure_ascii=False)
