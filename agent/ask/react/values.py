"""Values of the agent route that are kept in checkpoints. The path of this module is frozen.

A field that only an older version knew is ignored: LangGraph would restore a value without its
nested ones otherwise.
"""

from typing import Final, Literal

from agent.ask.models import AgentTrace
from services.domain import Evidence, Value
from services.domain.answer_events import AgentAction, AgentStep

ToolCall = AgentAction

MAX_STEPS: Final = 7

Ending = Literal["nothing", "answer", "no_action", "reflection", "circle", "steps", "calls"]
"""Why the loop ended.

``nothing``: no passage is near the question; ``answer``: the model said so; ``no_action``: it chose
no tool; ``reflection``: enough is known; ``circle``: it chose what it had done before; ``steps``
and ``calls``: all steps or model calls are used.
"""


class Searched(Value, extra="ignore"):
    """A search of the agent's own words."""

    query: str


class ToolResult(Value, extra="ignore"):
    """The result of a tool: ``observation`` for the model and for people, ``entries`` as evidence,
    ``texts`` for later prompts, ``facts`` of the catalog. ``found`` is False if it failed or found
    nothing."""

    observation: str
    found: bool = True
    entries: tuple[Evidence, ...] = ()
    texts: tuple[str, ...] = ()
    searched: tuple[Searched, ...] = ()
    facts: str = ""


class Thought(Value, extra="ignore"):
    """A step: thought and actions, and, once carried out, what came of them."""

    number: int
    thought: str
    actions: tuple[ToolCall, ...] = ()
    observation: str = ""
    reflection: str = ""
    seconds: float = 0.0


class AgentRun(Value, extra="ignore"):
    """The state of the loop: ``current`` is the step under way, whose ``results`` are not stored
    yet.

    ``told`` has every step as people see it, the undone one too. ``hint`` is for the next thought;
    ``clarified`` counts questions to the person.
    """

    steps: tuple[Thought, ...] = ()
    gathered: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    searches: tuple[Searched, ...] = ()
    told: tuple[AgentStep, ...] = ()
    count: int = 0
    current: Thought | None = None
    results: tuple[ToolResult, ...] = ()
    hint: str = ""
    backtracked: bool = False
    parallel_steps: int = 0
    clarified: int = 0
    facts: str = ""
    ended: Ending | None = None
    failed: str = ""

    @property
    def under_way(self) -> Thought:
        """The current step, where there must be one."""
        if self.current is None:
            raise ValueError("there is no step under way")
        return self.current

    @property
    def trace(self) -> AgentTrace:
        """The loop as the answer describes it."""
        return AgentTrace(
            steps=self.count,
            parallel_steps=self.parallel_steps,
            backtracked=self.backtracked,
            reflection_concluded=self.ended == "reflection",
            forced_conclusion=self.ended in ("circle", "steps", "calls"),
        )

    def changed(self, **update: object) -> "AgentRun":
        """Return the run with other values."""
        return self.model_copy(update=update)

    def closed(self, ending: Ending) -> "AgentRun":
        """Return the run, ended for this reason unless it has ended before."""
        return self if self.ended else self.changed(ended=ending)

    def counted(self) -> "AgentRun":
        """Return the run after a step: ended if that was the last one."""
        return self.closed("steps") if self.count >= MAX_STEPS else self

    def stored(self) -> "AgentRun":
        """Return the run with the results of its last step added."""
        results = self.results
        return self.changed(
            results=(),
            gathered=(*self.gathered, *(text for result in results for text in result.texts)),
            evidence=(*self.evidence, *(entry for result in results for entry in result.entries)),
            searches=(*self.searches, *(query for result in results for query in result.searched)),
            facts=next((result.facts for result in results if result.facts), self.facts),
        )
