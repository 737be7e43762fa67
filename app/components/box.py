"""The one box: what to ask, where to look, and how deep."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from agent.models import RunOptions
from app import session
from app.components import search
from app.components.notices import attempt
from app.components.widgets import row
from app.formats import plain
from app.labels import DEPTH_WHY, DEPTHS
from app.locale import N_
from app.session import _, engine, pgettext
from services.domain.runs import RunInfo

QUESTION = "question"
DEEP = "deep"
MODES = {"quick": N_(":material/bolt: Quick"), DEEP: N_(":material/travel_explore: Deep")}
MODE_WHY = N_(
    "Quick answers in seconds from the best passages. Deep asks back, proposes a plan, follows "
    "references and writes a report."
)


def show(names: Sequence[str], run: RunInfo | None = None) -> None:
    """The field for a question, to begin with or to go on with a conversation.

    Args:
        names: the collections that there are.
        run: the thread that is gone on with.
    """
    with st.container(key="question-box", gap="small"):
        # Within a container the field stands where it is written, and the page is not scrolled
        # to its end.
        field = st.container()
        with row(key="question-how"):
            deep = _mode() == DEEP
            chosen = run.collections if run else _where(names)
            with st.popover(_("More"), icon=":material/tune:", type="tertiary"):
                options = _deep_options() if deep else None
                depth = "auto" if deep else _depth()
        hint = _("Ask on, e.g. “and for minors?”") if run else _("A question to your documents")
        with field:
            question = st.chat_input(hint, key=QUESTION, max_chars=4000)
    if question and question.strip():
        if options is None:
            ask(question, chosen, run, depth)
        else:
            research(question, chosen, run, options)
        st.rerun()


def ask(
    question: str,
    collections: Sequence[str] = (),
    run: RunInfo | None = None,
    depth: str | None = None,
) -> None:
    """Asks for a quick answer and opens it; a refusal is shown on the page."""
    talk = run if run is not None and run.kind == "ask" else None

    def send() -> None:
        begun = engine().answers.ask(
            question,
            thread_id=talk.thread_id if talk else None,
            collections=collections or None,
            depth=depth or st.session_state.get("box-depth", "auto"),
            follows=run.thread_id if run and not talk else None,
        )
        session.open_thread(begun.thread_id)
        st.session_state[f"ask-after-{begun.thread_id}"] = begun.after

    attempt(send)


def research(
    question: str,
    collections: Sequence[str] = (),
    run: RunInfo | None = None,
    options: RunOptions | None = None,
) -> None:
    """Starts a research and opens it, as part of the conversation that it goes on from."""
    told = (options or RunOptions()).model_copy(update={"follows": run and run.thread_id})

    def send() -> None:
        wanted = collections or None
        session.open_thread(engine().threads.start(question, collections=wanted, options=told))

    attempt(send)


def _mode() -> str:
    look = {"label_visibility": "collapsed", "width": "content"}
    return _one_of(MODES, "mode", _("Quick or deep"), _(MODE_WHY), **look)


def _one_of(choices: dict[str, str], name: str, label: str, why: str, **look: Any) -> str:
    """One of several, the first unless another was chosen."""
    usual = next(iter(choices))
    st.session_state.setdefault(f"box-{name}", usual)
    chosen = st.segmented_control(
        label,
        list(choices),
        required=True,
        format_func=session.labels(choices),
        key=f"box-{name}",
        help=why,
        **look,
    )
    return chosen or usual


def _where(names: Sequence[str]) -> tuple[str, ...]:
    """The collections that are ticked; none stands for all."""
    if len(names) < 2:
        return ()
    ticked = tuple(name for name in names if st.session_state.get(f"box-in-{name}"))
    label = _("in {names}", names=plain(", ".join(ticked))) if ticked else _("in all collections")
    with st.popover(label, icon=":material/folder:", type="tertiary"):
        for name in names:
            st.checkbox(plain(name), key=f"box-in-{name}")
    return ticked


def _depth() -> str:
    return _one_of(DEPTHS, "depth", _("Depth"), _(DEPTH_WHY), wrap=True)


def _toggle(label: str, name: str, why: str | None = None) -> bool:
    st.session_state.setdefault(f"box-{name}", True)
    return bool(st.toggle(label, key=f"box-{name}", help=why))


def _number(label: str, name: str, most: int, usual: int) -> int:
    st.session_state.setdefault(f"box-{name}", usual)
    return int(st.number_input(label, 1, most, key=f"box-{name}"))


def _deep_options() -> RunOptions:
    profile = search.choose_profile(_("Profile"), pgettext("profile", "none"))
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
        max_iterations=_number(_("Question rounds at most"), "max-rounds", 10, 5),
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
