"""The messages of the interface; as a program it brings the German catalogue up to date.

What is new stands there with an empty translation, what is used no more is gone. The tools for
gettext do not see a message within an f-string.
"""

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

import polib

import app
from app.locale import GERMAN
from services.locale import catalogue

SOURCE = Path(app.__file__).parent
MARKS = ("_", "N_", "pgettext")
UNBROKEN = 10_000
"""Characters a line may have: texts are easier to search in one piece."""

Key = tuple[str | None, str]


def name_of(call: ast.AST) -> str:
    """What is called by a bare name; empty for anything else."""
    return getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""


def messages() -> set[Key]:
    """Context and text of the messages in the source."""
    found: set[Key] = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and name_of(node) in MARKS:
                written = [str(each.value) for each in node.args if isinstance(each, ast.Constant)]
                if written:
                    found.add((written[0] if written[1:] else None, written[-1]))
    return found


def written(keys: Iterable[Key], translations: Mapping[Key, str]) -> str:
    """A catalogue as a file, in the order of the messages."""
    file = polib.POFile(wrapwidth=UNBROKEN)
    file.metadata = polib.pofile(str(GERMAN)).metadata
    for context, message in sorted(keys, key=lambda key: (key[1], key[0] or "")):
        text = translations.get((context, message), "")
        file.append(polib.POEntry(msgctxt=context, msgid=message, msgstr=text))
    return str(file)


if __name__ == "__main__":
    GERMAN.write_text(written(messages(), catalogue(GERMAN)), encoding="utf-8")
