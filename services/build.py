"""The composition root: the parts of the product, and the library over them."""

from services.library.feedback import Feedback
from services.library.library import Library
from services.parts import Parts
from services.retrieval.embedders import Embedder
from services.settings import Settings


class Services(Parts):
    """Everything that the agent and the front ends call; one object a process."""

    @property
    def feedback(self) -> Feedback:
        """Votes on answers and the thresholds they move; needs the catalog alone."""
        return Feedback(self.catalog, self.settings.admins)

    @property
    def library(self) -> Library:
        return Library(self)


def build_services(settings: Settings, embedder: Embedder | None = None) -> Services:
    """Services that keep everything under ``settings.home``; nothing is opened yet.

    Args:
        settings: where and with what.
        embedder: used instead of the one that the settings name.
    """
    return Services(settings) if embedder is None else Services(settings, embedder=lambda: embedder)
