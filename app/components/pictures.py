"""Pictures of ours on a page: an SVG in the colour of the text, the neighbourhood of an answer.

Streamlit takes SVG out of HTML, and an SVG shown as an image knows no colour of the page. So it is
the mask of a box that is filled with the colour of the text: light, dark, and when it is switched.
"""

import base64
import re
from typing import Any

import streamlit as st

from agent.engine import pictures
from app.components.notices import reported
from app.components.widgets import bullets
from app.formats import plain
from app.session import engine, kept, language, say
from app.texts import neighbourhood as words

_SIZE = re.compile(r'<svg [^>]*?width="(\d+)" height="(\d+)"')
_TOLD = re.compile(r"<desc>([^<]*)</desc>")


def show_svg(svg: str) -> None:
    """Shows a picture with a size and a ``<desc>``, to be moved sideways where it is too wide."""
    size, told = _SIZE.match(svg), _TOLD.search(svg)
    if size is None or told is None:
        raise ValueError("a picture has its size first and a description")
    width, height = size.groups()
    data = base64.b64encode(svg.encode()).decode()
    image = f"url(data:image/svg+xml;base64,{data})"
    style = (
        f"width:{width}px;height:{height}px;background-color:currentColor;"
        f"-webkit-mask:{image} no-repeat;mask:{image} no-repeat"
    )
    # Of the report there are letters of base64, and the description, which the picture escaped.
    st.html(
        '<div style="overflow-x:auto" tabindex="0">'
        f'<div role="img" aria-label="{told[1]}" style="{style}"></div></div>'
    )


def neighbourhood(report: dict[str, Any]) -> None:
    """The picture, to be moved sideways on a narrow screen; nothing without references."""
    drawn = pictures.neighbourhood(report, language())
    if not drawn:
        return
    st.markdown(f"**{say(words.TITLE)}**")
    st.caption(say(words.HOW_TO_READ))
    show_svg(drawn)


def show_folded(turn: dict[str, Any]) -> None:
    """That of a quick answer, in a fold; nothing is looked up before that is opened.

    An answer that is a list of places has none.
    """
    if turn["sentences"] and not turn["listed"]:
        st.fragment(_fold)(turn["thread_id"], turn["turn"])


def _fold(thread: str, turn: int) -> None:
    box = st.expander(say(words.TITLE), key=f"around-{thread}-{turn}", on_change="rerun")
    if not box.open:
        return
    with box, reported():
        found = kept("around", (thread, turn), lambda: engine().answers.neighbourhood(thread, turn))
        drawn, told = pictures.around(found, language())
        if not drawn:
            st.caption(say(words.NOTHING))
            return
        st.caption(say(words.HOW_TO_READ))
        show_svg(drawn)
        st.markdown(bullets(plain(each).replace("§ ", "§\u00a0") for each in told))
