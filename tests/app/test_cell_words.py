"""The yes, no and dates of a cell in the language of the interface, whatever its document's."""

import pytest
import streamlit as st

from app.components.grid_table import shown_value
from app.session import LANGUAGE
from services.domain.grids import Cell, Form


@pytest.mark.parametrize(
    ("value", "form", "de", "en"),
    [
        ("ja", "yesno", "ja", "yes"),
        ("No", "yesno", "nein", "no"),
        ("yes, from 2027", "yesno", "ja, from 2027", "yes, from 2027"),
        ("vielleicht", "yesno", "vielleicht", "vielleicht"),
        ("ja", "text", "ja", "ja"),
        ("", "yesno", "", ""),
        ("2027-03-01", "date", "01.03.2027", "2027-03-01"),
        ("1. März 2027", "date", "1. März 2027", "1. März 2027"),
        ("2027-03-01", "text", "2027-03-01", "2027-03-01"),
    ],
)
def test_yes_no_and_dates(
    value: str, form: Form, de: str, en: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Cell(row="a", column=1, value=value)
    for language, text in (("de", de), ("en", en)):
        monkeypatch.setitem(st.session_state, LANGUAGE, language)
        assert shown_value(cell, form) == text
