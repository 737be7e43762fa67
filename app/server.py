"""The server of the app: Streamlit, and good order when it has ended.

    python -m app.server run app/with_doors.py

The script has the doors for programs (``app.api``) beside the app; ``app/streamlit_app.py`` alone
has none. Takes the arguments of ``streamlit``; its options come from ``streamlit.toml`` beside this
module, wherever the package is installed and whatever the environment says.
"""

import json
import signal
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from app import memory
from services.login import read_login
from services.settings import Settings


def main() -> None:
    memory.hold()
    from streamlit.web.cli import main as streamlit

    limit_connections()

    for each in (signal.SIGINT, signal.SIGTERM):
        # The server ends in good order and then raises the signal again, for this handler.
        signal.signal(each, lambda *_: sys.exit(0))
    try:
        streamlit([*sys.argv[1:2], *options(), *sys.argv[2:]], prog_name="streamlit")
    finally:
        from app.shared import at_end  # with the agent, which is loaded by now

        at_end.close()


def limit_connections() -> None:
    """Has uvicorn limit connections wherever it is told nothing else, as Streamlit tells it."""
    from uvicorn.config import HTTP_PROTOCOLS

    HTTP_PROTOCOLS["auto"] = "app.api.limits:Connection"


def options() -> list[str]:
    """What the file sets, as options of Streamlit's command line."""
    text = Path(__file__).with_name("streamlit.toml").read_text(encoding="utf-8")
    values = [*_flat(tomllib.loads(text)), *_for_login(Settings().login)]
    return [f"--{name}={value}" for name, value in values]


def _for_login(file: Path | None) -> list[tuple[str, str]]:
    """Where Streamlit finds how people log in, and the name that they come back to."""
    if file is None:
        return []
    return [("secrets.files", str(file)), ("server.allowedHosts", read_login(file).host)]


def _flat(values: Mapping[str, Any], section: str = "") -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        match value:
            case dict():
                yield from _flat(value, f"{section}{name}.")
            case list() if section == "server.":  # an option that may be repeated
                yield from ((f"{section}{name}", str(each)) for each in value)
            case list() | bool():  # an option of Streamlit takes ``false``, and no ``False``
                yield f"{section}{name}", json.dumps(value)
            case _:
                yield f"{section}{name}", str(value)


if __name__ == "__main__":
    main()
