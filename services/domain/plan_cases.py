"""Plans that people approved, kept as cases for later ones."""

from typing import Final, Literal

from services.domain.value import Language, Value

PlanKind = Literal["research", "structured"]
Origin = Literal["question", "person", "model", "search"]
CASE_TASKS_MAX: Final = 15
"""Tasks of a case, as many as a plan may have."""


class CaseTask(Value):
    """A task of a plan, or a piece of a decomposition with its ``query``, and its ``origin``."""

    task: str
    query: str = ""
    origin: Origin = "question"


class PlanCase(Value):
    """A plan with its question and how it went; only its owner ever sees it.

    ``turn`` is of the conversation, 1 for a research; ``approved``: a person looked at the plan
    before it ran. ``edited``: the person changed the case itself, which keeps it when its thread is
    deleted. A run with ``had_tactical_improvements`` corrected itself. ``tokens`` are in and out,
    ``vote`` is None where nothing was said, and ``used_in`` are the threads that it helped, oldest
    first.
    """

    case_id: str
    thread_id: str
    turn: int = 1
    kind: PlanKind
    language: Language
    question: str
    collections: tuple[str, ...]
    tasks: tuple[CaseTask, ...]
    approved: bool
    edited: bool = False
    had_plan_improvements: bool = False
    had_tactical_improvements: bool = False
    tokens: int = 0
    model_calls: int = 0
    seconds: float = 0.0
    created_at: str = ""
    vote: bool | None = None
    used_in: tuple[str, ...] = ()

    @property
    def serves(self) -> bool:
        """Return whether a person approved, upvoted or edited it, and did not downvote it."""
        return self.vote is not False and (self.approved or self.edited or bool(self.vote))
