"""Rich text (RTF): what a page shows is sorted out here, and turned into text by striprtf."""

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from striprtf.striprtf import (
    FONTTABLE,
    PATTERN,
    charset_map,
    destinations,
    font_table_group,
    rtf_to_text,
    specialchars,
)

from services.ingestion.parsers.extraction import Extraction, clean, plain_title, to_superscript
from services.ingestion.parsers.file_metadata import file_metadata
from services.ingestion.parsers.symbols import UNKNOWN, is_symbol_font, symbol
from services.ingestion.parsers.tables import grid_of
from services.ingestion.parsers.text_body import TextBody, table_text

_CELL, _ROW, _BREAK, _ASIDE, _HEADING = "\ue001", "\ue002", "\ue003", "\ue004", 0xE010
"""Signs for the end of a cell, a row, a line, a line of a note or box, a heading by its level."""
_ASIDES: Final = ("footnote", "shptxt", "dptxbxtext")
_NUMBERS: Final = ("listtext", "pntext")
"""The automatic number of a paragraph; striprtf leaves the latter out although readers show it."""
_FONTS: Final = "fonttbl"
_GROUP: Final = re.compile(r"[{}\\]")
_FONT_FORMAT: Final = re.compile(r"\{[^}]*\}|\\\w+ ?")
_MARK: Final = re.compile(r"\[\d+\]")
_INFO: Final = r"\{{\\{} ((?:[^{{}}\\]|\\'[0-9a-f]{{2}}|\\u-?\d+ ?\??)*+)\}}"


def parse_rtf(path: Path) -> Extraction:
    source = path.read_bytes().decode("latin-1")
    body = TextBody()
    filtered = "".join(_Filter(source, body.losses).tokens())
    text = rtf_to_text(filtered, errors="replace").encode("utf-16", "surrogatepass")
    lines = text.decode("utf-16", "replace").split("\n")
    rows: list[str] = []
    asides: list[str] = []
    for line in [*lines, ""]:
        if _ROW in line:
            rows.append(line)
        elif rows and _ASIDE in line:
            asides.append(line)
        else:
            body.add_block(_table(rows))
            for paragraph in (*asides, line):
                _add_paragraph(body, paragraph)
            rows, asides = [], []
    extraction = body.extraction()
    title, author = (_stated(source, name) for name in ("title", "author"))
    return replace(
        extraction,
        title=extraction.title or plain_title(title) or None,
        metadata=file_metadata(author=author),
    )


def _stated(source: str, name: str) -> str:
    match = re.search(_INFO.format(name), source, re.IGNORECASE)
    code_page = re.search(r"\\ansicpg\d+", source)
    head = code_page[0] if code_page else ""
    return rtf_to_text(f"{{\\rtf1{head} {match[1]}}}", errors="replace") if match else ""


def _add_paragraph(body: TextBody, line: str) -> None:
    level = next((ord(c) - _HEADING for c in line if 0 < ord(c) - _HEADING < 10), None)
    text = "".join(c for c in line if not 0 < ord(c) - _HEADING < 10).replace(_CELL, " ")
    text = clean(text.replace(_ASIDE, "").replace(_BREAK, "\n")).strip()
    marks = _MARK.findall(text) if level else ()
    body.add_paragraph(text, level=level, bold=False, marks=marks)


def _table(lines: list[str]) -> str:
    rows = [clean(line.replace(_BREAK, " ")).split(_CELL)[:-1] for line in lines]
    return table_text(grid_of(rows), marks=_MARK.findall("".join(lines)))


@dataclass
class _Group:
    unread: bool = False
    font: str = ""
    hidden: bool = False
    struck: bool = False
    deleted: bool = False
    raised: bool = False
    aside: bool = False
    lists_fonts: bool = False
    is_number: bool = False
    has_no_asides: bool = False
    """Whether it is the header or footer of a page, or the second copy of a drawing."""


@dataclass
class _Paragraph:
    """The state of a paragraph, which ``\\pard`` resets."""

    in_table: bool = False
    level: int | None = None


@dataclass
class _Aside:
    """A note or text box, which follows its ``outer`` paragraph."""

    outer: _Paragraph
    tokens: list[str]


class _Filter:
    """Yields what readers show of a file, as RTF again; ``losses`` counts what it leaves out."""

    def __init__(self, source: str, losses: Counter[str]) -> None:
        self._source = source
        self._losses = losses
        table = FONTTABLE.findall(font_table_group(source))
        self._fonts = {number: _FONT_FORMAT.sub("", name).strip() for number, _, name in table}
        self._state = _Group()
        self._stack: list[_Group] = []
        self._paragraph = _Paragraph()
        self._open: list[_Aside] = []
        self._asides: list[_Aside] = []
        self._notes = 0
        self._lost = ""
        self._begins = False
        """Whether the next word says what a group is for."""

    def tokens(self) -> Iterator[str]:
        position = 0
        while match := PATTERN.search(self._source, position):
            position = match.end()
            word, argument = match[1], match[2]
            if word == "bin" and argument:
                position += max(int(argument), 0)
                continue
            if self._state.unread and not match[5] and not word and match[4] != "*":
                if nearest := _GROUP.search(self._source, position):
                    position = nearest.start()
                continue
            begins, self._begins = self._begins, match[5] == "{" or match[4] == "*"
            for token in self._visible_tokens(match, begins):
                if self._open:
                    self._open[-1].tokens.append(token)
                else:
                    yield token
        yield from self._pending()

    def _visible_tokens(self, match: re.Match[str], begins: bool) -> Iterator[str]:
        word, argument, code, escaped, brace, character = match.groups()
        if brace:
            yield from self._brace(brace)
        elif word:
            if begins or word not in destinations:
                yield from self._word(word, argument, f"\\{word}{argument or ''} ")
        elif escaped == "*":
            self._state.unread |= begins
        elif escaped and escaped in "\r\n" and not self._state.unread:
            yield from self._special("par", None, "\\par ")
        elif not self._state.unread and not self._is_lost():
            if code or character:
                text = self._character(int(code, 16) if code else ord(character))
                yield match[0] if code and text.isascii() else text
            elif escaped or not match[0].strip("\r\n"):
                yield match[0]

    def _brace(self, brace: str) -> Iterator[str]:
        if brace == "{":
            self._stack.append(self._state)
            self._state = replace(self._state, aside=False)
        else:
            if self._state.aside:
                self._paragraph = self._open.pop().outer
            self._state = self._stack.pop() if self._stack else _Group()
        yield brace

    def _word(self, word: str, argument: str | None, token: str) -> Iterator[str]:
        state = self._state
        if word in _ASIDES and not state.has_no_asides:
            yield from self._begin_aside(word)
        elif word in destinations and word not in (*_NUMBERS, _FONTS):
            state.unread = True
            state.has_no_asides |= word.startswith(("header", "footer", "shprslt"))
            self._losses["comments"] += word == "annotation"
            self._losses["objects"] += word == "objdata"
        elif state.unread:
            return
        elif word in ("v", "strike", "striked", "deleted"):
            name = {"v": "hidden", "deleted": "deleted"}.get(word, "struck")
            setattr(state, name, argument != "0")
        elif word == "fcharset" and not _has_codec(argument):
            yield "\\fcharset0"
        elif word in specialchars or word == "u":
            yield from self._special(word, argument, token)
        elif word in _NUMBERS:
            state.is_number = True
        elif word != "uc" or argument:
            self._format(word, argument)
            yield token

    def _format(self, word: str, argument: str | None) -> None:
        if word == _FONTS:
            self._state.lists_fonts = True
        elif word == "f" and not self._state.lists_fonts:
            self._state.font = self._fonts.get(argument or "", "")
        elif word == "plain":
            self._state.hidden = self._state.struck = self._state.deleted = False
            self._state.raised = False
        elif word in ("super", "up", "nosupersub"):
            self._state.raised = word != "nosupersub" and argument != "0"
        elif word == "pard":
            self._paragraph = _Paragraph()
        elif word == "intbl":
            self._paragraph.in_table = True
        elif word == "outlinelevel" and (argument or "").isdecimal():
            level = int(argument or "9") + 1
            self._paragraph.level = level if level < 10 else None

    def _special(self, word: str, argument: str | None, token: str) -> Iterator[str]:
        if word == "par" and self._paragraph.in_table:
            yield "{ }"
        elif word in ("par", "row"):
            level = self._paragraph.level
            sign = _ROW if word == "row" else chr(_HEADING + level) if level else ""
            yield f"{{{_ASIDE if self._open else sign}}}{token}"
            if not self._open:
                yield from self._pending()
        elif word == "cell":
            yield f"{{{_CELL}}}"
        elif word == "nestcell":
            yield "{ | }"
        elif word == "tab" and self._state.is_number:
            yield "{ }"
        elif word == "line":
            yield f"{{{_BREAK}}}"
        elif word in ("sect", "page") or not self._is_lost():
            code = int(argument or 0) % 0x10000
            if word == "u" and is_symbol_font(self._state.font):
                code = ord(symbol(self._state.font, code))
            elif word == "u" and self._state.raised:
                code = ord(to_superscript(chr(code)))
            yield f"\\u{code} " if word == "u" and argument else token

    def _character(self, code: int) -> str:
        if is_symbol_font(self._state.font) and code > 0x20:
            glyph = symbol(self._state.font, code)
            self._losses["symbols"] += glyph == UNKNOWN
            return glyph
        text = f"\\'{code:02x}" if code > 0x7E else chr(code)
        return to_superscript(text) if self._state.raised and len(text) == 1 else text

    def _is_lost(self) -> bool:
        """Return whether the text is hidden, struck out or deleted, and count where it begins."""
        state = self._state
        reason = "hidden" if state.hidden else "struck" if state.struck else ""
        reason = "deleted" if state.deleted else reason
        if reason != self._lost:
            self._losses[reason] += 1
        self._lost = reason
        return bool(reason)

    def _begin_aside(self, word: str) -> Iterator[str]:
        mark = ""
        if word == "footnote":
            self._notes += 1
            mark = f"[{self._notes}]"
            yield f"{{{mark}}}"
        self._state.unread, self._state.aside = False, True
        aside = _Aside(self._paragraph, [f"{{{mark} "])
        self._paragraph = _Paragraph()
        self._asides.append(aside)
        self._open.append(aside)

    def _pending(self) -> Iterator[str]:
        asides, self._asides = self._asides, []
        for aside in asides:
            yield f"{''.join(aside.tokens)}}}{{{_ASIDE}}}\\par "


def _has_codec(charset: str | None) -> bool:
    try:
        codecs.lookup(charset_map.get(int(charset or 0), "cp1252"))
    except LookupError:
        return False
    return True
