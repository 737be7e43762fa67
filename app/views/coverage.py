"""The matrix of coverage: what was needed, how far it was found, and in which documents."""

from typing import Any

import streamlit as st

from agent import pictures
from app.sanitise import plain
from app.session import language, say
from app.texts import coverage as words

SIGNS = {
    "covered": ":material/check_circle:",
    "partial": ":material/contrast:",
    "missing": ":material/circle:",
}


def show(value: dict[str, Any], key: str) -> None:
    """The matrix of a report or a structured turn, and as a picture to take along.

    Args:
        value: a report or a turn, in the shape that others script against.
        key: of its own on the page.
    """
    table, picture = pictures.coverage(value, language())
    if not table.rows:
        st.caption(say(words.NO_ROWS))
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
    st.download_button(
        say(words.PICTURE),
        picture,
        file_name="coverage.svg",
        mime="image/svg+xml",
        icon=":material/download:",
        type="tertiary",
        key=f"picture-{key}",
        on_click="ignore",
    )


def _status(status: str, word: str) -> str:
    """The word with a sign that is ticked, half or empty."""
    return f"{SIGNS[status]} {plain(word)}" if status in SIGNS else plain(word)


def _cell(text: str, quoted: bool) -> str:
    """Sections, bold where they are quoted, above figures; no line breaks after a §."""
    sections, *figures = (plain(line).replace("§ ", "§\u00a0") for line in text.split("\n"))
    first = f"**{sections}**" if quoted else sections
    return "  \n".join((first, *figures))
