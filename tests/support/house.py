"""A house for the pages: a real engine over two small laws, one with pages, and a scripted model."""

from pathlib import Path
from typing import Any

from agent.engine.engine import Engine, connect_to
from services.domain import Principal
from tests.support.desk import LAW, make_services
from tests.support.pdf_files import Text, make_pdf
from tests.support.research import FaultyModel

COLLECTION = "laerm"
QUESTION = "Welcher Grenzwert gilt für Beschäftigte, und wie hoch ist das Bußgeld bei Verstößen?"
CLEAR = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"
ASKED = "Geht es um Lärm oder um Schwingungen?"
TASKS = ("Grenzwert für Beschäftigte feststellen", "Grenzwert der Schwingungen feststellen")
PROSE = "Für Beschäftigte beträgt der Grenzwert des Lärms 85 Dezibel im Tagesmittel."
SHAKEN = "Für Beschäftigte beträgt der Grenzwert der Schwingungen der Hand 5 Meter je Sekunde."
VIBRATION = (
    ("§ 1 Zweck", "Dieses Gesetz schützt Beschäftigte vor Schwingungen von Maschinen."),
    ("§ 2 Grenzwerte der Schwingungen", SHAKEN),
    ("§ 3 Messung der Schwingungen", "Die Schwingungen der Hand sind jährlich zu messen."),
)
SEARCH = 'THOUGHT: **suchen**\nACTION: retrieve_vector\nARGUMENTS: {"query": "Grenzwert des Lärms"}'
ANSWER = f'THOUGHT: alles da\nACTION: final_answer\nARGUMENTS: {{"answer": "{PROSE}"}}'
ASK_BACK = 'THOUGHT: unklar\nACTION: ask_clarification\nARGUMENTS: {"question": "Für wen?"}'
SAYS: dict[str, Any] = {
    "search_queries": {"queries": ["Grenzwert Beschäftigte", "Bußgeld"]},
    "analyze_retrieval": {"concepts": [], "gaps": [], "clarification_needed": True},
    "clarifying_questions": {
        "questions": [{"question": ASKED, "answers": ["Lärm Messung", "Schwingungen der Hand"]}]
    },
    "plan": {"tasks": list(TASKS)},
    "extract": {"relevant": [1, 2]},
    "write": PROSE,
    "answer": PROSE,
    "agent_think": [SEARCH, ANSWER],
}


class House:
    """The engine, its model, whose words a test may change, and how a test gets a thread there."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.model = FaultyModel()
        self.play()
        self.engine: Engine = connect_to(make_services(home, self.model), Principal())
        law, other = home / "LaermG.txt", home / "SchwG.pdf"
        law.write_text(LAW, encoding="utf-8")
        rows = [Text(65, 780 - 40 * n, title, bold=True) for n, (title, _) in enumerate(VIBRATION)]
        rows += [Text(65, 760 - 40 * n, text) for n, (_, text) in enumerate(VIBRATION)]
        other.write_bytes(make_pdf([sorted(rows, key=lambda row: -row.y)]))
        self.engine.library.ingest([law, other], COLLECTION)

    def play(self, **other: Any) -> None:
        """What the model says, some of it otherwise."""
        self.model.fault = None
        self.model.play(list((SAYS | other).items()))
