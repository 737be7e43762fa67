"""The one box: what to ask, where to look, and how deep."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from agent.models import RunOptions
from app import session
from app.components import search
from app.components.collections import titles
from app.components.notices import attempt
from app.components.widgets import row
from app.formats import plain
from app.labels import DEPTH_WHY, DEPTHS
from app.locale import N_
from app.session import _, engine, pgettext
from services.domain import CollectionInfo
from services.domain.collections import told_apart
from services.domain.runs import RunInfo

QUESTION = "question"
DEEP = "deep"
DOCUMENTS = "box-documents"
SCOPE = "box-where"
"""Whether the choice of where to look is open: only then file names are read for it."""
MODES = {"quick": N_(":material/bolt: Quick"), DEEP: N_(":material/travel_explore: Deep")}
MODE_HELP = N_(
    "Quick answers in seconds from the best passages. Deep asks back, proposes a plan, follows "
    "references and writes a report."
)


def show(collections: Sequence[CollectionInfo], run: RunInfo | None = None) -> None:
    """The field for a question, to begin with or to go on with a conversation.

    Args:
        collections: all that the person may read.
        run: the thread that is gone on with.
    """
    with st.container(key="question-box", gap="small"):
        # Within a container the field stands where it is written, and the page is not scrolled
        # to its end.
        field = st.container()
        with row(key="question-how"):
            look = {"label_visibility": "collapsed", "width": "content"}
            deep = _choice(MODES, "mode", _("Quick or deep"), _(MODE_HELP), **look) == DEEP
            chosen, documents = (run.collections, run.documents) if run else _scope(collections)
            with st.popover(_("More"), icon=":material/tune:", type="tertiary"):
                options = _deep_options() if deep else None
                why = _(DEPTH_WHY)
                depth = "auto" if deep else _choice(DEPTHS, "depth", _("Depth"), why, wrap=True)
        hint = _("Ask a follow-up") if run else _("Ask your documents")
        with field:
            question = st.chat_input(hint, key=QUESTION, max_chars=4000)
    if question and question.strip():
        if options is None:
            ask(question, chosen, run, depth, documents=documents)
        else:
            research(question, chosen, run, options.model_copy(update={"documents": documents}))
        st.rerun()


def ask(
    question: str,
    collections: Sequence[str] = (),
    run: RunInfo | None = None,
    depth: str | None = None,
    documents: Sequence[str] = (),
) -> None:
    """Asks for a quick answer and opens it; a refusal is shown on the page."""
    talk = run if run is not None and run.kind == "ask" else None

    def send() -> None:
        begun = engine().answers.ask(
            question,
            thread_id=talk.thread_id if talk else None,
            collections=collections or None,
            documents=documents,
            depth=depth or st.session_state.get("box-depth", "auto"),
            follows=run.thread_id if run and not talk else None,
        )
        session.open_thread(begun.thread_id)

    attempt(send)


def research(
    question: str,
    collections: Sequence[str] = (),
    run: RunInfo | None = None,
    options: RunOptions | None = None,
) -> None:
    """Starts a research and opens it, as part of the conversation that it goes on from."""
    kept = {"follows": run.thread_id, "documents": run.documents} if run else {}
    told = (options or RunOptions()).model_copy(update=kept)

    def send() -> None:
        wanted = collections or None
        session.open_thread(engine().threads.start(question, collections=wanted, options=told))

    attempt(send)


def _choice(choices: dict[str, str], name: str, label: str, why: str, **look: Any) -> str:
    """One of several, the first unless another was chosen."""
    usual = next(iter(choices))
    st.session_state.setdefault(f"box-{name}", usual)
    chosen = st.segmented_control(
        label,
        list(choices),
        required=True,
        format_func=session.option_labels(choices),
        key=f"box-{name}",
        help=why,
        **look,
    )
    return chosen or usual


def _scope(collections: Sequence[CollectionInfo]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The collections that are ticked, and the documents chosen in them; none stands for all."""
    title, named = titles(collections), told_apart(collections)
    shelves = [each for each in collections if each.documents]
    ticked = [each for each in shelves if st.session_state.get(_checkbox_key(each))]
    documents = st.session_state.get(DOCUMENTS, ())
    # Set anew, for with another label it is another widget to Streamlit, and would close.
    opened = st.session_state[SCOPE] = bool(st.session_state.get(SCOPE))
    names = _documents(ticked or shelves) if documents or opened else None
    documents = tuple(each for each in documents if each in (names or ()))
    st.session_state[DOCUMENTS] = list(documents)
    label = _("in all collections") if len(shelves) > 1 else _("in all documents")
    if documents or ticked:
        chosen = documents or [each.name for each in ticked]
        label = _("in {names}", names=plain(", ".join(chosen)))
    with st.popover(label, icon=":material/folder:", type="tertiary", key=SCOPE, on_change="rerun"):
        for each in shelves if len(shelves) > 1 else ():
            st.checkbox(title[each.collection_id], key=_checkbox_key(each))
        if names is not None:
            st.multiselect(
                _("Only these documents"),
                names,
                key=DOCUMENTS,
                placeholder=_("all"),
                max_selections=100,
                select_all=False,
            )
    wanted = zip(named, collections, strict=True)
    return tuple(name for name, each in wanted if each in ticked), documents


def _checkbox_key(shelf: CollectionInfo) -> str:
    return f"box-in-{shelf.collection_id}"


def _documents(shelves: Sequence[CollectionInfo]) -> list[str]:
    """The file names in these collections, read anew where one of them has changed."""
    library, ids = engine().library, [each.collection_id for each in shelves]
    return session.cached(
        "documents",
        tuple((each.collection_id, each.content_version) for each in shelves),
        lambda: sorted(
            {d.document for each in ids for d in library.documents(each) if d.status == "indexed"}
        ),
    )


def _toggle(label: str, name: str, why: str | None = None) -> bool:
    st.session_state.setdefault(f"box-{name}", True)
    return bool(st.toggle(label, key=f"box-{name}", help=why))


def _number(label: str, name: str, most: int, usual: int) -> int:
    st.session_state.setdefault(f"box-{name}", usual)
    return int(st.number_input(label, 1, most, key=f"box-{name}"))


def _deep_options() -> RunOptions:
    profile = search.choose_profile(pgettext("profile", "none"))
    return RunOptions(
        profile=profile,
        clarify=_toggle(_("Ask back before planning"), "clarify"),
        approve_plan=_toggle(_("Ask for approval of the plan"), "approve-plan"),
        quality_check=_toggle(
            _("Check quality, revise if low"),
            "quality-check",
            _("Scores the answer and revises it once if it is weak."),
        ),
        k=_number(_("Hits per search"), "k", 100, session.settings().k),
        max_iterations=_number(_("Maximum question rounds"), "max-rounds", 10, 5),
        research_queries=_queries(),
    )


def _queries() -> tuple[str, ...]:
    """What the person wants searched for, line by line; nothing for most."""
    text = st.text_area(
        _("Search for these (skips clarification)"),
        key="box-queries",
        help=_("Each line becomes a task of the plan, and nothing is asked back."),
        placeholder=_("One search a line"),
        max_chars=4000,
    )
    return tuple(filter(None, map(str.strip, text.splitlines())))
