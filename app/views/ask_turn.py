"""A turn of quick answers: the question, the answer with its proof, and what to do with it."""

from typing import Any

import streamlit as st

from agent.layout import counted, standings_of
from agent.shown import RunInfo, VoteInfo
from app import navigation, texts
from app.formats import duration, number
from app.sanitise import one_line, plain
from app.session import chosen_turn, client, language, leave_notice, say, tell
from app.texts import ask as words
from app.views import agent_steps, ask_needed, neighbourhood, reading
from app.views.clarification import AVATAR
from app.views.notices import attempt
from app.views.places import document_url, short_place
from services.events import AgentStep, total_seconds

Turn = dict[str, Any]
LONGEST_WORD = 500
SHOWN_PLACES = 12


def show(run: RunInfo, turn: Turn, vote: VoteInfo | None, *, latest: bool) -> None:
    """One question with its answer; only the latest shows a proof that nobody asked for.

    Args:
        run: the conversation.
        turn: as ``ask --json`` prints it.
        vote: what this person has said of it.
        latest: whether it is the last one.
    """
    asked(turn["question"])
    with st.chat_message("assistant", avatar=AVATAR["assistant"]):
        if turn["question_rewritten"]:
            question = plain(turn["question_rewritten"])
            st.caption(say(words.UNDERSTOOD_AS, question=question))
        agent_steps.show([AgentStep.model_validate(each) for each in turn.get("agent_steps", ())])
        _answer(turn, latest=latest)
        ask_needed.show(turn)
        neighbourhood.show_folded(turn)
        _facts(turn)
        _after(run, turn, vote)


def asked(question: str) -> None:
    """What the person asked."""
    with st.chat_message("user", avatar=AVATAR["user"]):
        st.text(question)


def _answer(turn: Turn, *, latest: bool) -> None:
    for warning in turn["warnings"]:
        st.warning(plain(warning), icon=":material/info:")
    closest = turn.get("certainty") == "perhaps"
    if turn["opening"]:
        with st.container(key=f"{'closest' if closest else 'answer'}-{turn['turn']}"):
            st.text(turn["opening"])
    if turn["listed"]:
        _places(turn)
    elif turn["sentences"]:
        unasked = latest and chosen_turn() is None
        reading.show(turn, turn["turn"], unasked=unasked, closest=closest)
    if turn["closing"]:
        st.caption(plain(turn["closing"]))
    coverage = turn["coverage"]
    for said in (coverage["statement"], coverage["warning"]):
        if said:
            st.caption(f":material/travel_explore: {plain(said)}")


def _places(turn: Turn) -> None:
    """The places of a count or a list, each leading to the document."""
    if not turn["sentences"]:
        return
    citations = [sentence["citations"][0] for sentence in turn["sentences"]]
    st.dataframe(
        {
            say(words.PLACE): [
                short_place(each["document"], each["section"], each["page"]) for each in citations
            ],
            say(words.WORDING): [one_line(each["quote"]) for each in citations],
            say(words.FORM): list(turn["notes"]),
            say(texts.OPEN): [_address(each) for each in citations],
        },
        hide_index=True,
        height="auto" if len(citations) <= SHOWN_PLACES else 36 * SHOWN_PLACES,
        column_config={
            say(words.WORDING): st.column_config.TextColumn(width="large"),
            say(texts.OPEN): st.column_config.LinkColumn(display_text=":material/open_in_full:"),
        },
    )


def _address(citation: dict[str, Any]) -> str:
    span = citation["start"], citation["end"]
    return document_url(citation["document_id"], citation["page"], span)


def _facts(turn: Turn) -> None:
    """Depth and why, time, tokens; everything else behind a button."""
    facts = [
        *_outcome(turn),
        _way(turn),
        *([] if "question_type" in turn else [say(words.TYPES[turn["classification"]["type"]])]),
        say(words.SCORE, score=number(turn["complexity"]["score"], language(), 2)),
        duration(total_seconds(turn["usage"]["seconds"]), language()),
    ]
    if "writing" in turn["usage"]:
        share = number(100 * turn["usage"]["writing"], language())
        facts.append(say(words.QUOTES_ALONE, model=plain(turn["usage"]["model"]), share=share))
    tokens = turn["usage"]["prompt_tokens"] + turn["usage"]["completion_tokens"]
    if tokens:
        facts.append(say(words.TOKENS, count=number(tokens, language())))
    if turn["from_cache"]:
        facts.append(say(words.FROM_CACHE))
    st.caption(" · ".join(facts))
    if turn.get("deeper"):
        st.caption(f":material/info: {plain(tell(turn['reason']))}")


def _outcome(turn: Turn) -> list[str]:
    """What the answer rests on, or that it is none."""
    if turn["refused"]:
        return [f"**{say(words.REFUSED)}**"]
    certainty = turn.get("certainty", "answered")
    told = "" if turn["listed"] else counted(standings_of(turn), certainty, language())
    doubt = [f"**{say(words.PERHAPS)}**"] if certainty == "perhaps" else []
    return [*doubt, *([told] if told else [])]


def _way(turn: Turn) -> str:
    way = words.WAYS.get(turn["way"])
    return say(way) if way else say(words.DEPTHS[turn["depth"]])


def _after(run: RunInfo, turn: Turn, vote: VoteInfo | None) -> None:
    """Thumbs, deeper, research, and why the answer came about as it did."""
    number_of = turn["turn"]
    with st.container(horizontal=True, vertical_alignment="center", key=f"after-{number_of}"):
        _vote(run.thread_id, turn, vote)
        _offer_deeper(run, turn)
        if st.button(
            say(words.TO_RESEARCH),
            help=say(words.TO_RESEARCH_WHY),
            icon=":material/travel_explore:",
            type="tertiary",
            key=f"research-{number_of}",
        ):
            _research(run, turn)
        with st.popover(say(words.WHY), icon=":material/info:", type="tertiary"):
            _why(turn)


def _offer_deeper(run: RunInfo, turn: Turn) -> None:
    """The depths above the one that was taken, one click each."""
    offered = []
    if turn["way"] == "search" and turn["depth"] == "fast":
        offered.append(("enhanced", words.DEEPER, words.DEEPER_WHY))
    offered += [(depth, words.INSTEAD[depth], words.DEPTH_WHY) for depth in turn.get("deeper", ())]
    for depth, label, why in offered:
        st.button(
            say(label),
            help=say(why),
            icon=":material/zoom_in:",
            type="tertiary",
            key=f"deeper-{depth}-{turn['turn']}",
            on_click=_deeper,
            args=(run.thread_id, turn, depth),
        )


def _deeper(thread_id: str, turn: Turn, depth: str) -> None:
    attempt(lambda: client().ask(_whole(turn), thread_id=thread_id, depth=depth))


def _research(run: RunInfo, turn: Turn) -> None:
    """Starts research with the question as it was understood, in the same collections."""
    begun: list[str] = []
    if attempt(lambda: begun.append(client().start(_whole(turn), collections=run.collections))):
        navigation.to_research(begun[0])
    st.rerun()


def _whole(turn: Turn) -> str:
    """The question, complete in itself."""
    return str(turn["question_rewritten"] or turn["question"])


def _vote(thread_id: str, turn: Turn, vote: VoteInfo | None) -> None:
    """A thumb, and then a word if one likes."""
    key = f"vote-{thread_id}-{turn['turn']}"

    def send() -> None:
        chosen = st.session_state[key]
        word = st.session_state.get(f"{key}-word", "")
        if chosen is not None and attempt(
            lambda: client().vote(thread_id, bool(chosen), word, turn=turn["turn"])
        ):
            leave_notice(say(words.THANKS))

    given = None if vote is None else int(vote.up)
    st.feedback("thumbs", key=key, default=given, on_change=send)
    if st.session_state.get(key) is not None:
        st.text_input(
            say(words.A_WORD),
            key=f"{key}-word",
            max_chars=LONGEST_WORD,
            placeholder=say(words.A_WORD),
            label_visibility="collapsed",
            on_change=send,
            width=260,
        )


def _why(turn: Turn) -> None:
    """The depth, the factors of the score, what was searched for, and what did not hold."""
    st.caption(plain(tell(turn["reason"])))
    factors = turn["complexity"]["factors"]
    st.dataframe(
        {
            say(words.FACTOR): [say(words.FACTORS[name]) for name in factors],
            say(words.VALUE): list(factors.values()),
        },
        hide_index=True,
        column_config={
            say(words.VALUE): st.column_config.ProgressColumn(
                min_value=0.0, max_value=1.0, format="%.2f"
            )
        },
    )
    if turn["found"]:
        st.caption(say(words.SEARCHED_FOR, queries=plain("; ".join(turn["found"]["searches"]))))
    if turn["degraded"]:
        st.caption(say(words.LEFT_OUT))
        for line in turn["degraded"]:
            st.text(line)
