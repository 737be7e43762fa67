"""The neighbourhood of an answer as a picture, on the page of a report and under an answer."""

import base64
import re

from streamlit.testing.v1 import AppTest

from tests.support.house import House
from tests.support.pages import open_app, texts_of
from tests.support.played_session import HOSTILE


def pictures(at: AppTest) -> list[str]:
    assert not at.exception
    return [each.proto.body for each in at.get("html") if 'role="img"' in each.proto.body]


def test_that_of_an_answer_is_looked_up_only_when_it_is_opened(house: House) -> None:
    thread = house.answered()["thread_id"]
    at = open_app(house.engine, page="ask", thread=thread)
    assert not pictures(at)
    at.session_state[f"around-{thread}-1"] = True
    (picture,) = pictures(at.run())
    assert "LärmG § 2" in picture and "§ 3" in texts_of(at).replace("\u00a0", " ")


def test_nothing_foreign_in_that_of_a_report_becomes_markup(house: House) -> None:
    kept = house.report()
    for each in kept["references"]:
        each |= {"from": "LaermG § 2", "resolved_to": "LaermG § 3"}
    (body,) = pictures(open_app(house.engine, thread=house.keep(**kept)))
    encoded = re.search(r"base64,([\w+/=]+)\)", body)
    assert encoded and base64.b64decode(encoded[1]).startswith(b"<svg ") and "LaermG § 3" in body
    for each in kept["references"]:
        each["resolved_to"] = f"LaermG {HOSTILE}"
    (body,) = pictures(open_app(house.engine, thread=house.keep(**kept)))
    assert "<img" not in body and "<script" not in body and body.count("<") == 4
    assert not pictures(open_app(house.engine, thread=house.keep(**kept | {"references": []})))
