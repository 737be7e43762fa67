"""Widgets, errors and notices that several pages use, in the language of the session."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any, Literal, NoReturn, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from agent.engine.layout import MarkedText
from app import session
from app.formats import DATE_PATTERN, plain, plain_inline
from app.navigation import DOCUMENT, span_query, span_url
from app.session import _, clear_notice, language, notice_text, option_labels, set_notice
from services.domain.errors import AlreadyAnswered, AskPerson, RabbitholeError, TryAgain
from services.domain.value import DocumentSpan

T = TypeVar("T")
OLDEST_DATE = date(1500, 1, 1)


def row(**options: Any) -> Any:
    """Return a container with its elements side by side."""
    return st.container(horizontal=True, **{"vertical_alignment": "center"} | options)


def redraw() -> None:
    """Redraw the whole page, from a fragment that polled and saw a change.

    A fragment that is drawn with its page waits for its next poll instead: an earlier rerun would
    lose a click on one of the page's buttons.
    """
    context = get_script_run_ctx()
    if context is not None and context.fragment_ids_this_run:
        session.restore_address()
        st.rerun()


def button(text: str, key: str, icon: str | None = None, **options: Any) -> bool:
    """Draw a button; ``icon`` is the name of a Material symbol."""
    symbol = None if icon is None else f":material/{icon}:"
    return st.button(text, key=key, icon=symbol, **options)


def quiet_button(text: str, key: str, icon: str, **options: Any) -> bool:
    """Draw a button that does not ask for attention."""
    return button(text, key, icon, type="tertiary", **options)


def copy_button(label: str, name: str, text: str) -> None:
    """Draw a button that copies a text; ``app.js`` reads it from the hidden element beside it."""
    with st.container(gap=None, width="content"):
        if quiet_button(label, f"copy-{name}", "content_copy"):
            st.toast(_("Copied"))
        with st.container(key=f"copied-{name}"):
            st.text(text)


def icon_button(
    icon: str, text: str, key: str, on_click: Callable[..., Any], *args: Any, **options: Any
) -> None:
    """Draw a button that shows only an icon, with its text as help."""
    options = {"type": "tertiary"} | options
    button("", key, icon, help=text, on_click=on_click, args=args, **options)


def page_link(
    label: str,
    at: DocumentSpan,
    icon: str = "open_in_full",
    query: Mapping[str, str] | None = None,
    **options: Any,
) -> None:
    """Link to the document page, with a span marked; ``query`` adds to the address."""
    address = span_query(at) | dict(query or {})
    st.page_link(DOCUMENT, label=label, icon=f":material/{icon}:", query_params=address, **options)


def location_link(text: str, at: DocumentSpan) -> None:
    """Link to a span of a document, in a new tab."""
    st.link_button(text, span_url(at), type="tertiary", icon=":material/arrow_outward:")


def download(label: str, data: Any, name: str, mime: str, key: str, **options: Any) -> None:
    """Draw a button that downloads a file; ``data`` is its content or a function that makes it."""
    options = {"type": "tertiary", "icon": ":material/download:"} | options
    st.download_button(label, data, name, mime, key=key, on_click="ignore", **options)


def date_field(at: Any, label: str, key: str) -> date | None:
    """Draw a field for a date, in a column or form, which may stay empty."""
    pattern = DATE_PATTERN[language()]
    return at.date_input(label, None, min_value=OLDEST_DATE, format=pattern, key=key)


def stored(key: str, value: object) -> str:
    """Return the key of a field that follows a stored value; Streamlit keeps its first default."""
    if key not in st.session_state or st.session_state.get(f"{key}-stored") != value:
        st.session_state[key] = st.session_state[f"{key}-stored"] = value
    return key


def confirm_button(
    label: str, explanation: str, confirm: str, key: str, icon: str, **options: Any
) -> bool:
    """Draw a button that explains its effect and asks to confirm; return whether confirmed."""
    with st.popover(label, icon=f":material/{icon}:"):
        st.markdown(explanation)
        return button(confirm, key, type="primary", **options)


def choose_view(label: str, views: Mapping[str, tuple[str, object]], key: str) -> str:
    """Draw the choice between views (title and content by name), kept in the address."""
    named = st.query_params.get(key, "")
    st.session_state[key] = chosen = named if named in views else next(iter(views))
    titles = {name: title for name, (title, _content) in views.items()}
    segments(label, titles, key, on_change=session.store_in_address, args=(key,), wrap=True)
    return chosen


def segments(label: str, titles: Mapping[T, str], key: str, **options: Any) -> T:
    """Draw the choice between a few options with titles to be translated."""
    options = {"label_visibility": "collapsed", "key": key} | options
    names = option_labels(titles)
    return st.segmented_control(label, list(titles), required=True, format_func=names, **options)


def select(at: Any, label: str, names: Mapping[T, str], key: str, **options: Any) -> T:
    """Draw a list of options with names to be translated, in a column or ``st``."""
    return at.selectbox(label, list(names), format_func=option_labels(names), key=key, **options)


def paginate(items: Sequence[T], most: int, key: str) -> Iterator[T]:
    """Yield one page of the items, then draw the choice of others below."""
    pages = -(-len(items) // most)
    page = st.session_state.get(key, 1)
    if page > pages:
        page = 1  # st.pagination starts over, too
    yield from items[(page - 1) * most : page * most]
    if pages > 1:
        st.pagination(pages, key=key)


def highlight(pieces: Iterable[MarkedText]) -> str:
    """Return runs of foreign text as Markdown that shows them literally, marked ones in bold."""
    return "".join(plain_inline(piece.text, strong=piece.marked) for piece in pieces)


def bullets(lines: Iterable[str]) -> str:
    """Return lines of Markdown as a list in Markdown."""
    return "\n".join(f"- {line}" for line in lines)


def table(
    rows: Sequence[Any],
    *,
    links: Sequence[str] = (),
    widths: Mapping[str, Literal["medium", "large"]] | None = None,
    **options: Any,
) -> None:
    """Draw a table of rows by column name; ``links`` are columns of addresses."""
    kinds = st.column_config
    link = kinds.LinkColumn(display_text=":material/open_in_new:", width="small")
    columns: dict[str, Any] = dict.fromkeys(links, link)
    columns |= {name: kinds.TextColumn(width=width) for name, width in (widths or {}).items()}
    st.dataframe(rows, hide_index=True, column_config=columns, placeholder="–", **options)


def show_notice() -> None:
    """Show the notice of the last action for a while."""
    tone, text, until = st.session_state.get("notice", ("info", "", 0.0))
    if time.monotonic() < until:
        (st.error if tone == "error" else st.info)(text)


@contextmanager
def show_errors() -> Iterator[None]:
    """Show an error of the block in its place; the code after the block runs on."""
    try:
        yield
    except RabbitholeError as problem:
        st.error(plain(notice_text(problem.notice)), title=_title(problem))


def attempt(action: Callable[[], object], done: str = "") -> bool:
    """Run an action and leave a notice of its error, or that it is ``done``; return its success."""
    clear_notice()
    try:
        action()
    except RabbitholeError as problem:
        set_notice(f"**{_title(problem)}.** {plain(notice_text(problem.notice))}", "error")
        return False
    if done:
        set_notice(done)
    return True


def attempt_and_rerun(action: Callable[[], object], done: str = "") -> NoReturn:
    """Run an action as ``attempt`` does, then redraw the page with the notice."""
    attempt(action, done)
    st.rerun()


def reply(thread: str, interrupt_id: str, send: Callable[[], None]) -> None:
    """Send an answer or approval; if another one came first, say so and move on."""

    def send_first() -> None:
        try:
            send()
        except AlreadyAnswered:
            set_notice(
                _(
                    "This has already been answered, here or in another window. The research "
                    "continues with the first answer."
                )
            )

    if attempt(send_first):
        session.mark_answered(thread, interrupt_id)


def _title(problem: RabbitholeError) -> str:
    match problem:
        case TryAgain():
            return _("Not possible right now")
        case AskPerson():
            return _("That did not work")
        case _:
            return _("Something went wrong")
