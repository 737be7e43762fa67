"""Small parts of the app: foreign text in Markdown and terminals, numbers, uploads."""

import io
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app import formats
from app.cli.common import Result, print_result
from app.formats import plain
from app.uploads import discard, relative_path, store
from services.domain.errors import InvalidInput, TryAgain
from tests.support.played_session import HOSTILE


def test_pages_show_no_icon_or_formula_of_a_text() -> None:
    bare = re.sub(r"\\.", "", plain(HOSTILE + " :red[x] :material/home: $a$"))
    assert not re.search(r"[\[\]<>#$*_`]|:\w", bare)
    assert ":material/home:" not in plain(":material/home:").replace("\\", "")


def test_long_text_is_cut_before_it_is_escaped() -> None:
    assert plain("[a] " * 30, limit=10).replace("\\", "") == "[a] [a] […"


@pytest.mark.parametrize(
    ("value", "digits", "german", "english"),
    [(1234.5, 1, "1.234,5", "1,234.5"), (0.456, 2, "0,46", "0.46"), (7, 0, "7", "7")],
)
def test_numbers(value: float, digits: int, german: str, english: str) -> None:
    assert formats.number(value, "de", digits) == german
    assert formats.number(value, "en", digits) == english


def test_no_line_ends_before_the_number_of_a_section_or_page() -> None:
    assert formats.plain("LärmG § 3, S. 12 und so") == "LärmG §\u00a03, S.\u00a012 und so"
    assert formats.unbroken("as of p. 4, USS. 5") == "as of p.\u00a04, USS. 5"


def test_days_are_written_as_the_language_does() -> None:
    assert formats.dates("2017-06-27 bis 2026-11-21", "de") == "27.06.2017 bis 21.11.2026"
    assert formats.dates("2017-06-27", "en") == "2017-06-27"


def test_durations_and_times() -> None:
    assert [formats.duration(s, "de") for s in (0.44, 12.3, 490)] == [
        "0,4\u00a0s",
        "12\u00a0s",
        "8:10\u00a0min",
    ]
    stamp = "2026-11-21T22:30:00+00:00"
    assert formats.timestamp(stamp, "de", "Europe/Berlin") == "21.11.2026 23:30"
    assert formats.timestamp(stamp, "en", "no/zone") == "2026-11-21 22:30"
    assert formats.age_s(stamp, datetime(2026, 11, 21, 22, 31, tzinfo=UTC)) == 60.0


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("a.pdf", "a.pdf"),
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("C:\\x\\b.txt", "C:/x/b.txt"),
        ("Nord/./Vertrag.md", "Nord/Vertrag.md"),
        ("..", "upload"),
        ("", "upload"),
        ("a\x00.md", "a.md"),
    ],
)
def test_names_of_uploads_stay_in_their_folder(given_name: str, kept: str) -> None:
    assert relative_path(given_name) == Path(kept)


class Upload(io.BytesIO):
    """What is sent, which was read before and fits no memory."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.seek(0, io.SEEK_END)

    def read(self, size: int | None = -1) -> bytes:
        assert size and size > 0
        return super().read(size)


def test_uploads_are_kept_until_discarded(tmp_path: Path) -> None:
    paths = store(tmp_path, [("a.txt", Upload(b"one")), ("a.txt", Upload(b"two"))], ())
    assert [path.read_bytes() for path in paths] == [b"one", b"two"]
    assert all(path.is_relative_to(tmp_path / "uploads") for path in paths)
    discard(tmp_path, [tmp_path / "uploads" / ".." / "kept.txt", tmp_path, tmp_path / "uploads"])
    assert all(path.exists() for path in paths)
    discard(tmp_path, paths[:1])
    assert not any(path.exists() for path in paths)


def test_an_old_upload_stays_while_a_job_awaits_it(tmp_path: Path) -> None:
    waits, left = (store(tmp_path, [(name, Upload(b"old"))], ())[0] for name in ("a.txt", "b.txt"))
    for path in (waits, left):
        os.utime(path.parents[1], (0, 0))
    store(tmp_path, [("c.txt", Upload(b"new"))], {str(waits)})
    assert waits.exists() and not left.exists()


def test_an_upload_that_is_discarded_meanwhile_is_in_nobodys_way(tmp_path: Path) -> None:
    root = tmp_path / "uploads"
    root.mkdir()
    (root / "just-discarded").symlink_to(root / "nothing")  # listed, and no more there
    (path,) = store(tmp_path, [("a.txt", Upload(b"one"))], ())
    assert path.read_bytes() == b"one"


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "uploads").write_text("in the way")
    with pytest.raises(TryAgain, match=str(tmp_path)):
        store(tmp_path, [("a.txt", Upload(b"one"))], ())


def test_a_name_that_no_disk_takes_is_named(tmp_path: Path) -> None:
    name = f"{'ä' * 130}.pdf"
    with pytest.raises(InvalidInput, match=name):
        store(tmp_path, [("a.txt", Upload(b"one")), (name, Upload(b"two"))], ())
    assert not list((tmp_path / "uploads").iterdir()), "nobody would clear up what came before"


@pytest.mark.parametrize("said", ["a\x1b[31mb", "a\x9b31mb", "a\u202eb", "a\x07b", "a\rb"])
@pytest.mark.parametrize("json_", [False, True])
def test_nothing_that_is_printed_steers_a_terminal(
    said: str, json_: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    value = {"name": f"{said}\nß"}
    print_result(Result(value, value["name"]), json_)
    shown = capsys.readouterr().out
    assert all(each.isprintable() or each == "\n" for each in shown)
    assert "ß" in shown
    if json_:
        assert json.loads(shown) == value


def test_who_looks_for_the_first_document_is_told_what_is_in_the_way() -> None:
    def look() -> None:
        from types import SimpleNamespace

        import streamlit as st

        from app.components import start
        from app.session import ENGINE
        from services.domain.errors import TryAgain

        def collections() -> None:
            raise TryAgain("The catalog is busy.")

        st.session_state["language"] = "en"
        st.session_state[ENGINE] = SimpleNamespace(library=SimpleNamespace(collections=collections))
        st.fragment(start._watch_library)()

    at = AppTest.from_function(look).run()
    assert [each.value for each in at.error] == ["The catalog is busy."] and not at.exception


def test_a_button_is_heard_though_a_fragment_sees_a_change_meanwhile() -> None:
    def page() -> None:
        import streamlit as st

        from app.components.widgets import redraw

        st.fragment(redraw, run_every=60)()
        if st.button("go"):
            st.session_state["heard"] = True

    at = AppTest.from_function(page).run()
    at.button[0].click().run()
    assert at.session_state["heard"]


def test_a_poll_that_began_before_a_click_keeps_the_address_of_the_click() -> None:
    def page() -> None:
        import streamlit as st
        from streamlit.runtime.scriptrunner import get_script_run_ctx

        from app import session
        from app.components.widgets import redraw

        session.keep_address()
        if st.query_params.get("cite") == "2":  # drawn anew
            return
        session.set_address(cite="2")
        st.query_params.from_dict({"cite": "1"})  # as the browser had it when the poll began
        context = get_script_run_ctx()
        assert context is not None
        context.fragment_ids_this_run = ["a poll"]
        redraw()

    at = AppTest.from_function(page)
    at.query_params["cite"] = "1"
    assert at.run(timeout=30).query_params["cite"] == "2" and not at.exception
