"""Pictures of ours on a page: an SVG in the colour of the text, the neighbourhood of an answer.

Streamlit takes SVG out of HTML, and an SVG shown as an image knows no colour of the page. So it is
the mask of a box that is filled with the colour of the text: light, dark, and when it is switched.
"""

import base64
import re

import streamlit as st

from agent.engine import pictures
from agent.engine.reports import ResearchReport, as_json
from app.components.notices import reported
from app.components.widgets import bullets
from app.formats import plain
from app.locale import N_
from app.session import _, engine, kept, language

HOW_TO_READ = N_(
    "On the left are the sections that prove the answer. An arrow leads from the section that "
    "refers to the one that it refers to."
)
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


def neighbourhood(report: ResearchReport) -> None:
    """The picture, to be moved sideways on a narrow screen; nothing without references."""
    drawn = pictures.neighbourhood(as_json(report), language())
    if not drawn:
        return
    st.markdown(f"**{_('Neighbourhood of the answer')}**")
    st.caption(_(HOW_TO_READ))
    show_svg(drawn)


def show_folded(thread: str, turn: int) -> None:
    """That of a quick answer, in a fold; nothing is looked up before that is opened."""
    st.fragment(_fold)(thread, turn)


def _fold(thread: str, turn: int) -> None:
    box = st.expander(
        _("Neighbourhood of the answer"), key=f"around-{thread}-{turn}", on_change="rerun"
    )
    if not box.open:
        return
    with box, reported():
        found = kept("around", (thread, turn), lambda: engine().answers.neighbourhood(thread, turn))
        drawn, told = pictures.around(found, language())
        if not drawn:
            st.caption(
                _(
                    "The cited sections refer to no other one in these documents, and none "
                    "refers to them."
                )
            )
            return
        st.caption(_(HOW_TO_READ))
        show_svg(drawn)
        st.markdown(bullets(plain(each).replace("§ ", "§\u00a0") for each in told))
