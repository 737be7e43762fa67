"""What is said at a sentence: why it is no proof, what a person decided, and a note."""

from typing import Final

import streamlit as st

from app.components.notices import act
from app.labels import DECIDED, STANDING
from app.session import _, engine, say_moment
from services.domain import Standing
from services.domain.reviews import SentenceReview

NOTE_LENGTH: Final = 2000
NO_PROOF_ICONS: Final[dict[Standing, str]] = {
    "loose": ":material/help:",
    "contradicts": ":material/block:",
    "none": ":material/search_off:",
}


def doubt(standing: Standing) -> None:
    """At a glance, why a sentence is no proof."""
    st.badge(
        _(STANDING[standing]),
        icon=NO_PROOF_ICONS[standing],
        color="red" if standing == "contradicts" else "gray",
    )


def decided(review: SentenceReview) -> str:
    """Who decided what about a sentence, and when."""
    return _(DECIDED[review.decision], user=review.user, day=say_moment(review.at))


def noted(written: SentenceReview) -> str:
    """A note with who wrote it, and when."""
    day = say_moment(written.at)
    return _("Note by {user}, {day}: {text}", user=written.user, day=day, text=written.text)


def note(thread: str, sentence: int, before: SentenceReview | None, at: str = "note") -> None:
    """A field for a note at a sentence, by its place in the report as it was written."""
    with st.popover(_("Note"), icon=":material/edit_note:", type="tertiary", key=at):
        text = st.text_area(
            _("Note at this sentence"),
            before.text if before else "",
            max_chars=NOTE_LENGTH,
            key=f"{at}-{thread}-{sentence}",
            help=_("Exported with the sentence. An empty note is removed."),
        )
        if st.button(_("Save"), key=f"{at}-save", type="primary"):
            act(lambda: engine().reviews.decide(thread, sentence, "note", text))
