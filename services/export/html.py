"""HTML: one file that runs no script and asks nothing of the network, to read and to print."""

import html
from collections.abc import Iterable, Sequence

from services.export.blocks import Block, Table
from services.export.document import Document, Passage
from services.export.layout import Line

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_CSS = """
:root { color-scheme: light dark; --paper: #fcfbf8; --ink: #22272a; --line: #d9d5cb;
  --soft: #5c6468; --accent: #1d5c63; }
@media (prefers-color-scheme: dark) { :root { --paper: #1a1c1e; --ink: #e4e2dc; --line: #3c4043;
  --soft: #a5a9aa; --accent: #86c3ca; } }
body { background: var(--paper); color: var(--ink); margin: 0 auto; max-width: 44rem;
  padding: 2.5rem 1.25rem; font: 1.06rem/1.6 Georgia, "Source Serif", serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin: 2rem 0 .6rem; }
a { color: var(--accent); } sup { line-height: 0; }
sup a { padding: 0 .12em; text-decoration: none; }
blockquote { border-left: 3px solid var(--line); margin: 1rem 0; padding-left: 1rem; }
.soft, td, th, li, footer { font-family: system-ui, sans-serif; font-size: .9rem; }
.soft, footer { color: var(--soft); } li { margin: .5rem 0; } q { quotes: "„" "“"; }
:lang(en) q { quotes: "“" "”"; }
figure { margin: 1.5rem 0; overflow-x: auto; } figure svg { max-width: none; }
.unproven { text-decoration: underline dotted 1px; text-underline-offset: .28em; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 1px solid var(--line); padding: .3rem .5rem .3rem 0; text-align: left;
  vertical-align: top; }
:target { outline: 2px solid var(--accent); outline-offset: 3px; }
footer { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: .75rem; }
@media print { :root { --paper: #fff; --ink: #000; --line: #aaa; --soft: #444; --accent: #000; }
  body { max-width: none; padding: 0; font-size: 11pt; } h2 { break-after: avoid; }
  tr, li, blockquote { break-inside: avoid; } }
"""


def to_html(document: Document) -> bytes:
    """The report as a page of its own."""
    return "\n".join([*_head(document), *_body(document), "</body>", "</html>", ""]).encode()


def _text(text: str) -> str:
    return html.escape(text)


def _head(document: Document) -> Iterable[str]:
    yield "<!doctype html>"
    yield f'<html lang="{document.words.language}">'
    yield '<head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{_text(document.title)}</title>"
    yield f"<style>{_CSS}</style></head>"


def _body(document: Document) -> Iterable[str]:
    words = document.words
    yield f"<body>\n<h1>{_text(document.title)}</h1>"
    yield f'<p class="soft">{_text(" · ".join(document.facts))}</p>'
    yield from _all(document.before)
    if not document.parts:
        yield f"<p>{words.nothing_found}</p>"
    met: set[int] = set()
    for part in document.parts:
        if part.heading:
            yield f"<h2>{_text(part.heading)}</h2>"
        yield from (_paragraph(document, lines, met) for lines in part.paragraphs)
    yield from _all(document.after)
    if document.passages:
        yield f"<h2>{words.passages}</h2>\n<ol>"
        yield from (_passage(document, passage) for passage in document.passages)
        yield "</ol>"
    if document.sources:
        yield f"<h2>{words.sources}</h2>\n<ol>"
        yield from _sources(document)
        yield "</ol>"
    if document.neighbourhood:
        yield f"<figure>{document.neighbourhood}</figure>"
    yield from _all(document.behind)
    yield f"<footer>{_text(words.made_by.format(document.thread_id))}</footer>"


def _paragraph(document: Document, lines: Sequence[Line], met: set[int]) -> str:
    tag = "blockquote" if lines[0].quote else "p"
    return f"<{tag}>{' '.join(_line(document, line, met) for line in lines)}</{tag}>"


def _line(document: Document, line: Line, met: set[int]) -> str:
    follows, mark = document.follows(line), document.mark(line)
    text = _text(line.text)
    parts = [
        f'<span class="soft">{_text(line.case)}</span>' if line.case else "",
        f'<span class="unproven">{text}</span>' if mark else text,
        f"<strong>({_text(mark)})</strong>" if mark else "",
        f'<span class="soft">{follows}</span>' if follows else "",
        *(_mark(number, met) for number in line.numbers),
    ]
    return " ".join(filter(None, parts))


def _mark(number: int, met: set[int]) -> str:
    """A mark; the way back from the passage leads to its first."""
    anchor = "" if number in met else f' id="mark-{number}"'
    met.add(number)
    return f'<sup><a{anchor} href="#passage-{number}">{number}</a></sup>'


def _passage(document: Document, passage: Passage) -> str:
    place = _text(document.place(passage))
    if passage.source:
        place = f'<a href="#source-{passage.source}">{place}</a>'
    case = f'<span class="soft">{_text(passage.case)}</span> ' if passage.case else ""
    quote = "" if passage.in_text else f": {case}<q>{_text(passage.quote)}</q>"
    remark = document.remark(passage)
    said = f' <span class="soft">({_text(remark)})</span>' if remark else ""
    back = f' <a href="#mark-{passage.number}">↑</a>'
    return f'<li id="passage-{passage.number}">{place}{quote}{said}{back}</li>'


def _sources(document: Document) -> Iterable[str]:
    for source in document.sources:
        title = "" if source.title == source.document else f": {_text(source.title)}"
        told = f'<br><span class="soft">{_text(document.description(source))}</span>'
        name = f"<strong>{_text(source.document)}</strong>"
        yield f'<li id="source-{source.number}">{name}{title}{told}</li>'


def _all(blocks: Iterable[Block]) -> Iterable[str]:
    for block in blocks:
        yield f"<h2>{_text(block.title)}</h2>"
        if isinstance(block, Table) and block.picture:
            yield f"<figure>{block.picture}</figure>"
        elif isinstance(block, Table):
            yield "<table>"
            yield _row(block.header, "th")
            yield from (_row(row, "td") for row in block.rows)
            yield "</table>"
        else:
            yield f"<ul>{''.join(f'<li>{_text(item)}</li>' for item in block.items)}</ul>"


def _row(cells: tuple[str, ...], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{_text(cell)}</{tag}>' for cell in cells)}</tr>"
