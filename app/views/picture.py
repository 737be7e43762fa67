"""An SVG picture of ours on a page, in the colour of the text around it.

Streamlit takes SVG out of HTML, and an SVG shown as an image knows no colour of the page. So it is
the mask of a box that is filled with the colour of the text: light, dark, and when it is switched.
"""

import base64
import re

import streamlit as st

_SIZE = re.compile(r'<svg [^>]*?width="(\d+)" height="(\d+)"')
_TOLD = re.compile(r"<desc>([^<]*)</desc>")


def show(svg: str) -> None:
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
