"""The part of a client that writes runs down as traces and replays them."""

from pathlib import Path
from typing import Any

from agent.client.connection import Connected
from agent.commands import ReplayTrace


class TraceClient(Connected):
    """Writing a trace needs the catalog alone; replaying needs the owner of the stores."""

    def trace(self, thread_id: str) -> dict[str, Any]:
        """A finished thread with all that replaying it needs besides the documents.

        Raises:
            NotFound: there is no such thread among one's own.
            InvalidInput: it has no report yet.
        """
        from agent.tracing.export import make_trace

        return make_trace(self._services, self._principal, thread_id).model_dump(mode="json")

    def replay(self, file: Path) -> dict[str, Any]:
        """Runs a trace again with the recorded replies; what differs, if anything does.

        Raises:
            InvalidInput: the file is no trace, or its run cannot be replayed.
            NotFound: a collection of the run is gone.
        """
        return self._do(ReplayTrace(file=str(file.absolute())))
