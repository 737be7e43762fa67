"""The knowledge graph of a collection: a name, its definition and its relations."""

import shlex
from collections.abc import Sequence

import streamlit as st

from agent.graph_paths import EntityCard, Step, relation
from app.components.answer_details import Edge, dot
from app.components.widgets import bullets, location_link, paginate, show_errors
from app.formats import one_line, plain
from app.locale import N_
from app.navigation import document_url, short_location, span_url
from app.session import _, cached, engine, language, set_address, store_in_address
from services.domain import Shelf
from services.domain.value import Location

KINDS = {
    "document": N_("document"),
    "section": N_("section"),
    "term": N_("defined term"),
    "abbreviation": N_("abbreviation"),
    "quantity": N_("quantity"),
    "date": N_("date"),
    "word": N_("frequent word"),
    "entity": N_("name"),
}

ENTITY = "entity"
MAX_RELATIONS, MAX_DRAWN = 20, 10
MAX_EXAMPLES, NAMES_PER_GROUP = 12, 2
MAX_DEFINITIONS = 25
NAME_LENGTH = 60


def show(shelf: Shelf) -> None:
    """Draw the field for a name and what the graph has on it, else examples and the glossary."""
    here = shelf.collection_id
    text = _(
        "What the collection says about a section, a term or a document: where it is defined and "
        "mentioned, and what it refers to."
    )
    st.caption(text)
    if not engine().graph.exists((here,)):
        text = _(
            "This collection has no knowledge graph yet. Adding documents builds one; for "
            "documents added earlier, run:"
        )
        st.info(text)
        st.code(f"rabbithole graph build --collection {shlex.quote(shelf.name)}", language=None)
        return
    name = st.query_params.get(ENTITY, "").strip()
    st.session_state[ENTITY] = name
    st.text_input(
        _("Section, term or document"),
        key=ENTITY,
        placeholder=_("e.g. § 78 StrlSchG"),
        icon=":material/search:",
        on_change=store_in_address,
        args=(ENTITY,),
    )
    with show_errors(), st.spinner(_("Loading the knowledge graph …")):
        if name:
            _card(engine().graph.entity(name, (here,), limit=MAX_RELATIONS), here)
        else:
            _name_pills(_examples(shelf), _("Most connected names"))
            _glossary(shelf)


def _glossary(shelf: Shelf) -> None:
    here = shelf.collection_id
    box = st.expander(
        _("Glossary"), icon=":material/dictionary:", key=f"glossary-{here}", on_change="rerun"
    )
    if box.open:
        with box:
            version = (here, shelf.content_version, language())
            definitions = cached("glossary", version, lambda: _definitions(here))
            if not definitions:
                st.caption(_("The documents contain no definitions."))
            for line in paginate(definitions, MAX_DEFINITIONS, f"glossary-page-{here}"):
                st.markdown(line)


def _definitions(here: str) -> list[str]:
    cards = engine().graph.glossary((here,))
    locations = engine().graph.named([card.defined_at for card in cards], (here,))
    return [
        f"**{plain(one_line(card.node.name))}**  \n{plain(card.definition)} "
        + _link(at, document_url(span.document_id, at.page, (span.start, span.end)))
        for card, at in zip(cards, locations, strict=True)
        if at and (span := card.defined_at)
    ]


def _link(at: Location, address: str) -> str:
    return f"[{plain(short_location(at))}]({address})"


def _examples(shelf: Shelf) -> list[str]:
    """Return the most connected names of the largest communities."""
    groups = cached(
        "communities",
        (shelf.collection_id, shelf.content_version),
        lambda: engine().graph.communities((shelf.collection_id,), limit=MAX_EXAMPLES),
    )
    names = [name for group in groups for name in group.members[:NAMES_PER_GROUP]]
    return names[:MAX_EXAMPLES]


def _card(card: EntityCard, here: str) -> None:
    with st.container(key="entity-card", gap="small"):
        st.markdown(f"**{plain(card.node.name)}**")
        facts = [_(KINDS[card.node.kind])]
        if card.node.places:
            facts.append(_("mentions: {count}", count=card.node.places))
        own_name = card.node.name.casefold()
        if others := [name for name in card.aliases if name.casefold() != own_name]:
            facts.append(_("Also called: {names}", names=plain(", ".join(others))))
        st.caption(" · ".join(facts))
        if card.definition and card.defined_at is not None:
            with st.container(key="quote-definition"):
                st.text(card.definition)
                location_link(_("Go to the definition"), card.defined_at)
        if not card.neighbours:
            st.caption(_("Nothing is linked to it."))
            return
        text = _(
            "The filled box is the name you looked up, with the closest names around it. Arrows "
            "show what the text refers to or names."
        )
        st.caption(text)
        graph = dot([card.node.name], map(_arrow, card.neighbours[:MAX_DRAWN]))
        st.graphviz_chart(graph, alt=card.node.name)
        _relations(card, here)
        _name_pills([step.target.name for step in card.neighbours], _("Continue with"))


def _arrow(step: Step) -> Edge:
    """Return a relation in the direction of the text, whichever end was looked up."""
    label = relation(step.model_copy(update={"against": False}), language())
    source, target = step.source.name, step.target.name
    return (target, source, label) if step.against else (source, target, label)


def _relations(card: EntityCard, here: str) -> None:
    locations = engine().graph.places_of(card.neighbours, (here,))
    st.markdown(
        bullets(
            f"{relation(step, language())} **{plain(one_line(step.target.name))}** "
            + (_link(at, span_url(step.place)) if at and step.place else "")
            for step, at in zip(card.neighbours, locations, strict=True)
        )
    )


def _name_pills(names: Sequence[str], title: str) -> None:
    labels = {name: plain(name, NAME_LENGTH) for name in names}
    st.session_state["go-on"] = None

    def open_() -> None:
        if st.session_state["go-on"] is not None:
            set_address(**{ENTITY: st.session_state["go-on"]})

    st.pills(
        title, list(labels), format_func=labels.__getitem__, key="go-on", on_change=open_, wrap=True
    )
