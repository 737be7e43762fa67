"""The retrieval history of a research: every search, what the report uses, what was dropped."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

import streamlit as st

from agent.engine.reports import (
    DroppedEvidence,
    ReportEvidence,
    ReportSearch,
    ResearchReport,
    SearchGroup,
    search_history,
)
from agent.models import SearchMade, TaskFinding
from app.components.widgets import attempt_and_rerun, bullets
from app.formats import plain
from app.labels import ENDED_BECAUSE, PHASE
from app.navigation import section_location, short_location, span_url
from app.session import _, engine, format_number, notice_text, relevance_label

MAX_DROPPED: Final = 30


def show(report: ResearchReport) -> None:
    """Draw every search of the run; restoring ticked passages writes the answer again."""
    assumed = report.clarification.assumed_context if report.clarification else ()
    changed = [notice_text(change) for change in report.plan_changes]
    for title, lines in ((_("Assumptions"), assumed), (_("Your changes"), changed)):
        if lines:
            st.markdown(f"**{title}**\n{bullets(map(plain, lines))}")
    ranked = sorted(report.dropped, key=lambda item: -item.score)
    offered = {item.chunk_id for item in ranked[:MAX_DROPPED]}
    form: AbstractContextManager[object] = nullcontext()
    if offered:
        form = st.form("restore", border=False)
    with form:
        ticked = [
            name for group in search_history(report) for name in _group(report, group, offered)
        ]
        if offered:
            _restore_button(report.thread_id, ticked, len(ranked) - len(offered))


def _restore_button(thread: str, ticked: Sequence[str], more: int) -> None:
    if more:
        st.caption(_("And {count} more of lower relevance.", count=more))
    st.caption(
        _("Restored passages are checked again and the answer is rewritten, without a new search.")
    )
    submitted = st.form_submit_button(_("Restore and rewrite the report"), icon=":material/undo:")
    if submitted and not ticked:
        st.caption(_("Tick the passages to restore."))
    elif submitted:
        attempt_and_rerun(lambda: engine().threads.restore_evidence(thread, ticked))


def _group(report: ResearchReport, group: SearchGroup, offered: set[str]) -> Iterator[str]:
    """Draw the searches of the clarification or of a task; yield the passages that are ticked."""
    results = [result for result in group.results if result.search or result.used or result.dropped]
    if not results:
        return
    with st.container(key=f"searches-{group.task.id if group.task else 0}", gap="xsmall"):
        if group.task is None:
            ended = report.clarification and report.clarification.reason
            because = f": {_(ENDED_BECAUSE[ended])}" if ended in ENDED_BECAUSE else ""
            st.markdown(f"**{_(PHASE['clarify'])}**{because}")
        else:
            st.markdown(f"**{group.task.id}. {plain(group.task.task)}**")
        last_round = 0
        for result in results:
            number = result.search.round if result.search else last_round
            if group.task is None and number > last_round:
                _round(report, number)
                last_round = number
            st.markdown(_result(result, of_task=group.task is not None))
            for item in result.dropped:
                if _dropped(report, item, can_tick=item.chunk_id in offered):
                    yield item.chunk_id
        if lines := [_finding(finding) for finding in _lost_findings(report, group)]:
            st.markdown(
                f"{_('Dropped findings whose passage supports another finding:')}\n{bullets(lines)}"
            )


def _round(report: ResearchReport, number: int) -> None:
    for record in report.retrieval_history:
        if record.iteration + 1 == number:
            share = format_number(100 * record.coverage)
            covered = _("Round {round} · coverage {share}%", round=number, share=share)
            gaps = f" · {_('Open gaps')}: {plain('; '.join(record.gaps))}" if record.gaps else ""
            st.caption(f"{covered}{gaps}")


def _result(result: ReportSearch, *, of_task: bool) -> str:
    links = list({short_location(entry): _link(entry) for entry in result.used}.values())
    used = f"  \n:material/check: {_('In the report')}: {'; '.join(links)}" if links else ""
    if result.search is None:
        return f"- {_('Found by one of these searches, by a reference or next to a hit')}{used}"
    return f"- {_query(result.search, of_task=of_task)}{used}"


def _query(search: SearchMade, *, of_task: bool) -> str:
    facts = [_("hits: {hits}, new: {new}", hits=search.hits, new=search.new)]
    if search.imagined:
        facts.append(_("phrased as the passage might read"))
    if of_task and search.round > 1:
        facts.append(_("for missing parts, round {round}", round=search.round))
    return f"{plain(search.query)} :gray[:small[{' · '.join(facts)}]]"


def _link(at: ReportEvidence) -> str:
    return f"[{plain(short_location(at))}]({span_url(at)})"


def _dropped(report: ResearchReport, item: DroppedEvidence, *, can_tick: bool) -> bool:
    """Draw a dropped passage with its text, grade and reason; return whether it is ticked."""
    findings = [
        finding
        for task in report.tasks
        for finding in task.findings
        if item.chunk_id in finding.chunk_ids
    ]
    name = section_location(item.document, item.section) or item.chunk_id
    facts = (
        name,
        relevance_label(item.score),
        _("grade {grade} out of 10", grade=format_number(10 * item.score)),
        notice_text(item.reason),
    )
    with st.container(gap=None, key=f"dropped-{item.chunk_id}"):
        ticked = st.checkbox(
            f"{_('Dropped')}: {plain(item.text or name)}",
            key=f"restore-{item.chunk_id}",
            disabled=not can_tick,
        )
        st.caption(" · ".join(plain(fact) for fact in facts if fact))
        _passage(item, findings)
    return ticked


def _passage(item: DroppedEvidence, findings: Sequence[TaskFinding]) -> None:
    quotes = dict.fromkeys(
        citation.full_quote for finding in findings for citation in finding.citations
    )
    if not (quotes or item.end):
        return
    with st.expander(_("Read the passage")):
        for number, quote in enumerate(quotes):
            with st.container(key=f"quote-dropped-{item.chunk_id}-{number}"):
                st.text(quote)
        if item.end:
            st.markdown(f"[{_('In the document')}]({span_url(item)})")


def _lost_findings(report: ResearchReport, group: SearchGroup) -> list[TaskFinding]:
    """Return the dropped findings of a task whose passages count for another finding."""
    gone = {item.chunk_id for item in report.dropped}
    findings = group.task.findings if group.task else ()
    return [f for f in findings if not f.counts and not gone & {*f.chunk_ids}]


def _finding(finding: TaskFinding) -> str:
    locations = dict.fromkeys(map(short_location, finding.citations))
    grade = None if finding.grade is None else format_number(finding.grade)
    facts = [
        *map(plain, locations),
        *([_("grade {grade} out of 10", grade=grade)] if grade else []),
    ]
    reason = plain(notice_text(finding.reason))
    return f"~~{plain(finding.text)}~~ :small[{' · '.join(filter(None, [*facts, reason]))}]"
