"""What a trial of the language model showed, a line for each finding."""

from collections.abc import Iterator
from typing import Final

import streamlit as st

from app.formats import plain
from app.session import _, say_duration, say_number, tell
from services.domain.model_checks import ModelCheck, ModelWriting

NO_MODEL: Final = "none"
SLOW_TOKENS_PER_S: Final = 5.0
WORKS, FAILS = ":material/check_circle:", ":material/error:"


def show_check(check: ModelCheck) -> None:
    if check.model == NO_MODEL:
        st.info(_("There is nothing to test: Rabbithole runs without a language model."))
        return
    if check.problem is None:
        st.success(_("The language model works."))
    else:
        st.error(plain(tell(check.problem)), title=_("The language model does not work"))
    st.markdown("  \n".join(_findings(check)))


def show_writing(found: ModelWriting) -> None:
    """What was measured, why nothing was, and what overrules it; the answers on demand."""
    measured = _("How well it writes has not been measured")
    if found.share is not None:
        measured = _("{share} % of what it wrote is proven", share=say_number(100 * found.share))
    told = _("it writes answers") if found.writes else _("answers are quotes alone")
    said = f" (`RABBITHOLE_READS={found.reads}`)" * (found.reads != "auto")
    st.markdown(f"{WORKS if found.writes else FAILS} {measured}: {told}{said}")
    if found.problem is not None:
        st.warning(plain(tell(found.problem)), title=_("The last measurement came to no result"))
    if found.answers:
        with st.expander(_("What it wrote")):
            for each in found.answers:
                counts = f"{each.proven}/{each.sentences}"
                st.markdown(f"**{plain(each.question)}** {counts}  \n{plain(each.text)}")


def _findings(check: ModelCheck) -> Iterator[str]:
    """What works and what does not, a line each."""
    if check.first_token_s is not None:
        shown = say_duration(check.first_token_s)
        yield f"{WORKS} {_('Answers: first word after {duration}', duration=shown)}"
    if check.tokens_per_s is not None:
        rate = say_number(check.tokens_per_s, 1)
        written = _("Writes {rate} tokens a second", rate=rate)
        if check.tokens_per_s < SLOW_TOKENS_PER_S:
            slow = _("That is slow: a research takes long with it. A smaller model is faster.")
            written = f"{written}. {slow}"
        yield f"{WORKS} {written}"
        if check.keeps_form:
            yield f"{WORKS} {_('Fills in forms (JSON by a given schema)')}"
        else:
            yield f"{FAILS} {_('Did not fill in the form (JSON by a given schema)')}"
    if check.prompt_tokens_per_s is not None:
        rate = say_number(check.prompt_tokens_per_s)
        yield f"{WORKS} {_('Reads {rate} tokens a second', rate=rate)}"
    if check.context_tokens is not None:
        takes = _(
            "Takes {tokens} tokens at a time (question, passages and answer together)",
            tokens=say_number(check.context_tokens),
        )
        yield f"{WORKS} {takes}"
