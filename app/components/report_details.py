"""Behind the answer: sources, evidence, references, what was dropped, quality, cost, files."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import streamlit as st

from agent.engine.exports import FORMATS
from app import texts
from app.components import clarification, coverage, pictures
from app.components.notices import act
from app.components.widgets import download, table
from app.formats import plain
from app.navigation import address_of, document_url, how_found, place
from app.session import engine, say, say_duration, say_number, tell
from app.texts import coverage as coverage_words
from app.texts import export as export_words
from app.texts import report as words
from services.domain.events import RetrievalIteration

Report = dict[str, Any]
Row = dict[str, Any]
SHOWN: Final = 30
"""Dropped passages that can be ticked."""
COUNTED = ("sources", "evidence", "dropped", "references")
WHOLE = ("pdf", "docx", "html", "md", "json")
SOURCES = ("bib", "ris")
OPEN = "details-open"
"""Where a window keeps the name of the tab that was opened last."""


def show(report: Report) -> None:
    """One tab a question that a careful reader asks; only the open one is drawn.

    In a fragment another tab draws nothing else again. A data grid costs a browser tens of
    milliseconds, seen or not.
    """
    counted = {name: f" ({len(report[name])})" for name in COUNTED}
    titles = {name: f"{say(text)}{counted.get(name, '')}" for name, (text, _) in _TABS.items()}
    opened = st.session_state.get(OPEN, "sources")
    # Titles change with the language and with what is restored; the tab stays open.
    st.session_state["details-tabs"] = titles.get(opened, titles["sources"])
    tabs = st.tabs(list(titles.values()), key="details-tabs", on_change=_keep, args=(titles,))
    for tab, name in zip(tabs, titles, strict=True):
        if tab.open:
            with tab:
                _TABS[name][1](report)


def _keep(titles: Mapping[str, str]) -> None:
    """Remembers by name which tab was opened."""
    chosen = st.session_state["details-tabs"]
    st.session_state[OPEN] = next(name for name, title in titles.items() if title == chosen)


def _sources(report: Report) -> None:
    rows = [
        {
            say(texts.DOCUMENT): source["document"],
            say(texts.TITLE): source["title"],
            say(texts.SECTIONS): ", ".join(source["sections"]),
            say(texts.PAGES): ", ".join(str(page) for page in source["pages"]),
            say(texts.FINGERPRINT): source["sha256"],
            # The first page that the answer cites.
            say(words.SHOW): document_url(
                source["document_id"], min(source["pages"], default=None)
            ),
        }
        for source in report["sources"]
    ]
    _table_or(texts.NO_EVIDENCE, rows, links=[words.SHOW])
    pictures.neighbourhood(report)


def _table_or(empty: texts.Text, rows: list[Row], **options: Any) -> None:
    table(rows, **options) if rows else st.caption(say(empty))


def _evidence(report: Report) -> None:
    if not report["evidence"]:
        st.caption(say(texts.NO_EVIDENCE))
    for tier, title in texts.TIER.items():
        rows = [_evidence_row(item) for item in report["evidence"] if item["tier"] == tier]
        if rows:
            st.markdown(f"**{say(title)}** ({len(rows)})")
            table(rows, shares=[texts.RELEVANCE], links=[words.SHOW])


def _evidence_row(item: Row) -> Row:
    return {
        say(texts.SECTION): item.get("section", ""),
        say(texts.DOCUMENT): item.get("document", ""),
        say(texts.PAGE_COLUMN): item.get("page"),
        say(texts.RELEVANCE): item.get("relevance") or item["score"],
        say(texts.FOUND_BY): _found_by(item),
        say(texts.TASK): item["task"],
        say(words.SHOW): address_of(item),
    }


def _found_by(item: Row) -> str:
    if item.get("restored"):
        return say(words.RESTORED)
    return how_found(item["source_type"], item["depth"], item.get("way", ""))


def _references(report: Report) -> None:
    rows = [
        {
            say(texts.FROM): item["from"],
            say(texts.REFERENCE_TEXT): item["text"],
            say(texts.LEADS_TO): item["resolved_to"] or say(texts.NOT_IN_CORPUS),
            say(texts.DEPTH): item["depth"],
            say(texts.REASON): tell(item.get("reason") or ""),
        }
        for item in report["references"]
    ]
    _table_or(texts.NO_REFERENCES, rows)


def _coverage(report: Report) -> None:
    """Each part of the question with what was found for it, by documents."""
    st.caption(say(coverage_words.OF_REPORT))
    coverage.matrix(report, "report")


def _history(report: Report) -> None:
    rounds = [RetrievalIteration.model_validate(look) for look in report["retrieval_history"]]
    if not rounds:
        st.caption(say(texts.NO_ROUNDS))
        return
    ended = (report.get("clarification") or {}).get("reason")
    reason = texts.ENDED_BECAUSE.get(ended or "")
    if reason is not None:
        st.caption(say(reason))
    clarification.show_table(rounds)


def _quality(report: Report) -> None:
    quality = report["quality"]
    if quality is None:
        st.caption(say(texts.NO_QUALITY))
        return
    st.caption(say(words.QUALITY_WHY))
    parts = {title: quality[name] for name, title in texts.QUALITY_DIMENSION.items()}
    _figures({texts.QUALITY_TOTAL: quality["total"], **parts})
    if quality["revised"]:
        st.caption(say(texts.REVISED))
    for remark in quality["remarks"]:
        st.caption(plain(tell(remark)))


def _figures(values: dict[texts.Text, float]) -> None:
    with st.container(horizontal=True, gap="large"):
        for title, value in values.items():
            st.metric(say(title), say_number(value), width="content")


def _cost(report: Report) -> None:
    usage = report["usage"]
    _figures(
        {
            texts.CALLS: usage["model_calls"],
            texts.PROMPT_TOKENS: usage["prompt_tokens"],
            texts.OUTPUT_TOKENS: usage["completion_tokens"],
            texts.FALLBACKS: usage["fallbacks"],
        }
    )
    rows = [
        {
            say(texts.PHASE_COLUMN): say(texts.PHASE[phase]) if phase in texts.PHASE else phase,
            say(texts.SECONDS): say_duration(seconds),
        }
        for phase, seconds in usage["seconds"].items()
    ]
    _table_or(texts.NO_EVIDENCE, rows)
    st.caption(f"{say(texts.THREAD)}: {plain(report['thread_id'])}")


def _dropped(report: Report) -> None:
    """Each with relevance and reason; what is ticked comes back, and the answer is rewritten."""
    items = sorted(report["dropped"], key=lambda item: -item["score"])
    if not items:
        st.caption(say(texts.NO_DROPPED))
        return
    st.caption(say(words.RESTORE_WHY))
    with st.form("restore", border=False):
        ticked = [item["chunk_id"] for item in items[:SHOWN] if _tick(item)]
        if len(items) > SHOWN:
            st.caption(say(words.MORE_DROPPED, count=len(items) - SHOWN))
        wanted = st.form_submit_button(say(words.RESTORE), icon=":material/undo:")
    if wanted and not ticked:
        st.caption(say(words.RESTORE_NONE))
    elif wanted:
        act(lambda: engine().threads.restore_evidence(report["thread_id"], ticked))


def _tick(item: Row) -> bool:
    chunk, tier = item["chunk_id"], say(texts.TIER_SHORT, tier=item["tier"])
    where = place(item.get("document", ""), item.get("section", ""), None) or chunk
    with st.container(gap=None, key=f"dropped-{chunk}"):
        chosen = st.checkbox(plain(where), key=f"restore-{chunk}")
        st.caption(f"{tier} · {plain(tell(item['reason'] or ''))}")
    return chosen


_TABS: Mapping[str, tuple[texts.Text, Callable[[Report], None]]] = {
    "sources": (texts.SOURCES, _sources),
    "evidence": (texts.EVIDENCE, _evidence),
    "coverage": (words.COVERAGE, _coverage),
    "dropped": (texts.DROPPED, _dropped),
    "references": (texts.REFERENCES, _references),
    "history": (texts.HISTORY, _history),
    "quality": (texts.QUALITY, _quality),
    "cost": (texts.COST, _cost),
}


def export_popover(thread: str, kind: str = "research") -> None:
    """A popover with one download a format."""
    label, key = say(export_words.EXPORT), f"export-{thread}"
    with st.popover(label, icon=":material/download:", type="tertiary", key=key):
        downloads(thread, kind)


def downloads(thread: str, kind: str = "research") -> None:
    """Every format of the report or of the answers of a thread, which has to have them.

    Args:
        thread: its id.
        kind: ``research``, or ``ask`` for a conversation.
    """
    # The file is made in a thread that has no session, so the client is looked up here.
    make = engine().threads.export_report
    title = export_words.EXPORT_CONVERSATION if kind == "ask" else export_words.EXPORT_REPORT
    for text, names in ((title, WHOLE), (export_words.EXPORT_SOURCES, SOURCES)):
        st.caption(say(text))
        with st.container(gap=None):
            for name in names:
                download(
                    say(export_words.FORMAT[name]),
                    partial(make, thread, name),
                    f"rabbithole-{thread}.{name}",
                    FORMATS[name].media_type,
                    f"export-{thread}-{name}",
                    icon=None,
                )
