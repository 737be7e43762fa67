"""The neighbourhood of an answer as a graph, on the page of a report and under an answer."""

from streamlit.testing.v1 import AppTest

from tests.support.house import House
from tests.support.pages import open_app, texts_of
from tests.support.played_session import HOSTILE


def graphs(at: AppTest) -> list[str]:
    """What Streamlit draws, in the language of Graphviz."""
    assert not at.exception
    return [each.proto.spec for each in at.get("graphviz_chart")]


def test_that_of_an_answer_is_looked_up_only_when_it_is_opened(house: House) -> None:
    thread = house.answered()["thread_id"]
    at = open_app(house.engine, thread=thread)
    assert not graphs(at)
    at.session_state[f"details-{thread}-1"] = True
    (graph,) = graphs(at.run())
    assert '"LärmG § 2" [style="rounded,filled"]' in graph
    assert "§ 3" in texts_of(at).replace("\u00a0", " ")


def test_no_name_of_a_report_becomes_part_of_the_graphs_language(house: House) -> None:
    kept = house.report()
    hostile = f'LaermG "]; <script> -> {HOSTILE}'
    for each in kept["references"]:
        each |= {"from": "LaermG § 2", "resolved_to": hostile}
    (graph,) = graphs(open_app(house.engine, thread=house.keep(**kept)))
    assert graph.count('" -> "') == 1 and r'"LaermG § 2" -> "LaermG \"]; <script>' in graph
    assert not graphs(open_app(house.engine, thread=house.keep(**kept | {"references": []})))
