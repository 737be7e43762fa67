"""What the corpus showed during clarification, round by round."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from app import texts
from app.formats import number
from app.sanitise import plain
from app.session import language, say
from services.events import RetrievalIteration


def show_latest(rounds: Sequence[RetrievalIteration]) -> None:
    """The last look into the corpus, and the earlier ones folded away."""
    latest = rounds[-1]
    st.markdown(f"**{say(texts.LOOKED, round=latest.iteration + 1)}**")
    st.progress(
        min(1.0, max(0.0, latest.coverage)),
        text=f"{say(texts.COVERAGE)}: {number(latest.coverage, language(), 2)}",
    )
    st.markdown(_counts(latest))
    _list(say(texts.GAPS), latest.gaps, say(texts.NO_GAPS))
    _list(say(texts.FOUND_SECTIONS), latest.found, None)
    _list(say(texts.QUERIES), latest.queries, None)
    if len(rounds) > 1:
        with st.expander(say(texts.HISTORY)):
            show_table([Round.of(look) for look in rounds])


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


@dataclass(frozen=True)
class Round:
    """One row of the history, from an event or from a report."""

    iteration: int
    queries: tuple[str, ...]
    hits: int
    new: int
    duplicates: int
    dedup_ratio: float
    coverage: float
    gaps: tuple[str, ...]

    @classmethod
    def of(cls, source: RetrievalIteration) -> "Round":
        return cls(**source.model_dump(include=set(cls.__dataclass_fields__)))


def show_table(rounds: Sequence[Round]) -> None:
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
