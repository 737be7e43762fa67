"""Behind the answer: sources, evidence, references, what was dropped, quality, cost."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from app import navigation, texts
from app.formats import duration, number
from app.sanitise import plain
from app.session import language, say, tell
from app.texts import coverage as coverage_words
from app.texts import report as words
from app.views import coverage, dropped, neighbourhood, retrieval_history
from app.views.places import how_found
from services.events import RetrievalIteration

Report = dict[str, Any]
Row = dict[str, Any]


OPEN = "details-open"
"""Where a window keeps the name of the tab that was opened last."""
_TABS = "details-tabs"


def show(report: Report) -> None:
    """One tab a question that a careful reader asks; only the open one is drawn.

    In a fragment another tab draws nothing else again. A data grid costs a browser tens of
    milliseconds, seen or not.
    """
    titles = _titles(report)
    opened = st.session_state.get(OPEN, "sources")
    # Titles change with the language and with what is restored; the tab stays open.
    st.session_state[_TABS] = titles.get(opened, titles["sources"])
    tabs = st.tabs(list(titles.values()), key=_TABS, on_change=_keep, args=(titles,))
    for tab, name in zip(tabs, titles, strict=True):
        if tab.open:
            with tab:
                _CONTENTS[name](report)


def _titles(report: Report) -> dict[str, str]:
    """What the tabs are called, by name."""
    return {
        "sources": f"{say(texts.SOURCES)} ({len(report['sources'])})",
        "evidence": f"{say(texts.EVIDENCE)} ({len(report['evidence'])})",
        "coverage": say(words.COVERAGE),
        "dropped": f"{say(texts.DROPPED)} ({len(report['dropped'])})",
        "references": f"{say(texts.REFERENCES)} ({len(report['references'])})",
        "history": say(texts.HISTORY),
        "quality": say(texts.QUALITY),
        "cost": say(texts.COST),
    }


def _keep(titles: Mapping[str, str]) -> None:
    """Remembers by name which tab was opened."""
    chosen = st.session_state[_TABS]
    st.session_state[OPEN] = next(name for name, title in titles.items() if title == chosen)


def _table(rows: list[Row], empty: texts.Text, **columns: Any) -> None:
    if rows:
        st.dataframe(rows, hide_index=True, column_config=columns, placeholder="–")
    else:
        st.caption(say(empty))


def _share() -> Any:
    return st.column_config.ProgressColumn(min_value=0.0, max_value=1.0, format="%.2f")


def _sources(report: Report) -> None:
    rows = [
        {
            say(texts.DOCUMENT): source["document"],
            say(texts.TITLE): source["title"],
            say(texts.SECTIONS): ", ".join(source["sections"]),
            say(texts.PAGES): ", ".join(str(page) for page in source["pages"]),
            say(texts.FINGERPRINT): source["sha256"],
            say(words.SHOW): _whole(source),
        }
        for source in report["sources"]
    ]
    _table(rows, texts.NO_EVIDENCE, **{say(words.SHOW): _link()})
    neighbourhood.show(report)


def _whole(source: Row) -> str:
    """The address of the document, at the first page that the answer cites."""
    query = navigation.document_query(source["document_id"], min(source["pages"], default=None))
    return f"/document?{urlencode(query)}"


def _evidence(report: Report) -> None:
    if not report["evidence"]:
        st.caption(say(texts.NO_EVIDENCE))
    for tier, title in texts.TIER.items():
        rows = [_evidence_row(item) for item in report["evidence"] if item["tier"] == tier]
        if rows:
            st.markdown(f"**{say(title)}** ({len(rows)})")
            columns = {say(texts.RELEVANCE): _share(), say(words.SHOW): _link()}
            _table(rows, texts.NO_EVIDENCE, **columns)


def _evidence_row(item: Row) -> Row:
    return {
        say(texts.SECTION): item.get("section", ""),
        say(texts.DOCUMENT): item.get("document", ""),
        say(texts.PAGE_COLUMN): item.get("page"),
        say(texts.RELEVANCE): item.get("relevance") or item["score"],
        say(texts.FOUND_BY): _found_by(item),
        say(texts.TASK): item["task"],
        say(words.SHOW): _address(item),
    }


def _found_by(item: Row) -> str:
    if item.get("restored"):
        return say(words.RESTORED)
    return how_found(item["source_type"], item["depth"], item.get("way", ""))


def _address(item: Row) -> str:
    span = item["start"], item["end"]
    query = navigation.document_query(item["document_id"], item["page"], span)
    return f"/document?{urlencode(query)}"


def _link() -> Any:
    return st.column_config.LinkColumn(display_text=":material/open_in_new:", width="small")


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
    _table(rows, texts.NO_REFERENCES)


def _coverage(report: Report) -> None:
    """Each part of the question with what was found for it, by documents."""
    st.caption(say(coverage_words.OF_REPORT))
    coverage.show(report, "report")


def _history(report: Report) -> None:
    rounds = [RetrievalIteration.model_validate(look) for look in report["retrieval_history"]]
    if not rounds:
        st.caption(say(texts.NO_ROUNDS))
        return
    clarification = report.get("clarification") or {}
    reason = texts.ENDED_BECAUSE.get(clarification.get("reason") or "")
    if reason is not None:
        st.caption(say(reason))
    retrieval_history.show_table(rounds)


def _quality(report: Report) -> None:
    quality = report["quality"]
    if quality is None:
        st.caption(say(texts.NO_QUALITY))
        return
    st.caption(say(words.QUALITY_WHY))
    _figures(
        {
            texts.QUALITY_TOTAL: quality["total"],
            **{title: quality[name] for name, title in texts.QUALITY_DIMENSION.items()},
        }
    )
    if quality["revised"]:
        st.caption(say(texts.REVISED))
    for remark in quality["remarks"]:
        st.caption(plain(tell(remark)))


def _figures(values: dict[texts.Text, float]) -> None:
    with st.container(horizontal=True, gap="large"):
        for title, value in values.items():
            st.metric(say(title), number(value, language()), width="content")


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
            say(texts.SECONDS): duration(seconds, language()),
        }
        for phase, seconds in usage["seconds"].items()
    ]
    _table(rows, texts.NO_EVIDENCE)
    st.caption(f"{say(texts.THREAD)}: {plain(report['thread_id'])}")


_CONTENTS: Mapping[str, Callable[[Report], None]] = {
    "sources": _sources,
    "evidence": _evidence,
    "coverage": _coverage,
    "dropped": dropped.show,
    "references": _references,
    "history": _history,
    "quality": _quality,
    "cost": _cost,
}
