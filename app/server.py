"""The server of the app: Streamlit, which closes the home when it has ended.

    python -m app.server run app/asgi.py

This script serves the API (``app.api``) too; ``app/streamlit_app.py`` serves the app alone. Takes
the arguments of ``streamlit``. Its options come from ``streamlit.toml`` in the folder of this
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

    for number in (signal.SIGINT, signal.SIGTERM):
        # The server shuts down and then raises the signal again, for this handler.
        signal.signal(number, lambda *_: sys.exit(0))
    try:
        streamlit([*sys.argv[1:2], *options(), *sys.argv[2:]], prog_name="streamlit")
    finally:
        from app.shared import at_end  # with the agent, which is loaded by now

        at_end.close()


def limit_connections() -> None:
    """Have uvicorn limit connections by default; Streamlit sets no protocol of its own."""
    from uvicorn.config import HTTP_PROTOCOLS

    HTTP_PROTOCOLS["auto"] = "app.api.problems:GuardedConnection"


def options() -> list[str]:
    """Return the settings of the file as options of Streamlit's command line."""
    text = Path(__file__).with_name("streamlit.toml").read_text(encoding="utf-8")
    values = [*_flat(tomllib.loads(text)), *_for_login(Settings().login)]
    return [f"--{name}={value}" for name, value in values]


def _for_login(file: Path | None) -> list[tuple[str, str]]:
    if file is None:
        return []
    return [("secrets.files", str(file)), ("server.allowedHosts", read_login(file).host)]


def _flat(values: Mapping[str, Any], section: str = "") -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        match value:
            case dict():
                yield from _flat(value, f"{section}{name}.")
            case list() if section == "server.":  # an option that may be repeated
                yield from ((f"{section}{name}", str(option)) for option in value)
            case list() | bool():  # an option of Streamlit takes ``false``, and no ``False``
                yield f"{section}{name}", json.dumps(value)
            case _:
                yield f"{section}{name}", str(value)


if __name__ == "__main__":
    main()
