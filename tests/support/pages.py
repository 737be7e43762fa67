"""The app run without a browser."""

import re
from html import unescape
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine
from app.session import ENGINE

ENTRY = Path(__file__).resolve().parents[2] / "app" / "streamlit_app.py"
TEXTS = (
    "title",
    "header",
    "subheader",
    "markdown",
    "text",
    "caption",
    "info",
    "warning",
    "error",
    "success",
)


def open_app(client: Engine, *, page: str = "ask", language: str = "de", **where: str) -> AppTest:
    """A new window on a page, at the place that the address names, with a client of one's own."""
    at = AppTest.from_file(str(ENTRY), default_timeout=60)
    at.session_state[ENGINE] = client
    at.session_state["language"] = language
    if page != "ask":
        at.run()
        at.switch_page(f"app_pages/{page}.py")
    at.query_params.update(where)
    return at.run()


def button(at: AppTest, label: str) -> Any:
    return next(found for found in at.button if found.label == label)


USABLE = ("button", "download_button", "text_area", "selectbox", "toggle", "checkbox")


def keys(at: AppTest) -> list[str]:
    """The keys of what can be used on the page, in its order within a kind."""
    found = (element for kind in USABLE for element in at.get(kind))
    return [str(getattr(each, "key", None) or _key_of(each.proto.id)) for each in found]


def _key_of(widget: str) -> str:
    """The key within the id of a widget that has one: ``$$ID-hash-key``."""
    return widget.split("-", 2)[-1]


def document_texts(at: Any) -> list[str]:
    """The parts of documents that are shown as text."""
    bodies = [str(element.value) for element in at.get("html")]
    shown = [body for body in bodies if body.startswith('<div class="document-text"')]
    unmarked = [re.sub(r"</?mark[^>]*>", "", body) for body in shown]
    return [unescape(re.sub(r"<[^>]*>", "\n", body)) for body in unmarked]


def texts_of(at: AppTest) -> str:
    """Everything readable on the page, without the escapes of Markdown and with plain blanks."""
    return read(at)


def read(at: Any) -> str:
    """``texts_of`` for a part of the page, such as a column."""
    found = [element.value for kind in TEXTS for element in at.get(kind)]
    found += [element.proto.text for element in at.get("progress")]
    found += document_texts(at)
    return "\n".join(str(text) for text in found).replace("\\", "").replace("\xa0", " ")
