"""The seven events of a turn of quick answers, in the order in which they come.

``execution_start``, ``knowledge_retrieval_start``, ``knowledge_retrieval_complete``,
``conversation_llm_step`` (one for each model call), ``token_update`` (events.py), ``final_answer``,
``execution_complete``. A finished turn can be shown again from them alone. The agent route also
reports how long it may take (``agent_start``) and each of its steps (``agent_step``), as it grows.
"""

from typing import Literal

from pydantic import Field, JsonValue

from services.domain import Location, Value

JsonObject = dict[str, JsonValue]


class ExecutionStart(Value):
    """A turn begins; ``profile_tag`` is the named profile, ``reads`` whether its model reads."""

    kind: Literal["execution_start"] = "execution_start"
    profile_type: Literal["rag_focused"] = "rag_focused"
    profile_tag: str = ""
    turn: int = Field(ge=1)
    question: str
    options: JsonObject = Field(default_factory=dict)
    reads: bool = False


class KnowledgeRetrievalStart(Value):
    """``query`` is the question without need of context; ``depth`` how it will be answered."""

    kind: Literal["knowledge_retrieval_start"] = "knowledge_retrieval_start"
    collection_count: int = Field(ge=0)
    query: str = ""
    depth: str = ""


class FoundPassage(Location):
    """A passage that was found, without its text."""

    chunk_id: str
    document_id: str
    relevance: float


class KnowledgeRetrievalComplete(Value):
    """``documents`` are file names, each once; ``sources`` the passages, best first."""

    kind: Literal["knowledge_retrieval_complete"] = "knowledge_retrieval_complete"
    results_count: int = Field(ge=0)
    documents: tuple[str, ...]
    sources: tuple[FoundPassage, ...]


class AgentStart(Value):
    """The agent begins; seconds of a usual and of the longest turn, at the model's speed."""

    kind: Literal["agent_start"] = "agent_start"
    usual_s: float = Field(ge=0)
    longest_s: float = Field(ge=0)
    most_steps: int = Field(ge=1)
    tools: tuple[str, ...] = ()


class AgentAction(Value, extra="ignore"):
    """A tool that the agent called, with its arguments by name."""

    tool: str
    arguments: dict[str, str] = Field(default_factory=dict)


class AgentStep(Value):
    """A step of the agent so far; a later event of the same number replaces it.

    A ``discarded`` one had no observations (shortened results of the tools), and was undone.
    """

    kind: Literal["agent_step"] = "agent_step"
    number: int = Field(ge=1)
    thought: str
    actions: tuple[AgentAction, ...] = ()
    observations: tuple[str, ...] = ()
    reflection: str = ""
    seconds: float = Field(default=0.0, ge=0)
    discarded: bool = False


class ConversationLLMStep(Value):
    """A model task with its tokens, as the model counted them; ``task`` is rewrite or answer."""

    kind: Literal["conversation_llm_step"] = "conversation_llm_step"
    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    model: str
    task: str = ""


class FinalAnswer(Value):
    """The answer, escaped as ``html``, and as ``ask`` prints it; nothing is read aloud."""

    kind: Literal["final_answer"] = "final_answer"
    html: str
    sources: tuple[JsonObject, ...]
    tts_payload: None
    answer: JsonObject


class TokenCount(Value):
    input: int = Field(ge=0)
    output: int = Field(ge=0)


class ExecutionComplete(Value):
    kind: Literal["execution_complete"] = "execution_complete"
    duration_ms: float = Field(ge=0)
    tokens: TokenCount
