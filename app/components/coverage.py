"""What a question needed: the matrix of coverage, and under an answer what was searched for."""

import streamlit as st

from agent.ask.models import StructuredAnswer
from agent.engine import pictures
from agent.engine.reports import Answered, as_json
from app.components.widgets import download
from app.formats import plain
from app.locale import N_
from app.session import _, language, say_number

TYPES = {
    "factual": N_("factual"),
    "comparison": N_("comparison"),
    "enumeration": N_("enumeration"),
    "temporal": N_("temporal"),
    "causal": N_("causal"),
}

STRATEGIES = {
    "vector": N_("by meaning {count}"),
    "keyword": N_("by words {count}"),
    "graph": N_("in the graph {count}"),
    "label": N_("named sections {count}"),
}

SIGNS = {
    "covered": ":material/check_circle:",
    "partial": ":material/contrast:",
    "missing": ":material/circle:",
}


def matrix(answered: Answered, key: str) -> None:
    """The matrix of a report or a structured answer, and as a picture to take along.

    Args:
        answered: the report or the answer.
        key: of its own on the page.
    """
    table, picture = pictures.coverage(as_json(answered), language())
    if not table.rows:
        st.caption(_("Run without a plan."))
        return
    rows = [
        [plain(item), _status(status, word), *map(_cell, cells, quoted)]
        for (item, word, *cells), status, quoted in zip(
            table.rows, table.statuses, table.quoted, strict=True
        )
    ]
    # Streamlit reads heads and cells as Markdown.
    columns = zip(table.header, *rows, strict=True)
    st.table({plain(head): cells for head, *cells in columns})
    download(_("As a picture (SVG)"), picture, "coverage.svg", "image/svg+xml", f"picture-{key}")


def _status(status: str, word: str) -> str:
    """The word with a sign that is ticked, half or empty."""
    return f"{SIGNS[status]} {plain(word)}" if status in SIGNS else plain(word)


def _cell(text: str, quoted: bool) -> str:
    """Sections, bold where they are quoted, above figures; no line breaks after a §."""
    sections, *figures = (plain(line).replace("§ ", "§\u00a0") for line in text.split("\n"))
    first = f"**{sections}**" if quoted else sections
    return "  \n".join((first, *figures))


def show_needed(turn: StructuredAnswer) -> None:
    """The matrix of coverage, and folded away what was searched for."""
    if not turn.required_info:
        return
    share = say_number(100 * turn.confidence)
    facts = _("{kind} · {share} % covered", kind=_(TYPES[turn.question_type]), share=share)
    if turn.temporal_coverage:
        facts += f" · {_('documents from {time}', time=plain(turn.temporal_coverage))}"
    with st.container(key=f"needed-{turn.turn}", gap="small"):
        st.markdown(f"**{_('What was needed')}**")
        st.caption(facts)
        matrix(turn, f"turn-{turn.turn}")
        with st.expander(_("What was searched for ({count})", count=len(turn.sub_queries))):
            for query in turn.sub_queries:
                counts = " · ".join(
                    _(STRATEGIES[name], count=count)
                    for name, count in query.found.items()
                    if count and name in STRATEGIES
                )
                total = _("found: {counts}", counts=counts or 0)
                again = f"{_('once more, for the gap')} · " if query.gap else ""
                st.text(query.query)
                st.caption(f"{again}{plain(query.target_info)} · {total}")
