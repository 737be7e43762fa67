"""The messages of the interface; as a program it brings the German catalogue up to date.

What is new stands there with an empty translation, what is used no more is gone. The tools for
gettext do not see a message within an f-string.
"""

import ast
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import app
from app.locale import catalogue

SOURCE = Path(app.__file__).parent
GERMAN = SOURCE / "locale/de/LC_MESSAGES/app.po"
MARKS = ("_", "N_", "pgettext")
HEAD = r"""msgid ""
msgstr ""
"Language: de\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"""


def name_of(call: ast.AST) -> str:
    """What is called by a bare name; empty for anything else."""
    return getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""


def messages() -> set[str]:
    """Keys of the messages in the source, as the catalogue has them."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and name_of(node) in MARKS:
                written = [each.value for each in node.args if isinstance(each, ast.Constant)]
                found.add("\x04".join(written))
    return found - {""}


def written(keys: Iterable[str], translations: Mapping[str, str]) -> str:
    """A catalogue as a file, in the order of the messages."""
    entries = [HEAD]
    for key in sorted(keys, key=lambda key: key.split("\x04")[::-1]):
        *context, message = key.split("\x04")
        lines = [f"msgctxt {_string(each)}" for each in context]
        lines += [f"msgid {_string(message)}", f"msgstr {_string(translations.get(key, ''))}"]
        entries.append("\n".join(lines) + "\n")
    return "\n".join(entries)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    GERMAN.write_text(written(messages(), catalogue("de")), encoding="utf-8")
