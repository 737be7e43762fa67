"""Schemas for constrained generation; the guard of language is strict about answers alone."""

import pytest
from pydantic import BaseModel, Field

from services.domain.errors import InvalidGeneration
from services.models.output import check_language, generation_schema, read_output


class Item(BaseModel):
    title: str = Field(description="a heading")
    weight: int | None = Field(default=None, ge=0, le=3)


class Plan(BaseModel):
    """A plan."""

    items: list[Item] = Field(min_length=1, max_length=4)
    note: str = ""


def test_everything_is_required_in_order_and_nothing_else_allowed() -> None:
    schema = generation_schema(Plan)
    assert schema["required"] == ["items", "note"]
    assert schema["additionalProperties"] is False
    item = schema["$defs"]["Item"]
    assert item["required"] == ["title", "weight"]
    assert item["properties"]["title"] == {"type": "string"}, "named like a keyword"
    assert "title" not in item and "description" not in schema
    assert schema["properties"]["items"]["maxItems"] == 4
    assert item["properties"]["weight"]["anyOf"][0]["maximum"] == 3


def test_says_which_field_is_wrong() -> None:
    plan = read_output(Plan, '{"items": [{"title": "a", "weight": 2}], "note": ""}')
    assert plan.items[0].weight == 2
    with pytest.raises(InvalidGeneration, match=r"items\.0\.weight: Input should be less"):
        read_output(Plan, '{"items": [{"title": "a", "weight": 9}], "note": ""}')
    with pytest.raises(InvalidGeneration, match="JSON"):
        read_output(Plan, "{")


def test_a_text_cannot_begin_a_heading_or_a_list_of_its_own() -> None:
    forged = '{"items": [{"title": "a\\n\\n## b\\u001b[2J\\u202e", "weight": 2}], "note": ""}'
    assert read_output(Plan, forged).items[0].title == "a ## b [2J"


GERMAN = (
    "Der Grenzwert der effektiven Dosis beträgt für beruflich exponierte Personen 20 Millisievert "
    "im Kalenderjahr. Die zuständige Behörde kann im Einzelfall eine höhere Dosis zulassen."
)
ENGLISH = (
    "The limit of the effective dose for occupationally exposed persons is 20 millisievert in a "
    "calendar year. In individual cases the competent authority may permit a higher dose."
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GERMAN, "de"),
        (ENGLISH, "en"),
        ("", "de"),
        ("20 Millisievert", "en"),
        ("§ 78 Abs. 1 StrlSchG", "en"),
        ("typing.TypeGuard vs. typing.TypeIs", "de"),
        ("Laut PEP 604 wird Optional[int] als `int | None` geschrieben.", "de"),
        (f"PEP 484 sagt dazu wörtlich: „{ENGLISH}“ Das gilt weiterhin für alle Module.", "de"),
        (f'The Act says "{GERMAN}" and nothing else about this.', "en"),
        (f"# TypeGuard and narrowing\n\n{GERMAN}\n\n- user-defined type guard", "de"),
        ("限量 ist 20 Millisievert", "zh"),
        (f"{GERMAN} {GERMAN} The rule has been in force since last year.", "de"),
    ],
)
def test_accepts(text: str, expected: str) -> None:
    check_language(text, expected)


@pytest.mark.parametrize(
    ("text", "expected", "named"),
    [
        (ENGLISH, "de", "in English, not in German"),
        (GERMAN, "en", "in German, not in English"),
        (f"{GERMAN} {ENGLISH}", "de", "English"),
        (f"{GERMAN} Der Wert 限量 gilt.", "de", "East Asian"),
        (
            "- The limit is twenty millisieverts.\n- It holds for each calendar year.",
            "de",
            "English",
        ),
    ],
)
def test_refuses(text: str, expected: str, named: str) -> None:
    with pytest.raises(InvalidGeneration, match=named):
        check_language(text, expected)
