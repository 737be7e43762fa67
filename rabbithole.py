"""The installed package: it holds `app`, `agent` and `services`, and lets them be imported.

In a wheel this file is ``rabbithole/__init__.py`` and the three folders are inside ``rabbithole/``,
so that no other package of these names is shadowed. In a working copy it lies beside them.
``import rabbithole`` makes them importable in this process and in the processes that it starts.
"""

import os
import sys
from pathlib import Path

_FOLDER = str(Path(__file__).resolve().parent)
if _FOLDER not in sys.path:
    sys.path.insert(0, _FOLDER)
_inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
if _FOLDER not in _inherited:
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (_FOLDER, *_inherited)))


def main() -> None:
    """Run the ``rabbithole`` command."""
    from app.cli.main import main as run

    run()
