"""What a useful model would say to the tasks of a run over the law of ``desk``."""

import json
import re

from agent.writing_skill import SAMPLES
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


def faithful(prompt: str) -> str:
    """A sentence of the passage by which models are measured that the prompt has, "" for none."""
    passage = next((each.text for each in SAMPLES if each.text in prompt), "")
    return re.split(r"(?<=[a-zß]\.) ", passage)[0]


def reply(body: Body) -> str:
    """What a useful model would say, told apart by the schema that was sent."""
    schema = body.get("format")
    if not schema:
        return faithful(body["messages"][-1]["content"]) or PROSE
    name = next(name for name in STRUCTURED if name in schema["properties"])
    return json.dumps(STRUCTURED[name], ensure_ascii=False)
