"""What documents are about, area by area, for questions that ask for an overview.

An area is a community of the knowledge graph: its central sections are the title, and the sentence
of them that names most of its topics is quoted. In a short document, which is one community, each
central section is an area.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from agent.ask.models import Reply
from agent.ask.state import AskState
from agent.context import Context
from agent.ranking import overlapping
from agent.sentences import verbatim
from services.domain import Evidence, EvidenceSentence
from services.graph.values import Community
from services.retrieval.graph_share import SURE

MAX_AREAS: Final = 6
MIN_AREAS: Final = 2
QUOTE_LENGTHS: Final = range(40, 321)
"""Characters of a quote."""
MAIN_DOCUMENT_SHARE: Final = 0.7
"""Share of the found passages from which on a question is taken to be about their document."""


def add_areas(reply: Reply, state: AskState, context: Context) -> Reply:
    """Return the reply, followed by the areas of the documents if an overview is surely asked for.

    A reply that is certain or a refusal stays as it is.
    """
    classification, graph = state["understanding"].classification, context.graph
    is_sure = classification.type == "exploratory" and classification.confidence > SURE
    if graph is None or not is_sure or reply.certainty != "perhaps":
        return reply
    question, document = state["understanding"].question, _main_document(state["evidence"])
    areas = graph.areas(question, context.scope, document, limit=MAX_AREAS)
    cited = [citation for sentence in reply.sentences for citation in sentence.citations]
    if len(areas) == 1:
        passages = context.passages.get(areas[0].passages).items()
        titles = [{"title": p.heading_path[-1:], "passages": (name,)} for name, p in passages]
        areas = tuple(areas[0].model_copy(update=title) for title in titles)
    quotes = ((" · ".join(area.title), _typical_sentence(area, context)) for area in areas)
    lines = [
        (title, verbatim(quote))
        for title, quote in quotes
        if quote and not overlapping(quote, cited)
    ]
    return reply.followed_by(lines) if len(lines) >= MIN_AREAS else reply


def _main_document(evidence: Sequence[Evidence]) -> str | None:
    """Return the document that most of the passages are from, if there is one."""
    counts = Counter(entry.document_id for entry in evidence).most_common(1)
    return next((name for name, n in counts if n >= MAIN_DOCUMENT_SHARE * len(evidence)), None)


def _typical_sentence(area: Community, context: Context) -> EvidenceSentence | None:
    """Return the full sentence that names most topics of the area, the first of equal ones."""
    topics = [name.casefold() for name in area.topics]
    sentences = [
        sentence
        for passage in context.passages.get(area.passages).values()
        for sentence in context.passages.sentences(passage)
        if sentence.case is None
        and len(sentence.quote) in QUOTE_LENGTHS
        and sentence.quote[0].isupper()
        and sentence.quote.endswith(".")
    ]
    return max(
        sentences,
        key=lambda sentence: sum(topic in sentence.quote.casefold() for topic in topics),
        default=None,
    )
