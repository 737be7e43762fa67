"""Grids and sweeps: every cell proven, nothing read twice, and what was read is counted."""

import asyncio
import json
import re
from collections import Counter
from contextlib import closing
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from pydantic import JsonValue

from agent.engine.grids import columns_of
from agent.grid.sweep import find_contradictions
from agent.prompts.grids import Pair, StatementsInput
from agent.step import Step
from services.domain.errors import InvalidInput
from services.domain.grids import GridTable
from services.models.base import ChatRequest
from tests.support.desk import until_ended
from tests.support.grid_house import CONTRACTS, House, long_text
from tests.support.grid_model import DEPOSIT, NOTICE, filled_in, looked_through, prompt_of


def cells(table: GridTable) -> dict[tuple[str, int], str]:
    names = {row.id: row.name for row in table.rows}
    return {(names[c.row], c.column): f"{c.state}: {c.value}" for c in table.cells}


def test_every_cell_has_its_value_or_says_that_nothing_does(house: House) -> None:
    assert cells(house.read(house.grid())) == {
        ("nord.md", 1): "verified: drei Monate",
        ("nord.md", 2): "absent: ",
        ("sued.md", 1): "verified: drei Monate",
        ("sued.md", 2): "verified: 2.400 Euro",
        ("west.md", 1): "verified: 30 Tage",
        ("west.md", 2): "absent: ",
    }


def test_a_cell_opens_its_proof(house: House) -> None:
    table = house.read(house.grid())
    (finding,) = house.reading(table, 1, 2).findings
    (citation,) = finding.citations
    assert CONTRACTS["sued.md"].count(citation.quote) == 1
    assert citation.quote == "Die Kaution beträgt 2.400 Euro."
    assert (citation.document, citation.section) == ("sued.md", "§ 2")
    assert (finding.normal, finding.amount) == ("2400 EUR", 2400.0)


def test_a_proof_is_the_whole_sentence_however_much_a_model_quotes(house: House) -> None:
    def short(request: ChatRequest) -> str:
        whole = '"quote": "Die Kaution beträgt 2.400 Euro."'
        return filled_in(request).replace(whole, '"quote": "beträgt 2.400 Euro"')

    house.play(fill_in=short)
    table = house.read(house.grid())
    (citation,) = house.reading(table, 1, 2).findings[0].citations
    assert citation.quote == "Die Kaution beträgt 2.400 Euro."


def test_what_differs_from_most_rows_is_marked(house: House) -> None:
    table = house.read(house.grid())
    marked = {(cell.row, cell.column) for cell in table.cells if cell.differs}
    assert marked == {(table.rows[2].id, 1)}


def test_nothing_is_read_twice(house: House) -> None:
    thread = house.grid()
    house.read(thread)
    calls = house.asked("fill_in")
    house.read(thread)
    house.read(house.grid())
    assert house.asked("fill_in") == calls == 3


def test_files_of_the_same_text_are_each_proven_by_themselves(house: House) -> None:
    house.write("abschrift.md", CONTRACTS["nord.md"].replace("\n", "\r\n"))
    house.ingest()
    table = house.read(house.grid())
    texts = Counter(row.text_id for row in table.rows)
    assert sorted(texts.values()) == [1, 1, 2]
    for n, row in enumerate(table.rows):
        citation = house.reading(table, n, 1).findings[0].citations[0]
        assert citation.document_id == row.document_id


def test_a_cell_that_is_read_again_leaves_other_grids_alone(house: House) -> None:
    other, thread = house.read(house.grid()), house.read(house.grid()).thread_id
    (row, *_) = other.rows
    house.play(fill_in=lambda r: filled_in(r).replace("drei Monate", "drei Wochen"))
    house.engine.grids.read_again(thread, row.id, 1)
    until_ended(house.engine, thread)
    assert house.engine.grids.table(other.thread_id).cells == other.cells
    again = house.engine.grids.cell(thread, row.id, 1)
    assert again.state and again.value != other.cells[0].value
    assert house.read(thread).cells[0].value == again.value, "not what was read before"


def test_a_new_version_of_a_document_is_read_anew(house: House) -> None:
    thread = house.grid()
    house.read(thread)
    house.write("west.md", CONTRACTS["west.md"].replace("30 Tage", "60 Tage"))
    house.ingest()
    assert cells(house.read(thread))["west.md", 1] == "verified: 60 Tage"
    assert house.asked("fill_in") == 4


def test_what_amends_a_document_is_read_with_it(house: House) -> None:
    thread = house.grid()
    house.read(thread)
    house.write(
        "nachtrag.md",
        "# Nachtrag zum Mietvertrag West\n\nDer Mietvertrag West (west.md) wird wie folgt geändert:"
        "\n\n## 1. Kaution\n\nDie Kaution beträgt 900 Euro.\n",
    )
    house.ingest()
    assert cells(house.read(thread))["west.md", 2] == "verified: 900 Euro"


def test_what_replaces_a_section_is_read_with_its_document(house: House) -> None:
    house.write("pflege.txt", "Vertrag über Softwarepflege\n\n§ 1 Dauer\n\n(1) Sie ist offen.\n")
    house.write(
        "neu.txt",
        "Änderungen vom 1. Mai 2025\n\n1. Dauer\n\n§ 1 Absatz 1 des Vertrages über Softwarepflege "
        'wird wie folgt neu gefasst: "Die Dauer beträgt ein Jahr."\n\n'
        "2. Kaution\n\nDie Kaution beträgt 900 Euro.\n",
    )
    house.ingest()
    assert cells(house.read(house.grid()))["pflege.txt", 2] == "verified: 900 Euro"


def test_a_column_that_is_edited_is_read_alone(house: House) -> None:
    thread = house.grid()
    house.read(thread)
    house.play()
    columns = columns_of([(NOTICE, "number"), (DEPOSIT, "text")])
    house.engine.grids.change(thread, columns=columns)
    house.read(thread)
    prompts = [prompt_of(r) for r in house.model.requests if r.task == "fill_in"]
    assert len(prompts) == 3
    assert not any(NOTICE in prompt for prompt in prompts)


def test_a_value_that_its_claim_does_not_state_is_to_be_checked(house: House) -> None:
    def wrong(request: ChatRequest) -> str:
        return filled_in(request).replace('"value": "2.400 Euro"', '"value": "4.200 Euro"')

    house.play(fill_in=wrong)
    assert cells(house.read(house.grid()))["sued.md", 2] == "to_check: 4.200 Euro"


def test_a_value_without_a_quote_is_no_value(house: House) -> None:
    def invented(request: ChatRequest) -> str:
        return filled_in(request).replace('"quote": "Die Kaution', '"quote": "Die ganze Kaution')

    house.play(fill_in=invented)
    table = house.read(house.grid())
    assert cells(table)["sued.md", 2] == "to_check: "
    reading = house.reading(table, 1, 2)
    assert (reading.sections_read, reading.sections) == (2, 3)
    assert (
        "nicht in den 2 von 3 gelesenen Abschnitten"
        in house.engine.grids.export(table.thread_id, "csv").decode()
    )


def test_a_value_that_answers_another_question_is_none(house: House) -> None:
    def strict(request: ChatRequest) -> str:
        statements = prompt_of(request).split("Aussagen, jede mit ihren Passagen:")[1]
        numbers = re.findall(r"(?m)^(\d+)\. ", statements)
        doubted = "2.400 Euro" if f"{DEPOSIT} → 2.400 Euro" in statements else ""
        return json.dumps({"readings": [{"number": int(n), "missing": doubted} for n in numbers]})

    house.play(verify=strict)
    assert cells(house.read(house.grid()))["sued.md", 2] == "absent: "


def test_a_failing_model_leaves_the_cell_to_be_read(house: House) -> None:
    house.play(fill_in="no json")
    thread = house.grid()
    assert house.read(thread).cells_read == 0
    house.play()
    assert house.read(thread).cells_read == 6


def test_a_person_accepts_and_corrects(house: House) -> None:
    table = house.read(house.grid())
    thread, row = table.thread_id, table.rows[1].id
    house.engine.grids.review(thread, row, 1)
    house.engine.grids.review(thread, row, 2, "2.450 Euro")
    reviews = [c.review for c in house.read(thread).cells if c.row == row]
    assert [(r.value, r.corrected) for r in reviews if r] == [
        ("drei Monate", False),
        ("2.450 Euro", True),
    ]


def test_what_a_person_said_outlasts_the_model(house: House) -> None:
    table = house.read(house.grid())
    house.engine.grids.review(table.thread_id, table.rows[1].id, 2, "2.450 Euro")
    house.model.name = "another"
    again = house.read(table.thread_id)
    assert house.asked("fill_in") == 6
    assert [cell.review.value for cell in again.cells if cell.review] == ["2.450 Euro"]


def test_an_acceptance_holds_for_the_value_that_was_accepted(house: House) -> None:
    table = house.read(house.grid())
    thread, row = table.thread_id, table.rows[1].id
    house.engine.grids.review(thread, row, 2)
    house.model.name = "another"
    house.play(
        fill_in=lambda r: filled_in(r).replace('"value": "2.400 Euro"', '"value": "Kaution"')
    )
    assert [c.value for c in house.read(thread).cells if c.review] == []
    assert house.engine.grids.cell(thread, row, 2).review is None
    assert "angenommen" not in house.engine.grids.export(thread, "csv").decode()
    house.model.name = "scripted"
    assert [c.value for c in house.read(thread).cells if c.review] == ["2.400 Euro"]


def test_nobody_accepts_a_cell_that_is_not_read(house: House) -> None:
    thread = house.grid()
    house.engine.grids.estimate(thread)
    row = house.engine.grids.table(thread).rows[0].id
    with pytest.raises(InvalidInput, match="not been read"):
        house.engine.grids.review(thread, row, 1)
    house.engine.grids.review(thread, row, 1, "2.450 Euro")
    assert house.engine.grids.cell(thread, row, 1).review


def test_what_a_person_said_outlasts_new_documents(house: House) -> None:
    sweep = house.swept().thread_id
    of_documents = house.read(house.grid())
    of_sweep = house.read(house.grid(rows="sweep", sweep=sweep))
    house.engine.grids.review(of_documents.thread_id, of_documents.rows[2].id, 2, "900 Euro")
    house.engine.grids.review(of_sweep.thread_id, of_sweep.rows[0].id, 2, "950 Euro")
    house.write(
        "nachtrag.md",
        "# Nachtrag zum Mietvertrag West\n\nDer Mietvertrag West (west.md) wird wie folgt geändert:"
        "\n\n## 1. Frist\n\nDie Frist gilt ab Mai.\n",
    )
    house.ingest()
    for table, value in ((of_documents, "900 Euro"), (of_sweep, "950 Euro")):
        cells = house.read(table.thread_id).cells
        assert [c.review.value for c in cells if c.review] == [value]
    columns = columns_of([(NOTICE, "number"), ("Welche Kaution gilt?", "number")])
    house.play(fill_in={"cells": [{"question": 1, "values": []}]})
    house.engine.grids.change(of_sweep.thread_id, columns=columns)
    assert not [c for c in house.read(of_sweep.thread_id).cells if c.review]


def test_a_budget_stays_unless_it_is_changed(house: House) -> None:
    thread = house.grid(max_calls=2)
    house.engine.grids.change(thread, columns=columns_of([(NOTICE, "number")]))
    assert house.engine.grids.options(thread).max_calls == 2
    house.engine.grids.change(thread, max_calls=None)
    assert house.engine.grids.options(thread).max_calls is None


def test_the_budget_stops_a_run_and_the_next_goes_on(house: House) -> None:
    thread = house.grid(max_calls=2)
    table = house.read(thread)
    assert table.cells_read == 2
    assert str(table.stopped) == "The limit of 2 model calls has been reached."
    assert house.read(thread).cells_read == 4


def test_no_row_is_begun_that_takes_more_calls_than_are_left(house: House) -> None:
    house.write("lang.md", long_text("Pflicht des Mieters", 200))
    house.ingest()
    table = house.read(house.grid(max_calls=5))
    assert table.calls <= 5 and table.stopped
    house.model.requests.clear()
    assert house.read(house.grid(max_calls=50)).cells_read == 8
    assert 5 < len(house.model.requests) <= 50


def test_an_estimate_counts_what_is_left(house: House) -> None:
    thread = house.grid()
    before = house.engine.grids.estimate(thread)
    house.read(thread)
    after = house.engine.grids.estimate(thread)
    assert (before.cells_left, before.calls, before.reads) == (6, 6, True)
    assert (after.cells_left, after.calls) == (0, 0)


def test_a_sweep_lists_all_and_counts_what_was_read(house: House) -> None:
    result = house.swept()
    groups = {group.value: len(group.findings) for group in result.groups}
    assert groups == {"drei Monate": 2, "30 Tage": 1}
    assert (result.sections_read, result.sections) == (8, 8)


def test_all_calls_of_a_sweep_know_what_counts(house: House) -> None:
    thread = house.engine.grids.sweep("Welche Fristen gibt es?", collections=["miete"])
    estimate = house.engine.grids.estimate(thread)
    house.read(thread)
    looks = [prompt_of(r) for r in house.model.requests if r.task == "look_through"]
    counts = "Jede Frist mit einer Zahl."
    assert estimate.counts == house.engine.grids.result(thread).counts == counts
    assert looks and all(f"Was zählt: {counts}" in prompt for prompt in looks)
    assert house.asked("what_counts") == 1


def test_a_person_says_what_counts(house: House) -> None:
    counts = "Nur Fristen der Kündigung."
    assert house.swept("Welche Fristen gibt es?", counts=counts).counts == counts
    assert house.asked("what_counts") == 0


def test_a_sweep_that_finds_nothing_says_what_it_read(house: House) -> None:
    def nothing(request: ChatRequest) -> str:
        numbers = re.findall(r"(?m)^\[(\d+)\]", prompt_of(request))
        return json.dumps({"items": [], "nothing_in": list(map(int, numbers))})

    house.play(look_through=nothing)
    result = house.swept("Gibt es Haustiere?")
    assert (result.groups, result.sections_read, result.sections) == ((), 8, 8)


def test_a_sweep_has_not_read_what_the_model_misquotes(house: House) -> None:
    def invented(request: ChatRequest) -> str:
        return looked_through(request).replace('"quote": "Die Künd', '"quote": "Die ganze Künd')

    house.play(look_through=invented)
    result = house.swept()
    assert (result.groups, result.sections_read, result.sections) == ((), 5, 8)
    assert not result.nowhere


def test_no_document_is_read_beside_another_that_could_tell_to_pass_it_over(house: House) -> None:
    house.swept()
    for task in ("look_through", "verify"):
        prompts = [prompt_of(r) for r in house.model.requests if r.task == task]
        shown = [
            sum(f"Mietvertrag {name}" in p for name in ("Nord", "Süd", "West")) for p in prompts
        ]
        assert set(shown) == {1} and len(shown) == 3


def test_a_reply_that_passes_a_section_over_is_asked_for_again(house: House) -> None:
    def hasty(request: ChatRequest) -> str:
        return json.dumps({"items": [], "nothing_in": [1]})

    house.play(look_through=[hasty, looked_through] * 9)
    assert len(house.swept().groups) == 2


def test_contradictions_of_a_column_are_told_apart_from_versions(house: House) -> None:
    pairs: list[JsonValue] = [
        {"first": 1, "second": 3, "relation": "contradiction", "why": "Drei Monate oder 30 Tage."},
        {"first": 1, "second": 2, "relation": "other_case", "why": "Zwei Verträge."},
    ]
    house.play(contradict={"pairs": pairs})
    thread = house.read(house.grid()).thread_id
    (found,) = house.engine.grids.contradictions(thread, 1)
    assert (found.first.value, found.second.value) == ("drei Monate", "30 Tage")


def test_a_reply_that_does_not_fit_is_made_in_halves(house: House) -> None:
    def only_one(request: ChatRequest) -> str:
        one = len(re.findall(r"(?m)^\[(\d+)\]", prompt_of(request))) == 1
        return looked_through(request) if one else '{"items": ['

    def only_one_question(request: ChatRequest) -> str:
        return filled_in(request) if "2. " not in prompt_of(request) else '{"cells": ['

    house.play(look_through=only_one, fill_in=only_one_question)
    result = house.swept()
    assert (len(result.groups), result.sections_read) == (2, 8)
    assert house.read(house.grid()).cells_read == 6


def test_many_statements_are_compared_block_by_block(house: House) -> None:
    (finding,) = house.reading(house.read(house.grid()), 1, 2).findings
    many = [finding.model_copy(update={"claim": f"Aussage {n}."}) for n in range(250)]
    step = SimpleNamespace(seen=[], warnings=[])
    step.warn = step.warnings.append

    async def run(_: object, inp: StatementsInput) -> list[Pair]:
        step.seen.append(inp.statements)
        return [Pair(first=2, second=1, relation="contradiction", why="")]

    step.run = run
    found = asyncio.run(find_contradictions(many, "de", cast(Step, step)))
    met = {frozenset(pair) for shown in step.seen for pair in combinations(shown, 2)}
    assert len(met) == 240 * 239 // 2
    assert len(step.warnings) == 1
    assert {(c.first.claim, c.second.claim) for c in found} == {
        (f"Aussage {n}.", f"Aussage {n + 1}.") for n in range(0, 210, 30)
    }


def test_the_list_of_a_sweep_becomes_rows(house: House) -> None:
    sweep = house.swept().thread_id
    table = house.read(house.grid(rows="sweep", sweep=sweep))
    assert {row.name for row in table.rows} == {"drei Monate", "30 Tage"}
    assert table.cells_read == 4


def test_items_of_a_sweep_with_the_same_value_are_rows_of_their_own(house: House) -> None:
    def by_statement(request: ChatRequest) -> str:
        numbers = re.findall(r"(?m)^(\d+)\. ", prompt_of(request))
        return json.dumps({"groups": [{"value": "30 Tage", "numbers": [int(n)]} for n in numbers]})

    house.play(group=by_statement)
    sweep = house.swept().thread_id
    assert {row.name for row in house.read(house.grid(rows="sweep", sweep=sweep)).rows} == {
        "30 Tage: Die Kündigungsfrist beträgt drei Monate.",
        "30 Tage: Die Kündigungsfrist beträgt 30 Tage.",
    }


def test_without_a_model_the_closest_words_are_shown(tmp_path: Path) -> None:
    house = House(tmp_path / "home", reads="no")
    with closing(house.engine):
        table = house.read(house.grid())
        assert {cell.state for cell in table.cells} <= {"closest", "absent"}
        assert "Die Kündigungsfrist beträgt 30 Tage." in {cell.value for cell in table.cells}
        result = house.swept("Wie lang ist die Kündigungsfrist?")
        assert (result.reads, result.sections_read) == (False, 0)
        assert result.groups
