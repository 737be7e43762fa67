"""What a model is shown: sections with what they need, and room that is used."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.engine.engine import connect_to
from services.domain import Principal
from services.models.base import estimate_tokens
from services.settings import Settings
from tests.support.desk import ask, make_services
from tests.support.scripted_model import ScriptedModel

NOTHING = {"answered": "no", "claims": [], "missing": ""}
WORDS = {"queries": [], "passage": ""}
FILLER = "The parties keep records of all deliveries and meet once a quarter to go through them. "

Shown = Callable[..., str]


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    """The passages of a reading prompt, for a question over files by their names."""

    def passages(question: str, files: dict[str, str], depth: str = "fast") -> str:
        model = ScriptedModel([("^words$", WORDS), ("^read$", NOTHING), ("^verify$", "{}")])
        settings = Settings(home=tmp_path / "home", llm="none", reads="yes")
        engine = connect_to(make_services(settings.home, model, settings=settings), Principal())
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        engine.library.ingest([tmp_path / name for name in files], "papers")
        try:
            ask(engine, question, collections=["papers"], depth=depth)
        finally:
            engine.close()
        prompts = [r.messages[-1].content for r in model.requests if r.task == "read"]
        return prompts[0].split("Passages:")[-1].split("\n\nQuestion:")[0]

    return passages


def section(title: str, text: str) -> str:
    return f"## {title}\n\n{text}\n\n"


def test_the_room_is_used_with_what_stands_beside_the_best_sections(shown: Shown) -> None:
    chapters = [section(f"Chapter {n}", f"Matter {n} is open.") for n in range(400)]
    chapters[200:200] = [section("Rent", "The rent is 650 euros.")]
    found = shown("How much is the rent?", {"lease.md": "# Lease\n\n" + "".join(chapters)})
    assert "650 euros" in found and "Matter 199 " in found and "Matter 200 " in found
    assert 2_500 < estimate_tokens(found) <= 3_100


def test_a_long_list_is_cut_with_its_lead_in_and_between_its_items(shown: Shown) -> None:
    items = "".join(
        f"- the holder of licence {n} reports every change of address and owner to the office "
        f"within {n + 2} days of it;\n"
        for n in range(200)
    )
    text = f"# Duties\n\n## Reports\n\nThese duties bind holders abroad only:\n\n{items}"
    found = shown("When must the holder of licence 150 report?", {"duties.md": text})
    assert "within 152 days" in found
    assert "bind holders abroad only" in found and "[…]" in found
    whole = [line for line in found.splitlines() if line.startswith("- ")]
    assert whole and all(line.endswith(";") for line in whole)


def test_a_row_of_a_long_table_comes_with_the_head(shown: Shown) -> None:
    rows = "".join(f"| Boot {n:03} | {n + 100} | {n % 7} |\n" for n in range(400))
    table = f"| Article | Price in euros | Shelf |\n|---|---|---|\n{rows}"
    found = shown("What does Boot 317 cost?", {"prices.md": f"# Prices\n\n{table}"})
    assert "Boot 317" in found and "417" in found and "Price in euros" in found


def test_marks_of_what_is_left_out_fit_into_the_window_too(shown: Shown) -> None:
    items = "".join(f"- Flat {n}: rent paid.\n" for n in range(400))
    chapters = (section(f"House {n}", items) for n in range(12))
    text = "# Leases\n\n" + "".join(chapters)
    found = shown("Is the rent of a flat paid?", {"leases.md": text}, depth="enhanced")
    assert "rent paid" in found and found.count("[…]") > 3


HOUSE = """---
date: {year}-04-01
---
# House rules ({year})

## Cellar

Bicycles stand in the cellar. Scooters {scooters} be charged in the cellar.

## Noise

{noise}
"""


def test_a_newer_version_of_the_same_section_is_shown_too(shown: Shown) -> None:
    noise = "Quiet hours are from ten to six. " * 150
    files = {
        "rules 2019.md": HOUSE.format(year=2019, scooters="may", noise=noise),
        "rules 2024.md": HOUSE.format(year=2024, scooters="must not", noise=noise),
    }
    found = shown("May scooters be charged in the cellar?", files)
    assert "must not be charged" in found and "2024-04-01" in found


def test_what_a_later_document_says_of_a_section_is_shown_too(shown: Shown) -> None:
    dated = "---\ndate: {}\n---\n# {}\n\n"
    other = "Interest for late payment of other goods: 9 percent. "
    clauses = "".join(f"## § {n} Matter {n}\n\n{other}\n\n" for n in range(3, 150))
    contract = (
        dated.format("2020-01-01", "Delivery Agreement Norwick (DAN)")
        + f"## § 2 Interest\n\nInterest for late payment is 5 percent.\n\n{clauses}"
    )
    change = (
        dated.format("2023-01-01", "First Change of the Norwick papers")
        + "".join(section(f"Clause {n}", f"{FILLER * 2}") for n in range(150))
        + "## Clause B\n\nIn § 2 of the DAN the figure five becomes eight.\n"
    )
    found = shown("What is the interest for late payment?", {"a.md": contract, "b.md": change})
    assert "5 percent" in found and "becomes eight" in found


def test_a_document_that_is_named_is_read_whole_and_alone(shown: Shown) -> None:
    files = {
        "cats.md": "# Cats\n\n"
        + section("Food", "They eat fish.")
        + section("Sleep", "Ten hours."),
        "dogs.md": "# Dogs\n\n"
        + section("Food", "They eat meat.")
        + section("Sleep", "All night."),
    }
    found = shown("Summarise the file dogs.md", files)
    assert "They eat meat" in found and "All night" in found and "fish" not in found
    both = shown("What differs between cats.md and dogs.md?", files)
    assert all(words in both for words in ("fish", "Ten hours", "meat", "All night"))
    assert len(re.findall(r"(?m)^\[\d+\]", both)) == len(set(re.findall(r"(?m)^\[\d+\].*", both)))
