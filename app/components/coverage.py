"""What a question needed: the table of coverage, and under an answer what was searched for."""

import streamlit as st

from agent.ask.models import StructuredAnswer
from agent.engine import layout
from agent.engine.reports import Answered, as_json
from app.formats import plain
from app.locale import N_
from app.session import _, language, say_days

COLUMNS = 6
"""Documents with a column of their own in a window."""

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


def matrix(answered: Answered) -> None:
    """What a report or a structured answer needed, by documents."""
    table = layout.coverage_table(as_json(answered), language(), COLUMNS)
    if not table.rows:
        st.caption(_("Run without a plan."))
        return
    rows = [
        [plain(row.item), f"{SIGNS.get(row.status, '')} {plain(row.word)}", *map(_cell, row.cells)]
        for row in table.rows
    ]
    # Streamlit reads heads and cells as Markdown.
    columns = zip((*table.header, *table.documents), *rows, strict=True)
    st.table({plain(head): cells for head, *cells in columns})


def _cell(cell: layout.Cell) -> str:
    """Sections, bold where they are quoted, above how many quotes."""
    places = plain(cell.places or str(cell))
    if not cell.quoted:
        return places
    return "  \n".join([f"**{places}**", *map(plain, cell.figures[-1:])])


def show_needed(turn: StructuredAnswer) -> None:
    """The table of coverage, and folded away what was searched for."""
    if not turn.required_info:
        return
    facts = _(TYPES[turn.question_type])
    if turn.temporal_scope:
        facts += f" · {_('asked for {time}', time=plain(say_days(turn.temporal_scope)))}"
    if turn.temporal_coverage:
        facts += f" · {_('documents from {time}', time=plain(say_days(turn.temporal_coverage)))}"
    with st.container(key=f"needed-{turn.turn}", gap="small"):
        st.markdown(f"**{_('What was needed')}**")
        st.caption(facts)
        matrix(turn)
        with st.expander(_("What was searched for ({count})", count=len(turn.sub_queries))):
            for query in turn.sub_queries:
                counts = " · ".join(
                    _(STRATEGIES[name], count=count)
                    for name, count in query.found.items()
                    if count and name in STRATEGIES
                )
                total = _("found: {counts}", counts=counts or 0) if query.found else ""
                again = _("once more, for the gap") if query.gap else ""
                st.text(query.query)
                st.caption(" · ".join(filter(None, (again, plain(query.target_info), total))))
