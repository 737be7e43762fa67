"""Whatever a document or a model says, who renders Markdown shows it and loads nothing."""

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.api.openai import ChatReply, _Draft
from app.api.values import Started
from services.domain.markdown import WORD_JOINER, plain_json, plain_markdown
from tests.support.exported import Page

ATTACKS = st.sampled_from(
    [
        "![pixel](http://evil.com/p.png)", "[a](http://evil.com)", "<http://evil.com>", "[x][y]",
        "http://evil.com/x", "https://", "//evil.com", "//localhost/x", "HTTPS://EVIL.COM", "http:",
        "www.evil.com", "www.de", "www", "evil.de", ".de", "a@evil.de", "mailto:1@x", "xmpp:a@b.c",
        "<img src=x onerror=alert(1)>", "<!-- c", "-->", "<a href='//e.com'>", "javascript:x(1)",
        "[x]: http://evil.com", "[1]: http://evil.com", "[1](http://evil.com)", "[1]", "&lt;",
        "&#60;", "`", "``", "*", "_", "#", "##", "- ", "1. ", "+ ", "=", "---", "> ", "|", "!",
        "| a |\n|---|", "\n", "\n\n", "    ", "\t", "\\", "$x$", ":red[x]", ":smile:",
        "12:30:45", "§ 3 Abs. 1", "/",
    ]
)  # fmt: skip
TEXTS = st.lists(ATTACKS | st.text(max_size=6), max_size=8).map("".join)
OURS = {"p", "br", "h2", "blockquote", "ul", "ol", "li", "code"}
FOREIGN = re.compile(r"(?i)\b(https?|ftp):?//|\bwww\.|\w@\w")
"""What readers look for in text that has been rendered."""
BARE = re.compile(r"(?<!\\)\.[^\W\d_]")
"""Where a name such as ``evil.com`` could be found in Markdown."""


def rendered(markdown: str, *, linkify: bool = False) -> Page:
    reader = MarkdownIt("commonmark", {"html": True, "linkify": linkify})
    reader.enable(["table", "strikethrough", *(["linkify"] if linkify else [])])
    return Page(reader.render(markdown).encode(errors="replace"))


def shown(text: str) -> str:
    """Letters as they are seen, whatever the blanks between them."""
    text = text.encode(errors="replace").decode().replace("\x00", "\ufffd")
    return " ".join(text.replace(WORD_JOINER, "").split())


@pytest.mark.parametrize("linkify", [False, True])
@given(text=TEXTS)
def test_a_text_is_shown_letter_by_letter_and_leads_nowhere(linkify: bool, text: str) -> None:
    if linkify:
        pytest.importorskip("linkify_it")
    one = " ".join(text.split())
    for markdown in (plain_markdown(text), *(f"{m}{plain_markdown(one)}" for m in ("> ", "## "))):
        page = rendered(markdown, linkify=linkify)
        assert set(page.tags) <= OURS
        assert shown(page.text) == shown(text)
        assert not FOREIGN.search(page.text)
        assert not BARE.search(markdown)


@given(TEXTS)
def test_a_draft_is_told_word_by_word_as_if_all_at_once(text: str) -> None:
    draft, told = _Draft(), ""
    for end in range(len(text) + 1):
        told += draft.update(text[:end])
    assert told + draft.last_word() == plain_markdown(text)


def test_another_draft_begins_on_a_line_of_its_own() -> None:
    draft = _Draft()
    assert [draft.update("one two"), draft.update("three f"), draft.last_word()] == [
        "one ", "two\nthree ", "f"
    ]  # fmt: skip


def said(text: str, *, pending: bool = False) -> ChatReply:
    """An answer in which all that comes from outside is the same text."""
    one = " ".join(text.split())
    cited = {"number": 1, "place": text, "quote": text, "start": 0, "end": 9, "document_id": "d"}
    turn: dict[str, Any] = {
        "pending": {"questions": [text]} if pending else None,
        "answer": f"{one}\n\n## {one}\n\n> {one} [1]\n\n- {one} ({one}) [1][2]",
        "citations": [cited],
        "coverage": {"whole": False, "statement": text, "warning": text},
        "warnings": [text],
        "usage": {},
    }
    return ChatReply(turn, Started(thread_id="t", after=0, turn=1), "http://here", in_app=True)


@given(TEXTS)
@example("[1]: http://evil.com")
def test_an_answer_for_clients_of_openai_loads_nothing(text: str) -> None:
    for pending in (False, True):
        answer = said(text, pending=pending)
        page = rendered(answer.content)
        assert set(page.tags) <= OURS
        assert not FOREIGN.search(page.text)
        if one := shown(text).lstrip("#->0123456789.)+ "):  # what begins a line may be its mark
            assert shown(page.text).count(one) >= (1 if pending else 9)
        places = [each["url_citation"] for each in answer.annotations]
        assert {answer.content[at["start_index"] : at["end_index"]] for at in places} <= {"[1]"}
        assert pending or len(places) >= 2


@given(TEXTS)
def test_json_says_the_same_and_loads_nothing(text: str) -> None:
    value = {"quote": text, "more_of it": [[text], {"a": text}]}
    for indent in (None, 2):
        safe = plain_json(json.dumps(value, indent=indent, ensure_ascii=False))
        assert json.loads(safe) == value
        page = rendered(safe)
        assert not {"a", "img", "script", "iframe"} & set(page.tags)
        assert not re.search(r"(?i)https?://|www\.", page.text)
