"""Labels that several pages show, marked for translation."""

from collections.abc import Mapping

from app.locale import N_
from services.domain.collections import Visibility

ENDED_BECAUSE = {
    "user_end": N_("ended by you"),
    "convergence": N_("more questions would not change anything"),
    "clarified": N_("clarified by your answers"),
    "nothing_to_clarify": N_("nothing to clarify"),
    "max_iterations": N_("round limit reached"),
    "skipped": N_("skipped"),
}

PHASE = {
    "clarify": N_("Clarify"),
    "plan": N_("Plan"),
    "extract": N_("Gather evidence"),
    "validate": N_("Check relevance"),
    "synthesize": N_("Write"),
    "assess": N_("Check quality"),
    "attribute": N_("Add sources"),
}

STATUS = {
    "queued": N_("queued"),
    "running": N_("running"),
    "waiting": N_("waiting for you"),
    "paused": N_("paused"),
    "interrupted": N_("interrupted"),
    "done": N_("done"),
    "cancelled": N_("cancelled"),
    "failed": N_("failed"),
}

DEPTHS = {
    "auto": N_("automatic"),
    "fast": N_("fast"),
    "enhanced": N_("enhanced"),
    "structured": N_("structured"),
    "agent": N_("agent"),
}

DEPTH_HELP = N_(
    "“Automatic” chooses the method that suits the question. “Enhanced” retrieves one "
    "and a half times as many passages. “Structured” works out what the answer needs, "
    "searches for each part and says what is missing. The agent thinks and searches step "
    "by step, which takes longer and needs a language model."
)

LANGUAGES = {
    "auto": N_("detect automatically"),
    "de": N_("German"),
    "en": N_("English"),
    "fr": N_("French"),
    "es": N_("Spanish"),
    "it": N_("Italian"),
    "nl": N_("Dutch"),
    "pt": N_("Portuguese"),
}

VISIBLE_TO: Mapping[Visibility, str] = {
    "private": N_("private"),
    "unlisted": N_("unlisted (by link)"),
    "public": N_("public"),
    "admin": N_("managed centrally"),
}

STANDING = {
    "loose": N_("to check: the passage may not support it"),
    "contradicts": N_("contradiction: the passage says otherwise"),
    "none": N_("to check: no passage found"),
}
"""Why a sentence is not proven."""

DECIDED = {
    "accept": N_("accepted by {user}, {day}"),
    "quote": N_("replaced with the quote by {user}, {day}"),
    "edit": N_("reworded by {user}, {day}"),
    "remove": N_("removed by {user}, {day}"),
}

FITS = {
    0.7: N_("very relevant"),
    0.5: N_("relevant"),
    0.3: N_("partly relevant"),
    0.0: N_("barely relevant"),
}

CLOSEST = N_("Quotes from the documents")
