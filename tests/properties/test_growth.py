"""The analysis of a text takes time in proportion to its length, whatever a stranger repeats."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from services.language.text.layout import units
from services.references.detect import detect_references
from services.references.relations import with_relations

LENGTH = 60_000
SECONDS = 3.0
"""Of the processor; what grew with the square of the length took from minutes to hours."""


def related(text: str) -> object:
    return with_relations(text, detect_references(text))


@pytest.mark.parametrize(
    ("analyse", "repeated"),
    [
        (related, "\n"),
        (related, "§ 1 is replaced. "),
        (lambda text: list(units(text)), "-"),
        (lambda text: list(units(text)), "- "),
        (lambda text: list(units(text)), "|"),
    ],
)
def test_a_repeated_text_is_read_in_linear_time(
    analyse: Callable[[str], Any], repeated: str
) -> None:
    text = repeated * (LENGTH // len(repeated)) + "x"
    started = time.process_time()
    analyse(text)
    assert time.process_time() - started < SECONDS
