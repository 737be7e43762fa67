"""Feedback on answers: votes, notes, decisions on doubtful sentences, and the signature."""

from collections.abc import Callable
from typing import Final

import streamlit as st

from agent.engine.layout import mark_differences
from agent.engine.reports import Answered, ResearchReport
from app.components import widgets
from app.components.widgets import attempt_and_rerun, button, icon_button, quiet_button, row, stored
from app.formats import plain
from app.labels import DECIDED, STANDING
from app.navigation import location
from app.session import _, engine, format_time, settings
from services.domain import PROOF, CitedSentence, Standing
from services.domain.answers import Decision, Review, SentenceReview
from services.library.thresholds import VoteInfo

MAX_CITATIONS: Final = 3
SENTENCE_LENGTH: Final = 2000
NAME_LENGTH: Final = 100


def reviewed(written: ResearchReport) -> ResearchReport:
    """Return a report with people's decisions on its sentences applied."""
    reviews = engine().reviews
    return reviews.apply(written, reviews.get(written.thread_id))


def show_review_button(thread: str, review: Review) -> None:
    """Draw a button that begins the review, and who signed."""
    count = len(review.open)
    text = _("Review ({count})", count=count) if count else _("Review and sign")
    if quiet_button(text, "review", "fact_check"):
        st.session_state[_key(thread)] = True
        st.rerun()
    if review.signed is not None:
        by = {"user": plain(review.signed.user), "day": format_time(review.signed.at)}
        text = f":material/verified_user: {_('Signed by {user}, {day}', **by)}"
        st.caption(text, width="content")


def show(thread: str, answered: Answered, review: Review) -> None:
    """Draw the sentences to review one by one, and the button that signs, once it has begun."""
    if not st.session_state.get(_key(thread)):
        return
    if review.listed:
        _show_decisions(thread, answered, review)
    if not review.open:
        _sign(thread, review)


def _show_decisions(thread: str, answered: Answered, review: Review) -> None:
    key = f"review-at-{thread}"
    if st.session_state.get(key) not in review.listed:
        st.session_state[key] = (review.open or review.listed)[0]
    here: int = st.session_state[key]
    number, total = review.listed.index(here), len(review.listed)

    def go(to: int) -> None:
        st.session_state[key] = review.listed[to]

    with st.container(border=True, key="review-card"):
        with row(key="review-bar"):
            text, first = _("Previous sentence"), number == 0
            icon_button("chevron_left", text, "review-left", go, number - 1, disabled=first)
            st.markdown(f"**{_('Sentence {number} of {total}', number=number + 1, total=total)}**")
            text, last = _("Next sentence"), number + 1 == total
            icon_button("chevron_right", text, "review-right", go, number + 1, disabled=last)
            st.space("stretch")
            st.caption(_("{count} left to review", count=len(review.open)), width="content")
            leave = (st.session_state.pop, _key(thread), None)
            icon_button("close", _("Close the review"), "review-close", *leave)
        sentence = answered.sentences[here]
        _show_sentence(sentence, answered.language)

        def decide(decision: Decision, text: str = "") -> None:
            def keep() -> None:
                left = engine().reviews.decide(thread, here, decision, text).open
                st.session_state[key] = next((n for n in left if n > here), (*left, here)[0])

            attempt_and_rerun(keep)

        _decisions(thread, sentence, here, review, decide)


def _show_sentence(sentence: CitedSentence, language: str) -> None:
    left, right = st.columns(2, gap="medium")
    with left, st.container(key="side-review-sentence"):
        st.caption(_("The sentence"))
        passages = " ".join(cited.full_quote for cited in sentence.citations)
        pieces = (
            passages and mark_differences(sentence.text, passages, language, sentence.decisive)[0]
        )
        st.markdown(widgets.highlight(pieces) if pieces else plain(sentence.text))
        if sentence.standing not in PROOF:
            doubt_badge(sentence.standing)
        if sentence.reason:
            st.caption(plain(sentence.reason))
    with right, st.container(key="side-review-place"):
        st.caption(_("Source in the documents"))
        if not sentence.citations:
            st.markdown(_("Nothing similar was found in the documents."))
        for cited in sentence.citations[:MAX_CITATIONS]:
            marked = mark_differences(sentence.text, cited.full_quote, language, sentence.decisive)
            st.markdown(widgets.highlight(marked[1]))
            widgets.page_link(plain(location(cited, cited.section_title)), cited)


def _decisions(
    thread: str, sentence: CitedSentence, here: int, review: Review, decide: Callable[..., None]
) -> None:
    decided = review.decisions.get(here)
    if decided is not None:
        with row():
            st.markdown(f":material/check: {plain(decision_text(decided))}", width="content")
            if quiet_button(_("Undo"), "review-open", "undo"):
                decide("open")
        if decided.decision in ("quote", "edit"):
            with st.container(key="quote-review"):
                st.text(decided.text)
    with row(key="review-decisions"):
        if button(_("Accept"), "review-accept", "check"):
            decide("accept")
        quotable = any(cited.verified for cited in sentence.citations)
        replace = _("Replace with the quote")
        if button(replace, "review-quote", "format_quote", disabled=not quotable):
            decide("quote")
        with st.popover(_("Reword"), icon=":material/edit:", key=f"review-words-{here}"):
            _wording(f"review-text-{thread}-{here}", "review-edit", sentence.text, decide)
        note_field(thread, here, review.notes.get(here), key="review-note")
        if button(_("Remove"), "review-remove", "delete"):
            decide("remove")


def _sign(thread: str, review: Review) -> None:
    with st.container(border=True, key="review-sign"):
        if review.signed is not None:
            text = _(
                "Signed by {user}, {day}. Exports show the signature and every decision.",
                user=plain(review.signed.user),
                day=format_time(review.signed.at),
            )
            st.success(text)
            return
        st.markdown(
            _("You have reviewed all doubtful sentences.")
            if review.doubtful
            else _("There are no doubtful sentences.")
        )
        name = ""
        if settings().login is None:
            name = st.text_input(_("Your name"), key="signed-name", max_chars=NAME_LENGTH)
        if button(_("Sign"), "review-signed", "verified_user", type="primary"):
            attempt_and_rerun(lambda: engine().reviews.sign(thread, name=name))


def _key(thread: str) -> str:
    return f"reviewing-{thread}"


NOTE_LENGTH: Final = 2000
NO_PROOF_ICONS: Final[dict[Standing, str]] = {
    "loose": ":material/help:",
    "contradicts": ":material/block:",
    "none": ":material/search_off:",
}


def doubt_badge(standing: Standing) -> None:
    """Draw why a sentence is not proven."""
    st.badge(
        _(STANDING[standing]),
        icon=NO_PROOF_ICONS[standing],
        color="red" if standing == "contradicts" else "gray",
    )


def decision_text(review: SentenceReview) -> str:
    """Return who decided what about a sentence, and when."""
    return _(DECIDED[review.decision], user=review.user, day=format_time(review.at))


def note_text(written: SentenceReview) -> str:
    """Return a note with its author and day."""
    day = format_time(written.at)
    return _("Note by {user}, {day}: {text}", user=written.user, day=day, text=written.text)


def correction_field(thread: str, sentence: int, text: str, before: SentenceReview | None) -> None:
    """Draw the field that rewords or removes a sentence, by its index in the report as written."""
    # Another key for each decision, so that the field closes.
    key = f"correct-{before.at if before else 'first'}"

    def decide(decision: Decision, text: str = "") -> None:
        attempt_and_rerun(lambda: engine().reviews.decide(thread, sentence, decision, text))

    with st.popover(_("Correct"), icon=":material/edit:", type="tertiary", key=key):
        _wording(f"correct-{thread}-{sentence}", "correct-edit", text, decide)
        if quiet_button(_("Remove the sentence"), "correct-remove", "delete"):
            decide("remove")
        if before is not None and quiet_button(_("Undo"), "correct-open", "undo"):
            decide("open")


def _wording(key: str, button_key: str, text: str, decide: Callable[..., None]) -> None:
    label = _("Your wording")
    words = st.text_area(label, text, max_chars=SENTENCE_LENGTH, key=key)
    if button(_("Use this wording"), button_key, type="primary"):
        decide("edit", words)


def note_field(
    thread: str, sentence: int, before: SentenceReview | None, key: str = "note"
) -> None:
    """Draw the field for a note on a sentence, by its index in the report as it was written."""
    with st.popover(_("Note"), icon=":material/edit_note:", type="tertiary", key=key):
        text = st.text_area(
            _("Note on this sentence"),
            before.text if before else "",
            max_chars=NOTE_LENGTH,
            key=f"{key}-{thread}-{sentence}",
            help=_("Exported with the sentence. An empty note is removed."),
        )
        if st.button(_("Save"), key=f"{key}-save", type="primary"):
            attempt_and_rerun(lambda: engine().reviews.decide(thread, sentence, "note", text))


COMMENT_LENGTH = 500


def own_votes(thread_id: str) -> dict[int, VoteInfo]:
    """Return the votes of this person by turn, without those an admin can also see."""
    me, votes = engine().principal.user, engine().answers.votes(thread_id)
    return {vote.turn: vote for vote in votes if vote.user == me}


def vote_buttons(thread_id: str, turn: int, vote: VoteInfo | None) -> None:
    """Draw the thumbs and, after a vote, a field for a comment."""
    key, before = f"vote-{thread_id}-{turn}", vote.text if vote else ""

    def send() -> None:
        chosen = st.session_state[key]
        comment = st.session_state.get(f"{key}-word", before)
        if chosen is not None:
            widgets.attempt(
                lambda: engine().answers.vote(thread_id, bool(chosen), comment, turn=turn),
                done=_("Thank you. Your rating is saved."),
            )

    default = None if vote is None else int(vote.up)
    st.feedback("thumbs", key=key, default=default, on_change=send)
    if st.session_state.get(key) is not None:
        st.text_input(
            _("Comment (optional)"),
            key=stored(f"{key}-word", before),
            max_chars=COMMENT_LENGTH,
            placeholder=_("Comment (optional)"),
            label_visibility="collapsed",
            on_change=send,
            width=260,
        )
