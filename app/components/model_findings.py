"""What a trial of the language model showed, a line for each finding."""

from collections.abc import Iterator
from typing import Final

import streamlit as st

from app.formats import plain
from app.locale import N_
from app.session import _, say_duration, say_number, tell
from services.domain.model_checks import ExaminedItem, ItemKind, ModelCheck, ModelReading

NO_MODEL: Final = "none"
SLOW_TOKENS_PER_S: Final = 5.0
WORKS, FAILS = ":material/check_circle:", ":material/error:"
RESULTS: Final = {
    True: N_("It passed the reading test"),
    False: N_("It failed the reading test"),
    None: N_("It has not taken the reading test"),
}
KINDS: Final[dict[ItemKind, str]] = {
    "read": N_("answer with quotes"),
    "decline": N_("decline to answer"),
    "verify": N_("find what is wrong"),
}


def show_check(check: ModelCheck) -> None:
    if check.model == NO_MODEL:
        st.info(_("There is nothing to test: Rabbithole runs without a language model."))
        return
    if check.problem is None:
        st.success(_("The language model works."))
    else:
        st.error(plain(tell(check.problem)), title=_("The language model does not work"))
    st.markdown("  \n".join(_findings(check)))


def show_reading(found: ModelReading) -> None:
    """Say whether the model reads, and what overrules its result; the items on demand."""
    told = _("it reads and answers") if found.reads else _("answers are quotes only")
    said = f" (`RABBITHOLE_READS={found.setting}`)" * (found.setting != "auto")
    st.markdown(f"{_icon(found.reads)} {_(RESULTS[found.passed])}: {told}{said}")
    if found.problem is not None:
        st.warning(plain(tell(found.problem)), title=_("The last reading test was not finished"))
    if found.items:
        with st.expander(_("The reading test, item by item")):
            for each in found.items:
                _show_item(each)


def _show_item(item: ExaminedItem) -> None:
    problem = f"  \n**{plain(tell(item.problem))}**" if item.problem is not None else ""
    st.markdown(
        f"{_icon(item.problem is None)} {plain(item.question)} ({_(KINDS[item.kind])}){problem}"
    )
    st.text(item.reply)


def _icon(right: bool) -> str:
    return WORKS if right else FAILS


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
            "Context of {tokens} tokens (question, passages and answer together)",
            tokens=say_number(check.context_tokens),
        )
        yield f"{WORKS} {takes}"
