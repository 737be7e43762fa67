"""Messages in the source against the German catalogue."""

import ast
import string

import pytest

from app.locale import GERMAN, Language, translate
from services.locale import catalogue
from tests.support.messages import SOURCE, messages, name_of, written


def is_set(name: ast.Name) -> bool:
    return name.id == "_" and isinstance(name.ctx, ast.Store)


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_the_catalogue_and_the_source_agree() -> None:
    german, used = catalogue(GERMAN), messages()
    assert used - german.keys() == set(), "without a translation"
    assert german.keys() - used == set(), "translated and not used"
    for key, text in german.items():
        assert text.strip(), key
        assert fields(text) == fields(key[-1]), key
    told = "not as `make texts` writes it: something is double, fuzzy or out of order"
    assert written(used, german) == GERMAN.read_text(encoding="utf-8"), told


def test_nothing_hides_the_function_that_translates() -> None:
    """``lambda _: _("…")`` would call its argument."""
    scopes = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.DictComp, ast.GeneratorExp)
    for path in SOURCE.rglob("*.py"):
        for scope in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(scope, scopes):
                inside = list(ast.walk(scope))
                calls = any(name_of(each) == "_" for each in inside)
                hides = any(isinstance(each, ast.arg) and each.arg == "_" for each in inside)
                hides |= any(isinstance(each, ast.Name) and is_set(each) for each in inside)
                assert not (calls and hides), f"{path.name}:{scope.lineno}"


@pytest.mark.parametrize(
    ("language", "message", "context", "values", "shown"),
    [
        ("en", "Remove", "", {}, "Remove"),
        ("de", "Remove", "", {}, "Entfernen"),
        ("de", "Remove", "task of a plan", {}, "Streichen"),
        ("de", "Model {name}", "", {"name": "{x}"}, "Modell {x}"),
        ("de", "Proposed: {task}", "", {"task": "a"}, "Vorschlag: a"),
        ("de", "unknown {x}", "", {}, "unknown {x}"),
    ],
)
def test_translate(
    language: Language, message: str, context: str, values: dict[str, str], shown: str
) -> None:
    assert translate(language, message, context, **values) == shown
