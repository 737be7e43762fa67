"""The question box: what to ask, where to look, and how deep."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from agent.models import RunOptions
from app import session
from app.components import search
from app.components.collections import folders, titles
from app.components.widgets import attempt, row, segments
from app.formats import plain
from app.labels import DEPTH_HELP, DEPTHS
from app.locale import N_
from app.session import _, engine, pgettext
from services.domain import CollectionInfo
from services.domain.collections import unique_names
from services.domain.runs import RunInfo

QUESTION = "question"
DEEP = "deep"
DOCUMENTS = "box-documents"
ONLY_SOME = "box-only-some"
"""Whether documents are chosen: their names are read only then."""
MODES = {"quick": N_(":material/bolt: Quick"), DEEP: N_(":material/travel_explore: Go deeper")}
MODE_HELP = N_(
    "Quick: an answer in seconds from the best passages. Go deeper: Rabbithole asks you questions, "
    "proposes a plan, follows references and writes a report."
)


def show(collections: Sequence[CollectionInfo], run: RunInfo | None = None) -> None:
    """Draw the field for a question that begins a conversation, or continues a ``run``."""
    with st.container(key="question-box", gap="small"):
        # Outside of a container, Streamlit pins the field to the bottom and scrolls the page.
        field = st.container()
        with row(key="question-how"):
            style = {"label_visibility": "collapsed", "width": "content"}
            label = _("Quick answer or research")
            deep = _choice(MODES, "mode", label, _(MODE_HELP), **style) == DEEP
            chosen, documents = (run.searched, run.documents) if run else choose_scope(collections)
            with st.popover(_("More"), icon=":material/tune:", type="tertiary"):
                options = _deep_options() if deep else None
                help_ = _(DEPTH_HELP)
                depth = "auto" if deep else _choice(DEPTHS, "depth", _("Method"), help_, wrap=True)
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
    """Ask for a quick answer and open it; an error is shown on the page."""
    before = run.thread_id if run else None
    continues = run is not None and run.kind == "ask"  # else the answer follows the report

    def send() -> None:
        started = engine().answers.ask(
            question,
            thread_id=before if continues else None,
            collections=collections or None,
            documents=documents,
            depth=depth or st.session_state.get("box-depth", "auto"),
            follows=None if continues else before,
        )
        session.open_thread(started.thread_id)

    attempt(send)


def research(
    question: str,
    collections: Sequence[str] = (),
    run: RunInfo | None = None,
    options: RunOptions | None = None,
) -> None:
    """Start a research and open it, within the conversation that it continues."""
    context = {"follows": run.thread_id, "documents": run.documents} if run else {}
    options = (options or RunOptions()).model_copy(update=context)

    def send() -> None:
        scope = collections or None
        session.open_thread(engine().threads.start(question, collections=scope, options=options))

    attempt(send)


def _choice(choices: dict[str, str], name: str, label: str, help_: str, **style: Any) -> str:
    """Draw a choice whose first option is the default."""
    st.session_state.setdefault(f"box-{name}", next(iter(choices)))
    style = {"label_visibility": "visible"} | style
    return segments(label, choices, f"box-{name}", help=help_, **style)


def choose_scope(collections: Sequence[CollectionInfo]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Draw the choice of where to look; return collections and documents, empty for all."""
    title, names = titles(collections, last_part=True), unique_names(collections)
    filled = [info for info in collections if info.documents]
    ticked = [info for info in filled if st.session_state.get(_checkbox_key(info))]
    files = _documents(ticked or filled) if st.session_state.get(ONLY_SOME) else []
    documents = tuple(file for file in st.session_state.get(DOCUMENTS, ()) if file in files)
    st.session_state[DOCUMENTS] = list(documents)
    label = _("in all collections") if len(filled) > 1 else _("in all documents")
    if documents or ticked:
        chosen = documents or [info.name for info in ticked]
        label = _("in {names}", names=plain(", ".join(chosen)))
    # Opening it runs nothing: a click on the menu that also closed it would end in an empty page.
    with st.popover(label, icon=":material/folder:", type="tertiary", key="box-where"):
        for folder, members in folders(filled if len(filled) > 1 else ()).items():
            if folder:
                _folder_checkbox(folder, members)
            with st.container(key=f"in-folder-{folder}" if folder else None):
                for info in members:
                    st.checkbox(plain(title[info.collection_id]), key=_checkbox_key(info))
        if st.checkbox(_("Only some documents"), key=ONLY_SOME):
            st.multiselect(
                _("Documents"),
                files,
                key=DOCUMENTS,
                placeholder=_("all"),
                max_selections=100,
                select_all=False,
                label_visibility="collapsed",
            )
    pairs = zip(names, collections, strict=True)
    return tuple(name for name, info in pairs if info in ticked), documents


def _folder_checkbox(folder: str, members: Sequence[CollectionInfo]) -> None:
    key, keys = f"box-folder-{folder}", [_checkbox_key(info) for info in members]
    st.session_state[key] = all(st.session_state.get(name) for name in keys)

    def tick() -> None:
        st.session_state.update(dict.fromkeys(keys, st.session_state[key]))

    st.checkbox(f"**{plain(folder)}**", key=key, on_change=tick)


def _checkbox_key(info: CollectionInfo) -> str:
    return f"box-in-{info.collection_id}"


def _documents(collections: Sequence[CollectionInfo]) -> list[str]:
    versions = tuple((info.collection_id, info.content_version) for info in collections)
    library = engine().library

    def read() -> list[str]:
        documents = (file for id_, _version in versions for file in library.documents(id_))
        return sorted({file.document for file in documents if file.status == "indexed"})

    return session.cached("documents", versions, read)


def _toggle(label: str, name: str, help_: str | None = None) -> bool:
    st.session_state.setdefault(f"box-{name}", True)
    return bool(st.toggle(label, key=f"box-{name}", help=help_))


def _deep_options() -> RunOptions:
    options = RunOptions(
        profile=search.choose_profile(pgettext("profile", "none")),
        clarify=_toggle(_("Ask questions before planning"), "clarify"),
        approve_plan=_toggle(_("Ask me to approve the plan"), "approve-plan"),
        quality_check=_toggle(
            _("Check quality and revise weak answers"),
            "quality-check",
            _("Scores the answer and revises it once if it is weak."),
        ),
    )
    hits = st.number_input(
        _("Hits per search"), 1, 100, None, key="box-k", placeholder=_("as configured")
    )
    st.session_state.setdefault("box-max-rounds", 5)
    rounds = st.number_input(_("Maximum question rounds"), 1, 10, key="box-max-rounds")
    chosen = {"k": hits} if hits else {}  # else the profile or the settings decide
    return options.model_copy(
        update={**chosen, "max_iterations": rounds, "research_queries": _queries()}
    )


def _queries() -> tuple[str, ...]:
    text = st.text_area(
        _("Search for these (skips clarification)"),
        key="box-queries",
        help=_("Each line becomes a task of the plan, and no questions are asked."),
        placeholder=_("One search per line"),
        max_chars=4000,
    )
    return tuple(filter(None, map(str.strip, text.splitlines())))
