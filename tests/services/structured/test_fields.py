"""What the head of a document states in fields, and which pieces of information ask for one."""

import pytest

from services.structured.fields import asks_field, head_fields

HEAD = """PEP: 901
Title: Quiet types
Author: Ada Example <ada@example.org>,
        Bob Example
Status: Final
Type: Standards Track
Created: 03-Mar-2019
Python-Version: 3.9

Abstract
========

Note: this is no field of the head.
"""


def asked(item: str, *, named: bool) -> list[str]:
    fields = head_fields(HEAD)
    return [each.name for each in fields if asks_field(item, each, "en", named=named)]


def test_the_fields_of_a_head_are_those_in_a_row() -> None:
    fields = head_fields(HEAD)
    assert [each.name for each in fields][-3:] == ["Type", "Created", "Python-Version"]
    author = fields[2]
    assert author.value == "Ada Example <ada@example.org>, Bob Example"
    assert HEAD[author.start : author.end].startswith("Author:")
    assert head_fields("Ein Satz.\n\nHinweis: nur dieser eine.\n") == []


@pytest.mark.parametrize(
    ("item", "named", "names"),
    [
        ("When was PEP 901 created", True, ["Created"]),
        ("Who wrote PEP 901", True, ["Author"]),
        ("What is the status of PEP 901", True, ["Status"]),
        ("Since which Python version does it apply", False, ["Python-Version"]),
        ("In which version does it become the default", False, []),
        ("When was PEP 901 accepted", True, []),
        ("Which kinds of type parameters have a default", False, []),
        ("Which type of parameters does PEP 901 propose for functions", True, []),
    ],
)
def test_which_field_is_asked_for(item: str, named: bool, names: list[str]) -> None:
    assert asked(item, named=named) == names
