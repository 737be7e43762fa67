"""The sets are sound: their words stand in their documents, and a model that knows scores 1.00."""

from pathlib import Path

import pytest

from services.build import Services
from services.settings import Settings
from tests.benchmarks.common import Row
from tests.benchmarks.grids.gold import plain, states, units
from tests.benchmarks.grids.oracle import Oracle
from tests.benchmarks.grids.run import read_unit
from tests.benchmarks.grids.score import Figures, compare, decisive, is_right, score
from tests.benchmarks.reading.run import settings_for
from tests.support.desk import make_services
from tests.support.openai_server import OpenAIServer

UNITS = [("grid", "geraete"), ("sweep", "c1"), ("sweep", "c5"), ("contradictions", "1")]


def services_in(settings: Settings) -> Services:
    return make_services(settings.home, settings=settings)


def read(set_: str, name: str, home: Path, *, knows: bool) -> Row:
    (unit,) = units(set_, [name])
    with OpenAIServer(Oracle([set_], knows=knows).reply) as server:
        settings = settings_for(home, server.base_url, 20, model="any", summaries=False)
        return read_unit(set_, unit, settings, services_in)


def figures(set_: str, name: str, result: Row) -> Figures:
    (unit,) = units(set_, [name])
    all_ = Figures()
    score(set_, unit, result, all_, all_)
    return all_


@pytest.mark.parametrize(("set_", "name"), UNITS)
def test_a_model_that_answers_from_the_gold_scores_all(
    set_: str, name: str, tmp_path: Path
) -> None:
    result = read(set_, name, tmp_path, knows=True)
    outcomes = figures(set_, name, result).outcomes
    shares = {name: all(values) for name, values in outcomes.items() if "to check" not in name}
    assert all(shares.values()), figures(set_, name, result).misses
    same = Figures()
    compare(set_, result, result, same)
    assert all(all(values) for values in same.outcomes.values())


def test_a_model_that_answers_nothing_is_right_where_nothing_is_said(tmp_path: Path) -> None:
    outcomes = figures("grid", "geraete", read("grid", "geraete", tmp_path, knows=False)).outcomes
    assert all(outcomes["absent right"])
    assert not any(outcomes["value right"])


def test_what_decides_a_cell_stands_in_a_document_of_its_matter() -> None:
    for unit in units("grid"):
        texts = [path.read_text(encoding="utf-8") for path in unit.documents.iterdir()]
        for row in unit.rows:
            assert (unit.documents / row["document"]).exists()
            for cell in filter(None, row["cells"]):
                for words in decisive(cell):
                    assert any(states(text, [words]) for text in texts), words


def test_the_words_of_a_section_stand_in_it() -> None:
    for unit in units("sweep"):
        for gold in unit.rows[0]["sections"]:
            text = (unit.documents / gold["document"]).read_text(encoding="utf-8")
            heading, _, rest = text.partition(f"## {gold['section']}")[2].partition("\n")
            assert heading, gold
            assert states(rest.partition("##")[0], gold["words"]), gold


@pytest.mark.parametrize(
    ("values", "right"),
    [
        (["drei Monate"], True),
        (["3 Monate"], True),
        (["three months"], True),
        (["sechs Monate"], False),
        (["drei Monate", "zwei Wochen"], True),
        (["drei Monate", "sechs Monate"], False),
        (["zwei Wochen"], False),
        ([], False),
    ],
)
def test_a_cell_is_right_if_a_value_is_and_none_is_wrong(values: list[str], right: bool) -> None:
    gold = {"values": ["drei Monate"], "also": ["zwei Wochen"], "decide": []}
    assert is_right([{"value": v} for v in values], gold, "number", "de") is right


def test_of_a_list_every_item_is_there_and_no_other() -> None:
    gold = {"items": [{"values": ["Kittel"]}, {"values": ["Handschuhe"]}]}
    kittel, gloves, hat = ({"value": v} for v in ("Kittel", "zwei Paar Handschuhe", "Helm"))
    assert is_right([kittel, gloves], gold, "list", "de")
    assert not is_right([kittel], gold, "list", "de")
    assert not is_right([kittel, gloves, hat], gold, "list", "de")


def test_dashes_case_and_white_space_do_not_count() -> None:
    assert plain("4–20\n mA") == "4-20 ma"
