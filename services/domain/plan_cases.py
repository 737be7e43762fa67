"""Plans that people approved, kept as cases for later ones."""

from typing import Final, Literal

from services.domain.value import Language, Value

PlanKind = Literal["research", "structured"]
Origin = Literal["question", "person", "model", "search"]
CASE_TASKS_MAX: Final = 15
"""Tasks of a case, as many as a plan may have."""


class CaseTask(Value):
    """A task of a plan, or a piece of a decomposition with the ``query`` for it.

    ``origin`` is who brought it in; what a person worded anew is the person's.
    """

    task: str
    query: str = ""
    origin: Origin = "question"


class PlanCase(Value):
    """A plan with its question and how it went; only its owner ever sees it.

    Args:
        turn: of the conversation that a decomposition was made for, 1 for a research.
        collections: ids of those that were searched.
        approved: a person looked at the plan before it ran.
        edited: the person changed the case itself, which keeps it when its thread is deleted.
        had_plan_improvements: the plan was changed before it was approved.
        had_tactical_improvements: the run corrected itself.
        tokens: in and out, of all model calls of the run.
        vote: whether the person found the answer good; None where nothing was said.
        used_in: threads whose plans it helped, oldest first.
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
