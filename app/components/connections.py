"""A name in the knowledge graph of a collection: what it is, and what it is tied to, and where."""

import shlex
from collections.abc import Sequence

import streamlit as st

from agent.engine import pictures
from agent.graph_paths import EntityCard, relation
from app.components.notices import reported
from app.components.pictures import show_svg
from app.components.widgets import open_link, table
from app.formats import one_line, plain
from app.navigation import document_url, short_place
from app.session import engine, keep_in_address, kept, language, say
from app.texts import graph as words
from app.texts import report as report_words
from services.domain import Shelf

ENTITY = "entity"
"""Where the address keeps the name, and the window what stands in its field."""
MOST_TIES = 20
MOST_EXAMPLES, OF_EACH_GROUP = 12, 2
LONGEST_NAME = 60


def show(shelf: Shelf) -> None:
    """Looks a name up; the graph is loaded by the first that is."""
    here = shelf.collection_id
    st.caption(say(words.WHY))
    if not engine().graph.exists((here,)):
        st.info(say(words.NO_GRAPH))
        st.code(f"rabbithole graph build --collection {shlex.quote(shelf.name)}", language=None)
        return
    name = st.query_params.get(ENTITY, "").strip()
    st.session_state[ENTITY] = name
    st.text_input(
        say(words.NAME),
        key=ENTITY,
        placeholder=say(words.HINT),
        icon=":material/search:",
        on_change=keep_in_address,
        args=(ENTITY,),
    )
    with reported(), st.spinner(say(words.READING)):
        if name:
            _card(engine().graph.entity(name, (here,), limit=MOST_TIES), here)
        else:
            _go_on(_examples(shelf), say(words.EXAMPLES))


def _examples(shelf: Shelf) -> list[str]:
    """The most connected names of the largest groups, read once a window and content."""
    groups = kept(
        "communities",
        (shelf.collection_id, shelf.content_version),
        lambda: engine().graph.communities((shelf.collection_id,), limit=MOST_EXAMPLES),
    )
    names = [name for group in groups for name in group.members[:OF_EACH_GROUP]]
    return names[:MOST_EXAMPLES]


def _card(card: EntityCard, here: str) -> None:
    with st.container(key="entity-card", gap="small"):
        st.markdown(f"**{plain(card.node.name)}**")
        facts = [say(words.KINDS[card.node.kind])]
        if card.node.places:
            facts.append(say(words.NAMED, count=card.node.places))
        if card.aliases:
            facts.append(say(words.ALIASES, names=plain(", ".join(card.aliases))))
        st.caption(" · ".join(facts))
        _definition(card)
        if not card.neighbours:
            st.caption(say(words.NOTHING_TIED))
            return
        st.caption(say(words.HOW_TO_READ))
        show_svg(pictures.entity(card, language()))
        _ties(card, here)
        _go_on([each.target.name for each in card.neighbours], say(words.GO_ON))


def _definition(card: EntityCard) -> None:
    place = card.defined_at
    if not card.definition or place is None:
        return
    with st.container(key="quote-definition"):
        st.text(card.definition)
        address = document_url(place.document_id, span=(place.start, place.end))
        open_link(words.TO_DEFINITION, address)


def _ties(card: EntityCard, here: str) -> None:
    """Each tie with the place where it was read, which opens the document."""
    places = engine().graph.places_of(card.neighbours, (here,))
    rows = [
        {
            say(words.RELATION): relation(step, language()),
            say(words.TARGET): one_line(step.target.name),
            say(words.PLACE): short_place(at.document, at.section, at.page) if at else "",
            say(report_words.SHOW): document_url(
                step.place.document_id, span=(step.place.start, step.place.end)
            )
            if step.place
            else None,
        }
        for step, at in zip(card.neighbours, places, strict=True)
    ]
    table(rows, links=[report_words.SHOW])


def _go_on(names: Sequence[str], title: str) -> None:
    """Names to look up next, one click each."""
    shown = {name: plain(name, LONGEST_NAME) for name in names}
    st.session_state["go-on"] = None

    def open_() -> None:
        if st.session_state["go-on"] is not None:
            st.query_params[ENTITY] = st.session_state["go-on"]

    st.pills(title, list(shown), format_func=shown.__getitem__, key="go-on", on_change=open_)
