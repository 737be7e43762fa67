"""Under a structured answer: what was needed, where it was found, and what is missing."""

from typing import Any

import streamlit as st

from app.coverage_matrix import Matrix, matrix
from app.coverage_svg import coverage_svg
from app.formats import number
from app.sanitise import plain
from app.session import language, say
from app.texts import ask_needed as words

Turn = dict[str, Any]


def show(turn: Turn) -> None:
    """The matrix of coverage, and folded away what was searched for; nothing at other depths."""
    table = matrix(turn)
    if not table.rows:
        return
    with st.container(key=f"needed-{turn['turn']}", gap="small"):
        st.markdown(f"**{say(words.NEEDED)}**")
        st.caption(_facts(turn))
        st.table(_columns(table))
        with st.expander(say(words.QUERIES, count=len(turn["sub_queries"]))):
            for query in turn["sub_queries"]:
                _query(query)
            _picture(table, turn)


def _facts(turn: Turn) -> str:
    share = number(100 * turn["confidence"], language())
    facts = [say(words.FACTS, kind=say(words.TYPES[turn["question_type"]]), share=share)]
    if turn["temporal_coverage"]:
        facts.append(say(words.TIMES, time=plain(turn["temporal_coverage"])))
    return " · ".join(facts)


def _columns(table: Matrix) -> dict[str, list[str]]:
    """One column a document; Streamlit reads cells and heads as Markdown."""
    columns = {
        say(words.REQUIRED): [plain(row.item) for row in table.rows],
        say(words.STATUS): [_status(row.status) for row in table.rows],
    }
    for position, document in enumerate(table.documents):
        cells = [row.cells[position] for row in table.rows]
        columns[plain(document)] = [_cell(cell) for cell in cells]
    return columns


def _status(status: str) -> str:
    word = say(words.STATUSES[status])
    return f"**{word}**" if status == "missing" else word


def _cell(sections: str) -> str:
    """Sections that do not break between sign and number."""
    return plain(sections).replace("§ ", "§\u00a0") if sections else say(words.NOTHING)


def _query(query: dict[str, Any]) -> None:
    """One search: its words, what it was for, and how much each strategy found."""
    counts = " · ".join(
        say(words.STRATEGIES[name], count=count)
        for name, count in query["found"].items()
        if count and name in words.STRATEGIES
    )
    st.text(query["query"])
    again = f"{say(words.AGAIN)} · " if query["gap"] else ""
    st.caption(f"{again}{plain(query['target_info'])} · {say(words.FOUND_BY, counts=counts or 0)}")


def _picture(table: Matrix, turn: Turn) -> None:
    statuses = {name: say(text) for name, text in words.STATUSES.items()}
    title = f"{say(words.NEEDED)}: {turn['question']}"
    st.download_button(
        say(words.PICTURE),
        coverage_svg(table, title, statuses),
        file_name="coverage.svg",
        mime="image/svg+xml",
        icon=":material/download:",
        type="tertiary",
        key=f"picture-{turn['turn']}",
        on_click="ignore",
    )
