"""What documents are about, area by area, for questions that want an overview.

An area is a community of the knowledge graph: its central sections as title, and the sentence of
them that names most of what it is about, quoted with its place; of a short document, which is one
community, each central section is an area. Areas stand below what only comes
closest: where the judge is sure of an answer, that is the answer.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from agent.ask.models import Reply
from agent.ask.state import AskState
from agent.context import Context
from agent.drafting import verbatim
from agent.ranking import overlapping
from services.domain import Evidence, EvidenceSentence
from services.graph.values import Community
from services.retrieval.graph_share import SURE

MOST_AREAS: Final = 6
FEWEST_AREAS: Final = 2
QUOTE: Final = range(40, 321)
"""Characters of a quote."""
MOST_OF_ONE: Final = 0.7
"""Share of the found passages from which on a question is taken to be about their document."""


def with_areas(reply: Reply, state: AskState, context: Context) -> Reply:
    """The reply, and below it the areas of the documents where a question surely asks for them.

    What is surely answered, or refused, stays as it is.
    """
    asked, graph = state["understanding"].classification, context.graph
    sure = asked.type == "exploratory" and asked.confidence > SURE
    if graph is None or not sure or reply.certainty != "perhaps":
        return reply
    question, near = state["understanding"].question, _only_document(state["evidence"])
    areas = graph.areas(question, context.scope, near, limit=MOST_AREAS)
    cited = [citation for sentence in reply.sentences for citation in sentence.citations]
    if len(areas) == 1:
        inside = context.passages.get(areas[0].passages).items()
        titles = [{"title": each.heading_path[-1:], "passages": (name,)} for name, each in inside]
        areas = tuple(areas[0].model_copy(update=title) for title in titles)
    told = ((" · ".join(each.title), _telling(each, context)) for each in areas)
    lines = [
        (title, verbatim(quote)) for title, quote in told if quote and not overlapping(quote, cited)
    ]
    return reply.followed_by(lines) if len(lines) >= FEWEST_AREAS else reply


def _only_document(evidence: Sequence[Evidence]) -> str | None:
    """The document that most of the passages are from, if one is."""
    counts = Counter(entry.document_id for entry in evidence).most_common(1)
    return next((name for name, n in counts if n >= MOST_OF_ONE * len(evidence)), None)


def _telling(area: Community, context: Context) -> EvidenceSentence | None:
    """The whole sentence that names most of what the area is about, of equal ones the first."""
    names = [name.casefold() for name in area.topics]
    found = [
        sentence
        for passage in context.passages.get(area.passages).values()
        for sentence in context.passages.sentences(passage)
        if sentence.case is None
        and len(sentence.quote) in QUOTE
        and sentence.quote[0].isupper()
        and sentence.quote.endswith(".")
    ]
    told = [sum(name in each.quote.casefold() for name in names) for each in found]
    return max(zip(told, found, strict=True), key=lambda pair: pair[0])[1] if found else None
