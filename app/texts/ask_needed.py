"""Texts on what a structured answer needed."""

from app.texts.base import Text

NEEDED = Text("Was nötig war", "What was needed")
FACTS = Text("{kind} · {share} % abgedeckt", "{kind} · {share} % covered")
TIMES = Text("Dokumente von {time}", "documents from {time}")
TYPES = {
    "factual": Text("Faktenfrage", "factual"),
    "comparison": Text("Vergleich", "comparison"),
    "enumeration": Text("Aufzählung", "enumeration"),
    "temporal": Text("Frage nach der Zeit", "temporal"),
    "causal": Text("Frage nach Ursachen oder Folgen", "causal"),
}
QUERIES = Text("Wonach gesucht wurde ({count})", "What was searched for ({count})")
AGAIN = Text("noch einmal, für die Lücke", "once more, for the gap")
FOUND_BY = Text("gefunden: {counts}", "found: {counts}")
STRATEGIES = {
    "vector": Text("nach Bedeutung {count}", "by meaning {count}"),
    "keyword": Text("nach Wörtern {count}", "by words {count}"),
    "graph": Text("im Wissensgraphen {count}", "in the graph {count}"),
    "label": Text("genannte Abschnitte {count}", "named sections {count}"),
}
