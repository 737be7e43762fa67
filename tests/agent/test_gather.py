"""What a model is shown: sections with what they need, and room that is used."""

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agent.engine.engine import Engine, connect_to
from agent.passages import PassageMemory
from agent.prompts.reading import Verdict, VerifyClaims, VerifyInput
from agent.reading.gather import Gatherer
from agent.reading.prove import Claim
from agent.reading.sections import SectionBuilder, rows_with
from agent.reading.sentences import replacements
from agent.reading.values import Quote
from agent.reading.verify import Question, verify_claims
from agent.step import Step
from services.build import Services
from services.domain import Principal
from services.language.text.words import stems
from services.library.relations import Relations
from services.models.base import estimate_tokens
from services.references.registry import Registry
from services.settings import Settings
from tests.support.desk import ask, make_services
from tests.support.reading_rules import reading_replies
from tests.support.research import plan_of, report_of, researched, rules
from tests.support.scripted_model import ScriptedModel

NOTHING = {"answered": "no", "claims": [], "missing": ""}
WORDS = {"queries": [], "passage": ""}
FILLER = "The parties keep records of all deliveries and meet once a quarter to go through them. "

Shown = Callable[..., str]


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    """The passages of a reading prompt, for a question over files by their names."""

    def passages(question: str, files: dict[str, str], depth: str = "fast") -> str:
        nothing_changes = {"relations": [{"number": 1, "kind": "none"}]}
        model = ScriptedModel(
            [
                ("^words$", WORDS),
                ("^read$", NOTHING),
                ("^verify$", "{}"),
                ("^relations$", nothing_changes),
            ]
        )
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
    assert 4_000 < estimate_tokens(found) <= 4_600


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


def test_the_rows_of_a_long_table_that_the_question_names_are_shown_wherever_they_stand() -> None:
    states = ("Maine", "Ohio", "Oregon", "Texas", "Utah")
    rows = [
        f"State: {state} | Graduates, {year}: {n}"
        for n, state in enumerate(states)
        for year in (1, 2)
    ]
    text = "Graduates by state\n\n" + "\n".join(rows) + "\n\nOregon | Idaho is another section."
    bounds = (0, text.index("\n\nOregon"))

    def found(question: str) -> list[str]:
        return [text[start:end] for start, end in rows_with(stems(question, "en"), text, bounds)]

    assert found("How many graduates did Oregon have?") == [row for row in rows if "Oregon" in row]
    assert found("How many graduates are there by state?") == []
    utah = [row for row in rows if "Utah" in row]
    assert sorted(found("What was it in Utah in 2 of 20 years?")) == utah
    assert found("") == [] and len(found("Compare Ohio and Texas.")) == 4


def test_a_row_is_shown_with_the_title_and_the_unit_of_its_table(shown: Shown) -> None:
    rows = "".join(f"| Ward {n} | {n * 7} | {n * 3} |\n" for n in range(300))
    table = f"| Ward | Beds | Nurses |\n|---|---|---|\n{rows}"
    text = f"# Hospital\n\n## Figures\n\nTable 3, in hundreds:\n\n{table}"
    found = shown("How many nurses does Ward 271 have?", {"wards.md": text})
    assert "Ward 271" in found and "813" in found and "Table 3, in hundreds" in found


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


def test_chosen_documents_without_room_for_all_come_by_rank(tmp_path: Path) -> None:
    letters = {f"letter {n}.md": f"# Letter {n}\n\nRent {n}.\n\n{FILLER * 25}" for n in range(8)}
    with library(tmp_path, letters) as context:
        gatherer, chosen = Gatherer("What is the rent?", context, "en"), list(context.ids.values())
        for name in chosen:
            hits = [hit for hit in passages_with("Rent", context) if hit.document_id == name]
            sections, _ = gatherer.gather(hits, 3_000, chosen=chosen)
            assert sections[0].document_id == name
        sections, _ = gatherer.gather(hits, 8_000, chosen=chosen)
        assert {section.document_id for section in sections} == set(chosen)
        assert {section.way.how for section in sections} == {"whole"}


def test_the_long_section_of_a_named_document_has_room(tmp_path: Path) -> None:
    clauses = "".join(section(f"Clause {n}", FILLER * 4) for n in range(20))
    annex = section("Annex", f"{FILLER * 120}\n\nThe fee is 90 euros.\n\n{FILLER * 120}")
    with library(tmp_path, {"deal.md": f"# Deal\n\n{clauses}{annex}"}) as context:
        gatherer, named = Gatherer("What is the fee?", context, "en"), [*context.ids.values()]
        sections, _ = gatherer.gather(passages_with("90 euros", context), 3_000, named=named)
    assert "90 euros" in sections[0].text and sections[0].is_cut


@pytest.mark.parametrize(("end", "times", "room"), [(".", 1, 500), (",", 1, 500), (",", 14, 1_000)])
def test_the_best_passage_is_shown_in_part_where_it_does_not_fit(
    tmp_path: Path, end: str, times: int, room: int
) -> None:
    sentence = " and ".join([FILLER.strip(" .")] * times)
    answer = f"The fee of a late delivery is 90 euros{end} {sentence}."
    text = f"{FILLER * 99}\n\n{FILLER * 16}{answer} {FILLER * 16}\n\n{FILLER * 99}"
    with library(tmp_path, {"deal.txt": text}) as context:
        gatherer, hits = Gatherer("What is the fee?", context, "en"), passages_with("90", context)
        sections, _ = gatherer.gather(hits, room)
    assert answer[: answer.index("90")] in sections[0].text and sections[0].tokens <= room


def test_what_a_cut_section_did_not_show_is_read_later(tmp_path: Path) -> None:
    paragraphs = [f"Matter {n} is settled. {FILLER * 4}" for n in range(60)]
    with library(tmp_path, {"minutes.txt": "\n\n".join(paragraphs)}) as context:
        gatherer = Gatherer("What became of it?", context, "en")
        first, last = (passages_with(f"Matter {n} ", context) for n in (2, 57))
        read, _ = gatherer.gather(first, 2_000)
        assert "Matter 2 " in read[0].text and "Matter 57 " not in read[0].text
        again, _ = gatherer.gather([*first, *last], 2_000, already_read=read)
        assert "Matter 57 " in again[0].text and "Matter 2 " not in again[0].text
        assert gatherer.gather(first, 2_000, already_read=read).sections == []


@pytest.mark.parametrize("newer_first", [True, False])
@pytest.mark.parametrize("chosen", [True, False])
def test_what_replaces_what_does_not_depend_on_the_rank(
    tmp_path: Path, newer_first: bool, chosen: bool
) -> None:
    files = {
        f"rules {year}.md": HOUSE.format(year=year, scooters=said, noise="Quiet.")
        for year, said in ((2019, "may"), (2024, "must not"))
    }
    with library(tmp_path, files) as context:
        hits = sorted(passages_with("charged", context), key=lambda hit: hit.document)
        documents = list(context.ids.values()) if chosen else []
        gatherer = Gatherer("May scooters be charged?", context, "en")
        sections, _ = gatherer.gather(hits[:: 1 - 2 * newer_first], 3_000, chosen=documents)
    changed = [(r.document, r.by) for r in replacements(sections) if r.section == "Cellar"]
    assert changed == [("rules 2019.md", "rules 2024.md")]


LAW = (
    "# Depot Act (DepA)\n\n"
    + section("§ 1 Storage", "Solvents are stored as § 2 says. See also § 2.")
    + section("§ 2 Cabinets", "A cabinet has the door of § 3.")
    + section("§ 3 Doors", "A door closes by itself as § 4 says.")
    + section("§ 4 Springs", "A spring is tested yearly.")
    + "".join(section(f"§ {n} Other", f"Other matter {n}. {FILLER * 3}") for n in range(5, 60))
    + section("§ 60 Fines", "Who breaks § 1 pays 5,000 euros.")
)


@contextmanager
def library(folder: Path, files: dict[str, str]) -> Iterator[Any]:
    """The context of a reading over files by their names; ``ids`` are those of the documents."""
    settings = Settings(home=folder / "home", llm="none")
    services = make_services(settings.home, settings=settings)
    with connect_to(services, Principal()) as engine:
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        engine.library.ingest([folder / name for name in files], "papers")
        context = reading_context(engine, services)
        context.ids = {d.document: d.document_id for d in engine.library.documents("papers")}
        yield context


def passages_with(words: str, context: Any) -> list[Any]:
    """The passages of all documents that have these words."""
    passages = (p for name in context.ids.values() for p in context.passages.between(name))
    return [passage for passage in passages if words in passage.text]


def reading_context(engine: Engine, services: Services) -> Any:
    """As much of a context as gathering needs."""
    catalog = engine._catalog
    scope = catalog.collections.scope(Principal(), None)
    registry = Registry(catalog.references.aliases(scope))
    parts = {"catalog": catalog, "scope": scope, "registry": registry}
    parts["retriever"] = services.retriever
    parts["relations"] = Relations(catalog, scope)
    tasks = SimpleNamespace(model=None)
    return SimpleNamespace(passages=PassageMemory(catalog, scope), tasks=tasks, **parts)


@pytest.mark.parametrize(("hops", "read"), [(1, {"§ 2"}), (2, {"§ 2", "§ 3", "§ 60"})])
def test_references_are_followed_as_deep_as_told_and_the_other_way_and_each_once(
    tmp_path: Path, hops: int, read: set[str]
) -> None:
    with library(tmp_path, {"act.md": LAW}) as context:
        (document,) = context.ids.values()
        hits = context.catalog.chunks.of_section(document, "§ 1", scope=context.scope)
        gatherer = Gatherer("How fast may a scooter be?", context, "en", hops)
        sections, followed = gatherer.gather(hits, 1_200)
    led = {each.label: each.way for each in sections if each.way.how in ("reference", "named by")}
    assert set(led) == read
    assert (led["§ 2"].depth, led["§ 2"].text) == (1, "§ 2")
    if hops > 1:
        assert (led["§ 3"].depth, led["§ 60"].how) == (2, "named by")
    assert len(sections) == len({each.key for each in sections})
    targets = [(each.source.label, each.reference.target) for each in followed]
    assert len(targets) == len(set(targets)), "each target once"


def test_a_claim_over_sections_without_room_is_verified_beside_what_it_quotes(
    tmp_path: Path,
) -> None:
    slow, fast = "A scooter drives 20 km an hour.", "A bicycle drives 30 km an hour."
    long = FILLER * 40
    law = f"# Act\n\n## § 1 A\n\n{slow}\n\n{long}\n\n## § 2 B\n\n{fast}\n\n{long}"
    seen: list[VerifyInput] = []

    async def run(task: VerifyClaims, inp: VerifyInput) -> dict[int, Verdict]:
        seen.append(inp)
        return {1: Verdict(number=1, missing="")}

    with library(tmp_path, {"act.md": law}) as context:
        context.tasks = SimpleNamespace(model=ScriptedModel(context_tokens=3_600))
        context.services = SimpleNamespace(settings=SimpleNamespace(call_deadline_s=60.0))
        (document,) = context.ids.values()
        cutter = SectionBuilder(context, "en")
        sections, quotes = [], []
        for number, words in enumerate((slow, fast)):
            hits = context.catalog.chunks.of_section(
                document, f"§ {number + 1}", scope=context.scope
            )
            section = cutter.section(hits, 5_000, 5_000)
            assert section is not None and section.tokens > 700
            start = section.offset(section.text.index(words))
            place = {"document_id": document, "start": start, "end": start + len(words)}
            sections.append(section)
            quotes.append(Quote(section=number, text=words, **place))
        claim = Claim(text="A scooter is slower than a bicycle.", quotes=tuple(quotes))
        step = cast(Step, SimpleNamespace(context=context, run=run))
        question = Question(text="Which is slower?", language="en")
        (made,) = asyncio.run(verify_claims([claim], sections, question, step))
    assert made.fault == ""
    ((shown, *_),) = [(each.passages, each) for each in seen]
    assert slow in shown and fast in shown and FILLER * 3 not in shown and "[…]" in shown


PROHIBITED = "Scooters must not be charged in the cellar."


def test_what_replaces_what_is_told_with_an_answer_and_with_a_report(tmp_path: Path) -> None:
    model = ScriptedModel(rules(**reading_replies(PROHIBITED), plan=plan_of("Scooters")))
    with connect_to(make_services(tmp_path / "home", model), Principal()) as engine:
        for year, said in ((2019, "may"), (2024, "must not")):
            file = tmp_path / f"rules {year}.md"
            file.write_text(HOUSE.format(year=year, scooters=said, noise="Quiet."), "utf-8")
            engine.library.ingest([file], "papers")
        question = "May scooters be charged in the cellar?"
        answer = ask(engine, question, depth="fast")
        report = report_of(engine, researched(engine, question))
    for each in (answer, report):
        assert PROHIBITED in each["answer"]
        assert {change["section"] for change in each["replaced"]} == {"Cellar", "Noise"}
        assert {change["document"] for change in each["replaced"]} == {"rules 2019.md"}
        assert {change["by"] for change in each["replaced"]} == {"rules 2024.md"}
    assert "rules 2019.md" in report["answer"]


def test_only_replacements_among_the_cited_documents_are_told(tmp_path: Path) -> None:
    other = "Bicycles stand in the cellar."
    model = ScriptedModel(
        rules(**reading_replies("Cats sleep in the attic."), plan=plan_of("Cats"))
    )
    files = {"cats.md": "# Cats\n\n" + section("Sleep", "Cats sleep in the attic.")}
    for year, said in ((2019, "may"), (2024, "must not")):
        files[f"rules {year}.md"] = HOUSE.format(year=year, scooters=said, noise=other)
    with connect_to(make_services(tmp_path / "home", model), Principal()) as engine:
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        engine.library.ingest([tmp_path / name for name in files], "papers")
        report = report_of(engine, researched(engine, "Where do cats sleep in the cellar?"))
    read = {each["document"] for task in report["tasks"] for each in task["read"]}
    assert read == files.keys()
    assert "attic" in report["answer"] and report["replaced"] == []
