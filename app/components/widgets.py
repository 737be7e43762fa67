"""Widgets that recur on the pages, in the language of the session."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Literal, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from agent.engine.layout import MarkedText
from app.formats import DATE_PATTERN, plain_inline
from app.locale import N_
from app.navigation import DOCUMENT, document_query
from app.session import _, language, option_labels, store_in_address
from services.domain import Citation, Passage
from services.domain.passages import PassageSpan

T = TypeVar("T")
OLDEST_DATE = date(1500, 1, 1)
ORIGINS = {
    "default": (":gray-badge[{}]", N_("default")),
    "global": (":blue-badge[{}]", N_("set globally")),
    "profile": (":blue-badge[{}]", N_("set in the profile")),
    "votes": (":blue-badge[{}]", N_("by votes")),
    "set": (":blue-badge[{}]", N_("set")),
    "held": (":yellow-badge[:material/lock: {}]", N_("held")),
    "locked": (":yellow-badge[:material/lock: {}]", N_("locked")),
}


def row(**options: Any) -> Any:
    """A container whose elements stand side by side."""
    return st.container(horizontal=True, vertical_alignment="center", **options)


def redraw() -> None:
    """Draws the page anew, for a fragment that looks by itself and saw a change.

    Not while the page around it is being drawn: a button of it that was pressed would not be
    heard. The next look will see the change as well.
    """
    context = get_script_run_ctx()
    if context is not None and context.fragment_ids_this_run:
        st.rerun()


def button(text: str, key: str, icon: str | None = None, **options: Any) -> bool:
    """A button; ``icon`` is the name of a Material symbol."""
    shown = None if icon is None else f":material/{icon}:"
    return st.button(text, key=key, icon=shown, **options)


def quiet_button(text: str, key: str, icon: str, **options: Any) -> bool:
    """A button that does not ask for attention."""
    return button(text, key, icon, type="tertiary", **options)


def icon_button(
    icon: str, text: str, key: str, on_click: Callable[..., Any], *args: Any, **options: Any
) -> None:
    """A button that shows an icon alone and says in its help what it does."""
    options = {"type": "tertiary"} | options
    button("", key, icon, help=text, on_click=on_click, args=args, **options)


def page_link(
    label: str, at: Citation | Passage | PassageSpan, icon: str = "open_in_full", **options: Any
) -> None:
    """A link to the page of the app that shows a document, with what stands there marked."""
    query = document_query(at.document_id, at.page, (at.start, at.end))
    st.page_link(DOCUMENT, label=label, icon=f":material/{icon}:", query_params=query, **options)


def location_link(text: str, address: str) -> None:
    """A link to a place in a document."""
    st.link_button(text, address, type="tertiary", icon=":material/arrow_outward:")


def download(label: str, data: Any, name: str, mime: str, key: str, **options: Any) -> None:
    """A button that hands out a file; ``data`` is its content, or a function that makes it."""
    options = {"type": "tertiary", "icon": ":material/download:"} | options
    st.download_button(label, data, name, mime, key=key, on_click="ignore", **options)


def date_field(at: Any, label: str, key: str, value: date | None = None) -> date | None:
    """A field for a day, in a column or form; it may stay empty."""
    how = DATE_PATTERN[language()]
    day: date | None = at.date_input(label, value, min_value=OLDEST_DATE, format=how, key=key)
    return day


def confirm_button(label: str, what: str, now: str, key: str, icon: str, **options: Any) -> bool:
    """A button that opens what will happen and the button that does it; whether it did."""
    with st.popover(label, icon=f":material/{icon}:"):
        st.markdown(what)
        return button(now, key, type="primary", **options)


def choose_view(label: str, parts: Mapping[str, tuple[str, object]], key: str) -> str:
    """Which part of a page is shown; it stands in the address, so that a refresh keeps it.

    Args:
        label: of the choice.
        parts: title and content by name.
        key: of the widget and in the address.
    """
    named = st.query_params.get(key, "")
    st.session_state[key] = chosen = named if named in parts else next(iter(parts))
    st.segmented_control(
        label,
        list(parts),
        required=True,
        format_func=option_labels({name: title for name, (title, _content) in parts.items()}),
        key=key,
        on_change=store_in_address,
        args=(key,),
        label_visibility="collapsed",
        wrap=True,
    )
    return chosen


def origin_badge(origin: str) -> str:
    """Where the value of a parameter or threshold comes from, as Markdown."""
    badge, name = ORIGINS[origin]
    return badge.format(_(name))


def paginate(items: Sequence[T], most: int, key: str) -> Iterator[T]:
    """So many at a time, to be drawn one by one, and the choice of others below them."""
    pages = -(-len(items) // most)
    kept = st.session_state.get(key, 1)
    page = kept if kept <= pages else 1  # as the choice below then begins anew
    yield from items[(page - 1) * most : page * most]
    if pages > 1:
        st.pagination(pages, key=key)


def highlight(pieces: Iterable[MarkedText]) -> str:
    """Runs of foreign text as Markdown that shows them letter by letter."""
    return "".join(plain_inline(piece.text, strong=piece.marked) for piece in pieces)


def bullets(lines: Iterable[str]) -> str:
    """A list in Markdown; the lines are Markdown, too."""
    return "\n".join(f"- {line}" for line in lines)


def table(
    rows: Sequence[Any],
    *,
    shares: Sequence[str] = (),
    links: Sequence[str] = (),
    names: str | None = None,
    days: Sequence[str] = (),
    widths: Mapping[str, Literal["medium", "large"]] | None = None,
    **options: Any,
) -> None:
    """A table: ``shares`` are columns of values from 0 to 1, ``links`` those of addresses,
    ``days`` those of days.

    The column ``names`` has addresses of documents that show their names; see ``named_url``.
    """
    kinds = st.column_config
    share = kinds.ProgressColumn(min_value=0.0, max_value=1.0, format="%.2f")
    link = kinds.LinkColumn(display_text=":material/open_in_new:", width="small")
    columns: dict[str, Any] = dict.fromkeys(shares, share)
    columns |= dict.fromkeys(links, link)
    columns |= dict.fromkeys(days, kinds.DateColumn(format=DATE_PATTERN[language()]))
    if names:
        columns[names] = kinds.LinkColumn(display_text=r"#(.*)$", width="medium")
    columns |= {name: kinds.TextColumn(width=width) for name, width in (widths or {}).items()}
    st.dataframe(rows, hide_index=True, column_config=columns, placeholder="–", **options)
