"""What the corpus showed during clarification, round by round."""

from collections.abc import Sequence

import streamlit as st

from app import texts
from app.formats import number
from app.sanitise import plain
from app.session import language, say
from app.texts import Text
from app.texts import research as research_texts
from services.events import RetrievalIteration

BAR_LENGTH = 8


def show_latest(rounds: Sequence[RetrievalIteration], most: int) -> None:
    """The last look into the corpus, and the earlier ones folded away.

    Args:
        rounds: the looks so far, oldest first; at least one.
        most: rounds that there may be.
    """
    latest = rounds[-1]
    st.markdown(f"**{say(research_texts.LOOKED_OF, round=latest.iteration + 1, most=most)}**")
    coverage = number(latest.coverage, language(), 2)
    gaps = say(research_texts.GAPS_COUNT, count=len(latest.gaps))
    st.progress(_share(latest.coverage), text=f"{say(texts.COVERAGE)}: {coverage} · {gaps}")
    st.markdown(_counts(latest))
    _list(say(texts.GAPS), latest.gaps, say(texts.NO_GAPS))
    _list(say(texts.FOUND_SECTIONS), latest.found, None)
    _list(say(texts.QUERIES), latest.queries, None)
    if len(rounds) > 1:
        with st.expander(say(texts.HISTORY)):
            show_chart(rounds)


def _counts(look: RetrievalIteration) -> str:
    return (
        f"**{look.hits}** {say(texts.HITS)}: **{look.new}** {say(texts.NEW_HITS)}, "
        f"**{look.duplicates}** {say(texts.KNOWN_HITS)}"
    )


def _list(title: str, items: Sequence[str], empty: str | None) -> None:
    if items:
        st.markdown("\n".join([f"**{title}**", *(f"- {plain(item)}" for item in items)]))
    elif empty is not None:
        st.caption(empty)


def show_chart(rounds: Sequence[RetrievalIteration]) -> None:
    """A few lines a round: coverage and repeats as bars, hits, gaps, queries.

    Of characters, since it is drawn again and again while a run goes on: a chart or a data grid
    of Streamlit costs the browser a canvas each time. It fits a narrow column, too.
    """
    st.markdown("\n".join(_chart_row(look) for look in rounds))


def _chart_row(look: RetrievalIteration) -> str:
    hits = f"{look.hits} {say(texts.HITS)}"
    small = [
        say(research_texts.ROUND_REPEATS, share=_bar(look.dedup_ratio)),
        f"{hits}: {say(research_texts.ROUND_HITS, new=look.new, known=look.duplicates)}",
        *_line(texts.GAPS, look.gaps),
        *_line(texts.QUERIES, look.queries),
    ]
    first = say(research_texts.ROUND_COVERAGE, round=look.iteration + 1, share=_bar(look.coverage))
    return "- " + "  \n  ".join([first, *(f":small[{line}]" for line in small)])


def _line(title: Text, items: Sequence[str]) -> list[str]:
    return [f"{say(title)}: {plain('; '.join(items))}"] if items else []


def _bar(share: float) -> str:
    full = round(_share(share) * BAR_LENGTH)
    bar = f":primary[{'█' * full}]" if full else ""
    rest = f":gray[{'░' * (BAR_LENGTH - full)}]" if full < BAR_LENGTH else ""
    return f"{bar}{rest} {number(share, language(), 2)}"


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def show_table(rounds: Sequence[RetrievalIteration]) -> None:
    """Rounds with hits, repeats and coverage."""
    share = st.column_config.ProgressColumn(min_value=0.0, max_value=1.0, format="%.2f")
    columns = {say(texts.COVERAGE): share, say(texts.REPEATS): share}
    rows = [
        {
            say(texts.ROUND): look.iteration + 1,
            say(texts.HITS): look.hits,
            say(texts.NEW_HITS): look.new,
            say(texts.KNOWN_HITS): look.duplicates,
            say(texts.REPEATS): look.dedup_ratio,
            say(texts.COVERAGE): look.coverage,
            say(texts.GAPS): "; ".join(look.gaps),
            say(texts.QUERIES): "; ".join(look.queries),
        }
        for look in rounds
    ]
    st.dataframe(rows, hide_index=True, column_config=columns)
