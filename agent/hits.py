"""A passage that was found for a task, and how far from what the search found it lies."""

from agent.models import SourceType
from services.types import Chunk


class TaskHit(Chunk):
    """A chunk with its relevance to task and question (0-1).

    ``depth`` counts the references of the graph's way to it, 0 where the search itself finds it;
    ``way`` names what lies on it, ``led_from`` is the chunk that it begins at.
    """

    relevance: float
    source_type: SourceType = "vector_search"
    depth: int = 0
    way: str = ""
    led_from: str = ""
