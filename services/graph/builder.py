"""Building the graph of a scope: what is missing, text by text, and then what is one."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Literal

from services.catalog import Catalog
from services.catalog.graph import Unbuilt
from services.domain import Scope
from services.domain.errors import RabbitholeError
from services.domain.events import DocumentProgress, Event
from services.domain.notices import Notice
from services.graph.resolve import resolve
from services.graph.structure import VERSION, Source, read_structure
from services.graph.structure.source import passages
from services.graph.values import BuildReport

logger = logging.getLogger(__name__)


def _progress(
    each: Unbuilt, stage: Literal["graph", "done", "failed"], error: Notice | None = None
) -> DocumentProgress:
    return DocumentProgress(document=each.document, stage=stage, error=error)


class GraphBuilder:
    """Reads every text of a scope once. It may be cut short between texts and begun again.

    Parts of another version than ``VERSION`` are built anew.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def build(
        self, scope: Scope, on_event: Callable[[Event], None] = lambda event: None
    ) -> BuildReport:
        """Build what is missing of the scope, and find duplicates, also those that a build which
        was cut short had left.

        A text that cannot be read is named in a warning; the others are read.

        What a model read in an earlier version of a document stays where its passage stays.

        ``on_event`` is called in this thread before and after every text; what it raises ends
        the build, and what is complete stays.
        """
        started = time.perf_counter()
        missing = self._catalog.graph.missing(scope, VERSION)
        warnings: list[Notice] = []
        for each in missing:
            on_event(_progress(each, "graph"))
            try:
                self._read(each)
            except RabbitholeError:
                raise
            except Exception as error:
                logger.exception("the graph of %s was not built", each.document)
                why = f"{type(error).__name__}: {str(error)[:200]}"
                warnings.append(
                    Notice.of(
                        "{document} is not in the knowledge graph ({cause}); report it",
                        document=each.document,
                        cause=why,
                    )
                )
                on_event(_progress(each, "failed", warnings[-1]))
            else:
                on_event(_progress(each, "done"))
        self.resolve(scope.collections)
        status = self._catalog.graph.status(scope)
        return BuildReport(
            documents=status.documents,
            built=len(missing) - len(warnings),
            merges=status.merges,
            seconds=time.perf_counter() - started,
            warnings=tuple(warnings),
        )

    def _read(self, each: Unbuilt) -> None:
        source = Source.of(each.text_id, self._catalog.documents.parsed(each.document_id))
        spans = [(passage.start, passage.end) for passage in passages(source)]
        self._catalog.graph.facts.carry_over(each.text_id, spans)
        self._catalog.graph.store(read_structure(source), VERSION)

    def resolve(self, collections: Sequence[str]) -> None:
        """Look for duplicates in each of these collections and record them."""
        graph = self._catalog.graph
        for collection_id in collections:
            scope = Scope(user="", collections=(collection_id,))
            apart = {
                (merge.node_id, merge.into)
                for merge in graph.merges.of(collection_id)
                if merge.undone
            }
            found = resolve(graph.names(scope), graph.short_forms(scope), apart)
            graph.merges.replace(collection_id, found)
