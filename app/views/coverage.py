"""The matrix of coverage: what was needed, how far it was found, and in which documents."""

from typing import Any

import streamlit as st

from agent import pictures
from app.sanitise import plain
from app.session import language, say
from app.texts import coverage as words


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
    columns = zip(table.header, *table.rows, strict=True)
    # Streamlit reads heads and cells as Markdown.
    st.table({plain(head): [_cell(cell) for cell in cells] for head, *cells in columns})
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


def _cell(text: str) -> str:
    """Lines of text, none of which breaks between sign and number."""
    lines = (plain(line) for line in text.split("\n"))
    return "  \n".join(lines).replace("§ ", "§\u00a0")
