"""The yes and no of a cell in the language of the interface, whatever its document's."""

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
    ],
)
def test_yes_and_no(
    value: str, form: Form, de: str, en: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Cell(row="a", column=1, value=value)
    for language, text in (("de", de), ("en", en)):
        monkeypatch.setitem(st.session_state, LANGUAGE, language)
        assert shown_value(cell, form) == text
