"""The clarification: its conversation, the assumptions, and the result of each search round."""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.widgets import bullets, button, reply, row
from app.formats import one_line, plain, unbroken
from app.locale import N_
from app.run_log import END_COMMAND, ClarificationTurn, RunLog
from app.session import _, engine, format_number
from services.domain.events import RetrievalIteration, Waiting
from services.domain.runs import RunInfo

NO_GAP = N_("No gaps found.")
UNCERTAIN = N_(
    "Related passages were found for each part of the question, but they may not answer it."
)
AVATAR = {"user": ":material/person:", "assistant": ":material/search:"}


def show_rounds(rounds: Sequence[RetrievalIteration]) -> None:
    """Draw each round as bars: a chart, redrawn every second, would cost a canvas each time."""
    for record in rounds:
        number, covered = record.iteration + 1, format_number(100 * record.coverage)
        title = _("**Round {round}** · coverage {share}%", round=number, share=covered)
        st.progress(record.coverage, text=title)
        if record.iteration:  # the first round cannot repeat anything
            repeats = _("{share}% already seen", share=format_number(100 * record.dedup_ratio))
            st.progress(record.dedup_ratio, text=repeats)
        counts = {"hits": record.hits, "new": record.new, "known": record.duplicates}
        lines = [_("hits: {hits} ({new} new, {known} already seen)", **counts)]
        lines += [
            f"{title}: {plain('; '.join(items))}"
            for title, items in ((_("Open gaps"), record.gaps), (_("Searched for"), record.queries))
            if items
        ]
        st.caption("  \n".join(lines))


def show(run: RunInfo, pending: Waiting, log: RunLog) -> None:
    """Draw the open questions and the field for the answer."""

    def chosen() -> str:
        return "\n".join(filter(None, (corrections(pending), _chosen_answers(pending))))

    send = answer_sender(run.thread_id, pending.interrupt_id, chosen)
    talk, corpus = st.columns([3, 2], gap="large")
    with talk:
        for turn in log.conversation(run.question)[:-1]:
            show_turn(turn)
        _questions(pending, send)
        assumption_fields(pending)
        with row(vertical_alignment="bottom", gap="small"):
            here = pending.interrupt_id
            answer_input(here, send)
            if chosen():
                key = f"chosen-{here}"
                button(_("Send answer"), key, type="primary", on_click=send, args=("",))
            why, key = _("Skips the questions and goes straight to the plan."), f"end-{here}"
            button(_("Skip"), key, help=why, on_click=send, args=(END_COMMAND,))
    with corpus:
        show_corpus(log)


def _questions(pending: Waiting, send: Callable[[str], None]) -> None:
    """Draw each question with suggested answers; clicking one for each question sends them."""

    def send_if_complete() -> None:
        if len(_answered_questions(pending)) == len(pending.questions):
            send("")

    with st.chat_message("assistant", avatar=AVATAR["assistant"]):
        for number, question in enumerate(pending.questions, start=1):
            with st.container(key=f"asked-{number}", gap="small"):
                several = len(pending.questions) > 1
                st.text(unbroken(f"{number}. {question}" if several else question))
                for answers in pending.answers[number - 1 : number]:
                    st.pills(
                        plain(question),
                        answers,
                        format_func=plain,
                        wrap=True,
                        key=_pills_key(pending, number),
                        label_visibility="collapsed",
                        on_change=send_if_complete,
                    )
                for matters in pending.matters[number - 1 : number]:
                    st.caption(plain(matters))


def _answered_questions(pending: Waiting) -> list[tuple[str, str]]:
    chosen = [
        (question, st.session_state.get(_pills_key(pending, number)))
        for number, question in enumerate(pending.questions, start=1)
    ]
    return [(question, answer) for question, answer in chosen if answer]


def _chosen_answers(pending: Waiting) -> str:
    """Return the clicked answers; one of several questions names its own."""
    single = len(pending.questions) == 1
    return "\n".join(
        answer if single else f"{question} {answer}"
        for question, answer in _answered_questions(pending)
    )


def _pills_key(pending: Waiting, number: int) -> str:
    return f"chip-{number}-{pending.interrupt_id}"


def show_corpus(log: RunLog) -> None:
    """Draw what the documents have on the question so far; the searches in a fold."""
    if not log.rounds:
        return
    latest = log.rounds[-1]
    with st.container(border=True):
        if latest.found:
            st.markdown(f"**{_('Found in the documents')}**\n{bullets(map(plain, latest.found))}")
        if latest.gaps:
            gaps = "; ".join(map(plain, latest.gaps))
            st.markdown(f"**{_('Still open')}**  \n{gaps}")
        else:
            st.caption(_(no_gap_text(latest)))
        with st.expander(_("Search rounds ({count})", count=len(log.rounds))):
            show_rounds(log.rounds)


def no_gap_text(record: RetrievalIteration) -> str:
    """Return what to say if a round has no gaps, else ""."""
    if record.gaps:
        return ""
    return NO_GAP if record.coverage == 1.0 else UNCERTAIN


def show_conversation(question: str, log: RunLog) -> None:
    """Draw the conversation so far."""
    for turn in log.conversation(question):
        show_turn(turn)


def show_turn(turn: ClarificationTurn) -> None:
    """Draw a message; questions are numbered."""
    with st.chat_message(turn.role, avatar=AVATAR[turn.role]):
        numbered = turn.role == "assistant" and len(turn.lines) > 1
        lines = (f"{n}. {line}" if numbered else line for n, line in enumerate(turn.lines, 1))
        st.text(unbroken("\n".join(lines)))


def answer_sender(
    thread_id: str, interrupt_id: str, more: Callable[[], str] = str
) -> Callable[[str], None]:
    """Return a callback, so that an answer counts after a redraw; ``more`` goes before it."""

    def send(text: str) -> None:
        full = f"{more()}\n{text}".strip()
        ids = (thread_id, interrupt_id)
        reply(*ids, lambda: engine().threads.answer(*ids, full))

    return send


def answer_input(interrupt_id: str, send: Callable[[str], None]) -> None:
    """Draw the field for an answer, which ``send`` sends."""
    widget = f"answer-{interrupt_id}"
    st.chat_input(
        _("Your answer"),
        key=widget,
        max_chars=4000,
        on_submit=lambda: send(st.session_state[widget]),
    )


def assumption_fields(pending: Waiting) -> DeltaGenerator | None:
    """Draw a fold of editable assumptions; return it, or None if there are none."""
    if not pending.assumed:
        return None
    fold = st.expander(
        _("Assumptions ({count})", count=len(pending.assumed)), icon=":material/rule:"
    )
    with fold:
        st.caption(_("Correct anything that is wrong; the search starts again with your text."))
        for number, text in enumerate(pending.assumed, start=1):
            st.text_area(
                _("Assumption {number}", number=number),
                value=text,
                key=_assumption_key(pending, number),
                height="content",
                max_chars=500,
                label_visibility="collapsed",
            )
    return fold


def corrections(pending: Waiting) -> str:
    """Return a line for each edited assumption, beginning with its number."""
    lines = []
    for number, text in enumerate(pending.assumed, start=1):
        now = one_line(str(st.session_state.get(_assumption_key(pending, number), text)))
        if now and now != one_line(text):
            lines.append(f"A{number}: {now}")
    return "\n".join(lines)


def correct_assumptions(thread_id: str, pending: Waiting) -> None:
    """Draw the assumptions of a plan, with a button to plan again."""
    ids = (thread_id, pending.interrupt_id)

    def send() -> None:
        if text := corrections(pending):
            reply(*ids, lambda: engine().threads.correct(*ids, text))

    if fold := assumption_fields(pending):
        with fold:
            button(_("Plan again"), f"correct-{pending.interrupt_id}", on_click=send)


def _assumption_key(pending: Waiting, number: int) -> str:
    return f"assumed-{number}-{pending.interrupt_id}"
