"""All research threads as a table: what was asked, how far it is, what it took."""

from collections.abc import Mapping, Sequence
from html import escape

import streamlit as st

from agent.checkpoint_info import PHASE_OF
from agent.shown import RunCost, RunInfo
from app import navigation, texts
from app.formats import duration, moment, number
from app.sanitise import plain
from app.session import client, language, say
from app.texts import runs as words
from app.views.notices import attempt
from app.views.run_dialogs import ask

PAGE = 20
"""Rows at a time: a browser takes longer to draw them than the server to find them."""
QUESTION_LENGTH = 140
URGENCY = {"waiting": 0, "queued": 1, "running": 1, "interrupted": 2}
RESUMABLE = ("interrupted", "paused", "failed")
RESEARCH_ALONE = ("replay", "fork")
"""Actions that a conversation of quick answers does not have."""

FACTS_WIDTH = 530
ACTIONS_WIDTH = 150
_CSS = """
.run-facts { display: grid; grid-template-columns: 7rem 7.4rem 7.7rem 4.6rem 3.8rem; gap: .6rem;
  font-size: .875rem; line-height: 1.35; align-items: center; }
.run-facts > span { color: color-mix(in srgb, currentColor 78%, transparent); }
.run-facts > .strong, .run-facts.head > span { color: inherit; font-weight: 600; }
.run-facts > .figure { text-align: right; }
.run-facts b { font-weight: 400; position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; }
.st-key-runs-head, [class*="st-key-run-row-"] { padding: .3rem 0; flex-wrap: nowrap;
  border-bottom: 1px solid color-mix(in srgb, currentColor 14%, transparent); }
[class*="st-key-run-row-"] [class*="st-key-show-"] { min-width: 0; }
[class*="st-key-run-row-"] [class*="st-key-show-"] button > div { justify-content: flex-start;
  text-align: left; }
@media (max-width: 1080px) {
  .st-key-runs-head { display: none; }
  [class*="st-key-run-row-"] { flex-wrap: wrap; row-gap: 0; }
  [class*="st-key-run-row-"] > * { max-width: 100%; }
  [class*="st-key-run-row-"] > [class*="st-key-show-"] { flex-basis: 100%; }
  [class*="st-key-run-do-"] { justify-content: flex-start !important; }
  .run-facts { display: flex; flex-wrap: wrap; column-gap: .9rem; row-gap: .1rem; }
  .run-facts > .figure { text-align: left; }
  .run-facts > .empty { display: none; }
  .run-facts b { position: static; width: auto; height: auto; clip-path: none; }
}
"""


def show(runs: Sequence[RunInfo], costs: Mapping[str, RunCost]) -> None:
    """Those that wait for somebody first, then what runs, what was interrupted, the newest."""
    st.html(f"<style>{_CSS}</style>")
    ordered = sorted(runs, key=lambda run: URGENCY.get(run.status, len(URGENCY)))
    pages = -(-len(ordered) // PAGE)
    page = st.session_state.get("runs-page", 1) if pages > 1 else 1
    with st.container(gap=None):
        _head()
        for run in ordered[(page - 1) * PAGE : page * PAGE]:
            _row(run, costs.get(run.thread_id))
    if pages > 1:
        st.pagination(pages, key="runs-page")
    st.caption(say(words.DURATION_WHY))


def _head() -> None:
    names = (words.STATE, words.PHASE, words.STARTED, words.DURATION, words.TOKENS)
    cells = "".join(
        f'<span class="{"figure" if name in (words.DURATION, words.TOKENS) else ""}">'
        f"{escape(say(name))}</span>"
        for name in names
    )
    with st.container(horizontal=True, vertical_alignment="center", key="runs-head"):
        st.markdown(f":small[**{say(words.QUESTION)}**]", width="stretch")
        st.html(f'<div class="run-facts head">{cells}</div>', width=FACTS_WIDTH)
        st.html("<span></span>", width=ACTIONS_WIDTH)


def _row(run: RunInfo, cost: RunCost | None) -> None:
    thread = run.thread_id
    with st.container(horizontal=True, vertical_alignment="center", key=f"run-row-{thread}"):
        name = plain(run.title or run.question, QUESTION_LENGTH)
        if st.button(name, key=f"show-{thread}", type="tertiary", width="stretch", wrap=True):
            navigation.to_thread(thread, run.kind)
        st.html(_facts(run, cost), width=FACTS_WIDTH)
        with st.container(
            horizontal=True,
            width=ACTIONS_WIDTH,
            horizontal_alignment="right",
            gap="xsmall",
            key=f"run-do-{thread}",
        ):
            _actions(run)


def _facts(run: RunInfo, cost: RunCost | None) -> str:
    """Texts and figures of our own alone: what documents and people wrote is no part of it."""
    state = say(texts.STATUS[run.status])
    if run.parent_thread is not None:
        state += f" ({say(words.FORKED)})"
    if run.kind == "ask":
        state += f" ({say(words.ASK)})"
    ended = run.status in ("done", "cancelled")
    phase = PHASE_OF.get(run.phase or "")
    cells = [
        ("strong" if run.status not in ("done", "cancelled") else "", words.STATE, state),
        ("", words.PHASE, "" if ended or phase is None else say(texts.PHASE[phase])),
        ("", words.STARTED, moment(run.created_at, language(), st.context.timezone)),
        ("figure", words.DURATION, duration(cost.seconds, language()) if cost else ""),
        ("figure", words.TOKENS, number(cost.tokens, language()) if cost and cost.tokens else ""),
    ]
    shown = "".join(
        f'<span class="{kind}{"" if value else " empty"}">'
        f"<b>{escape(say(name))}: </b>{escape(value) or '–'}</span>"
        for kind, name, value in cells
    )
    return f'<div class="run-facts">{shown}</div>'


def _actions(run: RunInfo) -> None:
    thread = run.thread_id
    resumes = run.status in RESUMABLE
    label = say(texts.CONTINUE)
    if resumes and st.button(label, key=f"resume-{thread}", type="tertiary"):
        if attempt(lambda: client().resume(thread)):
            navigation.to_thread(thread, run.kind)
        st.rerun()
    hidden = RESEARCH_ALONE if run.kind == "ask" else ()
    names = {name: say(text) for name, text in words.ACTION.items() if name not in hidden}
    chosen = st.menu_button(
        say(words.ACTIONS),
        list(names),
        key=f"menu-{thread}",
        type="tertiary",
        format_func=names.__getitem__,
    )
    if chosen == "open":
        navigation.to_thread(thread, run.kind)
    elif chosen == "replay":
        navigation.to_replay(thread)
    elif chosen is not None:
        ask(chosen, thread)
