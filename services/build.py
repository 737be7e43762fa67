"""The composition root: the components of the product, and the library over them."""

from services.components import Components
from services.library.feedback import Feedback
from services.library.library import Library


class Services(Components):
    """Everything that the agent and the front ends call; one object a process."""

    @property
    def feedback(self) -> Feedback:
        """Votes on answers and the thresholds they move; needs the catalog alone."""
        return Feedback(self.catalog, self.configuration)

    @property
    def library(self) -> Library:
        return Library(self)
