"""Where langchain and langgraph send what they do: nowhere, unless a setting of ours names it."""

from collections.abc import MutableMapping
from typing import Final

NAMED: Final = "RABBITHOLE_TRACE_TO"
"""Variable with the address of a LangSmith server."""
_OF_LANGSMITH: Final = ("LANGSMITH_", "LANGCHAIN_")
_KEPT: Final = (
    "API_KEY",
    "PROJECT",
    "WORKSPACE_ID",
    "HIDE_INPUTS",
    "HIDE_OUTPUTS",
    "HIDE_METADATA",
    "TRACING_SAMPLING_RATE",
)
"""What a person's variables may say of the tracing that `NAMED` turns on."""


def trace_only_where_named(environment: MutableMapping[str, str]) -> None:
    """Forget what a shell says to LangSmith; to be called before langchain is imported.

    Its variables are set for other programs, and one of them would have questions and passages
    uploaded (``LANGSMITH_TRACING``) or prompts sent by way of its gateway (``LANGSMITH_GATEWAY``).
    """
    server = environment.get(NAMED)
    for name in [each for each in environment if each.startswith(_OF_LANGSMITH)]:
        if not server or name.partition("_")[2] not in _KEPT:
            del environment[name]
    environment["LANGSMITH_TRACING"] = "true" if server else "false"
    if server:
        environment["LANGSMITH_ENDPOINT"] = server
