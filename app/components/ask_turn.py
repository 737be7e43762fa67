"""A turn of quick answers: the question, the steps, the answer with its proof, and what to do."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from agent.engine.layout import counted, standings_of
from app import navigation, texts
from app.components import coverage, pictures, reading
from app.components.clarification import AVATAR, show_turn
from app.components.notices import attempt
from app.components.widgets import quiet_button, row, table
from app.formats import one_line, plain
from app.navigation import address_of, short_place
from app.run_log import Turn
from app.session import (
    chosen_turn,
    engine,
    language,
    leave_notice,
    say,
    say_duration,
    say_number,
    tell,
)
from app.texts import ask as words
from services.domain.events import AgentAction, AgentStart, AgentStep, total_seconds
from services.domain.runs import RunInfo
from services.library.thresholds import VoteInfo

FINAL = "final_answer"


def estimate(start: AgentStart) -> str:
    """How long the agent may take, in a sentence."""
    return say(
        words.AGENT_TIME,
        usual=say_duration(start.usual_s),
        longest=say_duration(start.longest_s),
        steps=start.most_steps,
    )


def show_steps(steps: Sequence[AgentStep], *, expanded: bool = False) -> None:
    """All steps in a fold; whatever model and documents said is text and no markup."""
    if not steps:
        return
    label = say(words.STEPS, count=len(steps))
    with st.expander(label, icon=":material/format_list_numbered:", expanded=expanded):
        for step in steps:
            _step(step)


def _step(step: AgentStep) -> None:
    facts = [f"**{say(words.STEP, number=step.number)}**", say_duration(step.seconds)]
    facts += [say(words.UNDONE)] if step.discarded else []
    st.caption(" · ".join(facts))
    if step.thought:
        st.text(step.thought)
    for number, action in enumerate(step.actions):
        st.caption(f":material/arrow_forward: {_done(action)}")
        if number < len(step.observations):
            st.caption(plain(step.observations[number]))
    if step.reflection:
        st.caption(f"{say(words.REFLECTION)}: {plain(step.reflection)}")


def _done(action: AgentAction) -> str:
    """What was done in a few words; an answer stands below, checked."""
    text = words.TOOLS.get(action.tool)
    name = say(text) if text else plain(action.tool)
    if action.tool == FINAL:
        return f"{name} – {say(words.NOT_SHOWN)}"
    given = "; ".join(action.arguments.values())
    return f"{name}: {plain(given)}" if given else name


Answered = dict[str, Any]
LONGEST_WORD = 500
SHOWN_PLACES = 12


def show(run: RunInfo, turn: Answered, vote: VoteInfo | None, *, latest: bool) -> None:
    """One question with its answer; only the latest shows a proof that nobody asked for.

    Args:
        run: the conversation.
        turn: as ``ask --json`` prints it.
        vote: what this person has said of it.
        latest: whether it is the last one.
    """
    show_turn(Turn("user", (turn["question"],)))
    with st.chat_message("assistant", avatar=AVATAR["assistant"]):
        if turn["question_rewritten"]:
            question = plain(turn["question_rewritten"])
            st.caption(say(words.UNDERSTOOD_AS, question=question))
        show_steps([AgentStep.model_validate(each) for each in turn.get("agent_steps", ())])
        _answer(turn, latest=latest)
        coverage.show_needed(turn)
        pictures.show_folded(turn)
        _facts(turn)
        _after(run, turn, vote)


def asked(run: RunInfo) -> None:
    """The question that has no answer yet."""
    show_turn(Turn("user", (str(run.options.get("asked", run.question)),)))


def _answer(turn: Answered, *, latest: bool) -> None:
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


def _places(turn: Answered) -> None:
    """The places of a count or a list, each leading to the document."""
    citations = [sentence["citations"][0] for sentence in turn["sentences"]]
    rows = [
        {
            say(words.PLACE): short_place(each["document"], each["section"], each["page"]),
            say(words.WORDING): one_line(each["quote"]),
            say(words.FORM): note,
            say(texts.OPEN): address_of(each),
        }
        for each, note in zip(citations, turn["notes"], strict=True)
    ]
    if rows:
        height = "auto" if len(rows) <= SHOWN_PLACES else 36 * SHOWN_PLACES
        table(rows, links=[texts.OPEN], widths={words.WORDING: "large"}, height=height)


def _facts(turn: Answered) -> None:
    """Depth and why, time, tokens; everything else behind a button."""
    usage = turn["usage"]
    facts = [
        *_outcome(turn),
        say(words.WAYS.get(turn["way"]) or words.DEPTHS[turn["depth"]]),
        "" if "question_type" in turn else say(words.TYPES[turn["classification"]["type"]]),
        say(words.SCORE, score=say_number(turn["complexity"]["score"], 2)),
        say_duration(total_seconds(usage["seconds"])),
    ]
    if "writing" in usage:
        share = say_number(100 * usage["writing"])
        facts.append(say(words.QUOTES_ALONE, model=plain(usage["model"]), share=share))
    if tokens := usage["prompt_tokens"] + usage["completion_tokens"]:
        facts.append(say(words.TOKENS, count=say_number(tokens)))
    if turn["from_cache"]:
        facts.append(say(words.FROM_CACHE))
    st.caption(" · ".join(filter(None, facts)))
    if turn.get("deeper"):
        st.caption(f":material/info: {plain(tell(turn['reason']))}")


def _outcome(turn: Answered) -> list[str]:
    """What the answer rests on, or that it is none."""
    if turn["refused"]:
        return [f"**{say(words.REFUSED)}**"]
    certainty = turn.get("certainty", "answered")
    doubt = f"**{say(words.PERHAPS)}**" if certainty == "perhaps" else ""
    return [doubt, "" if turn["listed"] else counted(standings_of(turn), certainty, language())]


def _after(run: RunInfo, turn: Answered, vote: VoteInfo | None) -> None:
    """Thumbs, deeper, research, and why the answer came about as it did."""
    number_of = turn["turn"]
    with row(key=f"after-{number_of}"):
        _vote(run.thread_id, turn, vote)
        _offer_deeper(run, turn)
        why = say(words.TO_RESEARCH_WHY)
        if quiet_button(words.TO_RESEARCH, f"research-{number_of}", "travel_explore", help=why):
            _research(run, turn)
        with st.popover(say(words.WHY), icon=":material/info:", type="tertiary"):
            _why(turn)


def _offer_deeper(run: RunInfo, turn: Answered) -> None:
    """The depths above the one that was taken, one click each."""
    offered = []
    if turn["way"] == "search" and turn["depth"] == "fast":
        offered.append(("enhanced", words.DEEPER, words.DEEPER_WHY))
    offered += [(depth, words.INSTEAD[depth], words.DEPTH_WHY) for depth in turn.get("deeper", ())]
    for depth, label, why in offered:
        again = partial(engine().answers.ask, _whole(turn), thread_id=run.thread_id, depth=depth)
        key = f"deeper-{depth}-{turn['turn']}"
        quiet_button(label, key, "zoom_in", help=say(why), on_click=attempt, args=(again,))


def _research(run: RunInfo, turn: Answered) -> None:
    """Starts research with the question as it was understood, in the same collections."""
    begun: list[str] = []
    if attempt(
        lambda: begun.append(engine().threads.start(_whole(turn), collections=run.collections))
    ):
        navigation.to_thread(begun[0])
    st.rerun()


def _whole(turn: Answered) -> str:
    """The question, complete in itself."""
    return str(turn["question_rewritten"] or turn["question"])


def _vote(thread_id: str, turn: Answered, vote: VoteInfo | None) -> None:
    """A thumb, and then a word if one likes."""
    key = f"vote-{thread_id}-{turn['turn']}"

    def send() -> None:
        chosen = st.session_state[key]
        word = st.session_state.get(f"{key}-word", "")
        if chosen is not None and attempt(
            lambda: engine().answers.vote(thread_id, bool(chosen), word, turn=turn["turn"])
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


def _why(turn: Answered) -> None:
    """The depth, the factors of the score, what was searched for, and what did not hold."""
    st.caption(plain(tell(turn["reason"])))
    factors = turn["complexity"]["factors"]
    rows = [
        {say(words.FACTOR): say(words.FACTORS[name]), say(words.VALUE): value}
        for name, value in factors.items()
    ]
    table(rows, shares=[words.VALUE])
    if turn["found"]:
        st.caption(say(words.SEARCHED_FOR, queries=plain("; ".join(turn["found"]["searches"]))))
    if turn["degraded"]:
        st.caption(say(words.LEFT_OUT))
        for line in turn["degraded"]:
            st.text(line)
