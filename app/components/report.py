"""A report: the answer with its proof, the details behind it in tabs, and its exports."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from agent.engine.exports import FORMATS, GRID_FORMATS, Format, file_stem
from agent.engine.layout import headline
from agent.engine.reports import ResearchReport
from agent.models import QualityAssessment, Source
from app import session
from app.components import answer_details, cited_answer, retrieval_history
from app.components import review as reviewing
from app.components.widgets import bullets, download, row, table
from app.formats import plain
from app.labels import CLOSEST, PHASE
from app.locale import N_
from app.navigation import document_url, retrieval_label, span_url
from app.session import _, engine, format_duration, format_number, language, notice_text, pgettext
from services.domain.runs import RunInfo
from services.domain.value import page_number


def show(run: RunInfo, written: ResearchReport) -> None:
    """Draw the answer of a research, with people's decisions on its sentences, and its details."""
    review = engine().reviews.get(written.thread_id)
    report = engine().reviews.apply(written, review)
    usage = report.usage
    facts = (
        headline(report, language()),
        cited_answer.quotes_only(usage) or session.model_label(usage.model),
        format_duration(usage.total_s),
    )
    with row():
        st.caption(" · ".join(filter(None, facts)), width="stretch")
        reviewing.show_review_button(report.thread_id, review)
        export_popover(run)
    reviewing.show(report.thread_id, written, review)
    cited_answer.warnings(report.cautions)
    if report.certainty == "perhaps":
        st.subheader(_(CLOSEST), anchor=False)
    elif report.certainty == "refused" and report.opening:
        with st.container(key="answer-refused"):
            st.text(report.opening)
    st.fragment(cited_answer.show)(report, review=review)
    if report.degraded:
        with st.expander(_("Limitations ({count})", count=len(report.degraded))):
            text = _(
                "A simpler method replaced the language model, or unsupported sentences were left "
                "out."
            )
            st.caption(text)
            for notice in report.degraded:
                st.text(notice_text(notice))
    reviewing.vote_buttons(report.thread_id, 1, reviewing.own_votes(report.thread_id).get(1))
    st.fragment(show_details)(report)


TIER = {1: N_("Answers the question"), 2: N_("Supports the answer"), 3: N_("Context")}

QUALITY_DIMENSION = {
    "factual_accuracy": N_("Sentences supported"),
    "semantic_validity": N_("Question coverage"),
    "structural_integrity": N_("Parts answered"),
    "citation_correctness": N_("Citations verified"),
}

FORMAT = {
    "pdf": N_("PDF"),
    "docx": N_("Word (DOCX) to edit"),
    "html": N_("Web page (HTML), one file"),
    "md": N_("Markdown"),
    "json": N_("JSON for programs"),
    "bib": N_("BibTeX for LaTeX"),
    "ris": N_("RIS for Zotero, Citavi, EndNote"),
    "xlsx": N_("Excel (XLSX) with proofs"),
    "csv": N_("CSV"),
    "txt": N_("Plain text"),
}

COUNTED = ("sources", "evidence", "references")
REPORT_FORMATS = ("pdf", "docx", "html", "md", "json")
SOURCE_FORMATS = ("bib", "ris")
OPEN_TAB = "details-open"


def show_details(report: ResearchReport) -> None:
    """Draw the choice among the details, in a fragment that redraws nothing else."""
    counted = {name: f" ({len(getattr(report, name))})" for name in COUNTED}
    titles = {name: f"{_(text)}{counted.get(name, '')}" for name, (text, _show) in _TABS.items()}
    st.session_state.setdefault(OPEN_TAB, "sources")
    style: dict[str, Any] = {"label_visibility": "collapsed", "wrap": True, "required": True}
    name_of = titles.__getitem__
    chosen = st.segmented_control(_("Details"), titles, format_func=name_of, key=OPEN_TAB, **style)
    _TABS[chosen or "sources"][1](report)


def _sources(report: ResearchReport) -> None:
    st.markdown(bullets(map(_source, report.sources)) or _("No evidence."))
    answer_details.show_related_sections(report)


def _source(source: Source) -> str:
    address = document_url(source.document_id, min(source.pages, default=None))
    pages = ", ".join(map(str, source.pages))
    facts = [
        "" if source.title == source.document else source.title,
        ", ".join(source.sections),
        _("p. {page}", page=pages) if pages else "",
    ]
    cited = " · ".join(plain(fact) for fact in facts if fact)
    return f"[{plain(source.document)}]({address}) :small[{cited}]"


def _table_or(empty: str, rows: Sequence[Mapping[str, object]]) -> None:
    table(rows) if rows else st.caption(empty)


def _evidence(report: ResearchReport) -> None:
    if not report.evidence:
        st.caption(_("No evidence."))
    view = pgettext("verb", "View")
    for tier, title in TIER.items():
        rows = [
            {
                _("Section"): item.section,
                _("Document"): item.document,
                _("Page"): page_number(item.page, item.page_label),
                _("Relevance"): session.relevance_label(item.relevance or item.score),
                _("Found by"): _("restored by you")
                if item.restored
                else retrieval_label(item.source_type, item.depth, item.way),
                _("Task"): item.task,
                view: span_url(item),
            }
            for item in report.evidence
            if item.tier == tier
        ]
        if rows:
            st.markdown(f"**{_(title)}** ({len(rows)})")
            table(rows, links=[view])


def _references(report: ResearchReport) -> None:
    rows = [
        {
            _("Found in"): item.source,
            _("Reference"): item.text,
            _("Leads to"): item.resolved_to or _("not in the documents"),
            _("Reason"): notice_text(item.reason),
        }
        for item in report.references
    ]
    _table_or(_("No references were followed."), rows)


def _coverage(report: ResearchReport) -> None:
    text = _(
        "Each row is a task, each column a document. “Found”: the report quotes passages that "
        "address the task or support the answer. “Partly”: the document offers only context, or "
        "passages that are not quoted. Documents in bold are quoted."
    )
    st.caption(text)
    answer_details.coverage_table(report)


def _quality(report: ResearchReport) -> None:
    quality = report.quality
    if quality is None:
        st.caption(_("The quality was not checked."))
        return
    st.caption(
        _("Four scores from 0 to 100. If their sum is below 280, the answer is revised once.")
    )
    marks = {_(title): getattr(quality, name) for name, title in QUALITY_DIMENSION.items()}
    _figures({_("Total (out of 400)"): quality.total, **marks})
    if quality.revised:
        st.caption(_revision(quality))
    for remark in quality.remarks:
        st.caption(plain(notice_text(remark)))


def _revision(quality: QualityAssessment) -> str:
    if not quality.before:
        return _("Revised once.")
    before, after = (format_number(marks["total"]) for marks in (quality.before, quality.after))
    if quality.revision_helped:
        return _("Revised once ({before} before, {after} after).", before=before, after=after)
    return _(
        "Revised once without improvement ({before} before, {after} after); the first version was "
        "kept.",
        before=before,
        after=after,
    )


def _figures(values: dict[str, float]) -> None:
    with st.container(horizontal=True, gap="large"):
        for title, value in values.items():
            st.metric(title, format_number(value), width="content")


def _details(report: ResearchReport) -> None:
    """Draw the quality and the cost."""
    st.markdown(f"**{_('Quality')}**")
    _quality(report)
    st.markdown(f"**{_('Cost')}**")
    usage = report.usage
    _figures(
        {
            _("Model calls"): usage.model_calls,
            _("Prompt tokens"): usage.prompt_tokens,
            _("Output tokens"): usage.completion_tokens,
            _("Simpler method used"): usage.fallbacks,
        }
    )
    rows = [
        {
            _("Phase"): _(PHASE[phase]) if phase in PHASE else phase,
            _("Elapsed"): format_duration(seconds),
            _("Total working time"): format_duration(usage.work_seconds.get(phase, seconds)),
        }
        for phase, seconds in usage.seconds.items()
    ]
    _table_or(_("No evidence."), rows)
    if usage.side_by_side_s:
        st.caption(_("Steps that ran in parallel count once in the elapsed time."))
    st.caption(f"{_('Thread')}: {plain(report.thread_id)}")
    rows = [
        {_("Document"): source.document, _("Checksum (SHA-256)"): source.sha256}
        for source in report.sources
    ]
    table(rows)


_TABS: Mapping[str, tuple[str, Callable[[ResearchReport], None]]] = {
    "sources": (N_("Sources"), _sources),
    "evidence": (N_("Evidence"), _evidence),
    "history": (N_("Retrieval history"), retrieval_history.show),
    "coverage": (N_("Coverage"), _coverage),
    "references": (N_("References"), _references),
    "details": (N_("Details"), _details),
}


def export_popover(run: RunInfo) -> None:
    """Draw a popover of downloads; with a rerun, a click on the menu would empty the page."""
    icon, key = ":material/download:", f"export-{run.thread_id}"

    @st.fragment
    def draw() -> None:
        with st.popover(_("Export"), icon=icon, type="tertiary", key=key, width="content"):
            downloads(run)

    with st.container(width="content"):
        draw()


def downloads(run: RunInfo) -> None:
    """Draw a download for each format of a report, of answers, or of a grid or sweep."""
    # A file is made in a thread that has no session, so the engine is looked up here.
    thread = run.thread_id
    if run.kind in ("grid", "sweep"):
        _files(run, GRID_FORMATS, partial(engine().grids.export, thread))
        return
    appendix = st.checkbox(
        _("With appendix"),
        key=f"appendix-{thread}",
        help=_("Adds tables of checksums, evidence and coverage, and the cost of the answer."),
    )
    make = partial(engine().threads.export_report, thread, appendix=appendix)
    title = _("The whole conversation") if run.kind == "ask" else _("The whole report")
    for text, names in ((title, REPORT_FORMATS), (_("Sources with quotes"), SOURCE_FORMATS)):
        st.caption(text)
        _files(run, {name: FORMATS[name] for name in names}, make)


def _files(run: RunInfo, formats: Mapping[str, Format], make: Callable[[str], bytes]) -> None:
    with st.container(gap=None):
        for name, format_ in formats.items():
            file, key = f"{file_stem(run.question)}.{name}", f"export-{run.thread_id}-{name}"
            data = partial(make, name)
            download(_(FORMAT[name]), data, file, format_.media_type, key, icon=None)
