"""Tracing by langchain and langgraph: off, unless a setting of ours names a server."""

from collections.abc import MutableMapping
from typing import Final

TRACE_TO: Final = "RABBITHOLE_TRACE_TO"
"""Variable with the address of a LangSmith server."""
_PREFIXES: Final = ("LANGSMITH_", "LANGCHAIN_")
_RESPECTED: Final = (
    "API_KEY",
    "PROJECT",
    "WORKSPACE_ID",
    "HIDE_INPUTS",
    "HIDE_OUTPUTS",
    "HIDE_METADATA",
    "TRACING_SAMPLING_RATE",
)
"""Variables of LangSmith that are respected where `TRACE_TO` turns tracing on."""


def trace_only_where_named(environment: MutableMapping[str, str]) -> None:
    """Remove the variables of LangSmith from an environment, before langchain is imported.

    A user sets them for other programs. Here they would upload questions and passages
    (``LANGSMITH_TRACING``) or send prompts through a gateway (``LANGSMITH_GATEWAY``).
    """
    server = environment.get(TRACE_TO)
    for name in [variable for variable in environment if variable.startswith(_PREFIXES)]:
        if not server or name.partition("_")[2] not in _RESPECTED:
            del environment[name]
    environment["LANGSMITH_TRACING"] = "true" if server else "false"
    if server:
        environment["LANGSMITH_ENDPOINT"] = server
