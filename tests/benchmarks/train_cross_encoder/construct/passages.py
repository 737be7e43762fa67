"""Passages of real texts, questions or Markdown: sentences in order, with heading and lists."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.common import read_lines
from tests.benchmarks.train_cross_encoder.construct.words import pattern, words

QUESTION_SOURCES = words("passages.question_sources")
ABBREVIATION = re.compile(pattern("passages.abbreviation"))
SPLIT = re.compile(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ„\"(§\d])")


@dataclass(frozen=True)
class Listing:
    """A list: which sentence of the passage holds it, its lead and its items."""

    index: int
    lead: str
    items: tuple[str, ...]


@dataclass(frozen=True)
class Passage:
    """Consecutive sentences of one place of one document."""

    grp: str
    src: str
    lang: str
    heading: str
    sentences: tuple[str, ...]
    lists: tuple[Listing, ...] = ()


def split(text: str) -> list[str]:
    """Sentences of a paragraph; a full stop after an abbreviation or ordinal does not end one."""
    found: list[str] = []
    for part in SPLIT.split(" ".join(text.split())):
        if found and (ABBREVIATION.search(found[-1]) or part[:1].isdigit()):
            found[-1] += " " + part
        else:
            found.append(part)
    return [part for part in found if part]


def of_pairs(path: Path) -> Iterator[Passage]:
    """The distinct passages of a file of question pairs."""
    seen: set[tuple[str, ...]] = set()
    for row in read_lines(path):
        src, sentences = row["src"].split("+")[0], tuple(row["s"])
        if src not in QUESTION_SOURCES or sentences in seen:
            continue
        seen.add(sentences)
        titled = src in ("selqa", "germanquad", "germandpr")
        title = row["grp"].split(":", 1)[1] if titled else ""
        yield Passage(row["grp"], src, row["lang"], title, sentences)


def of_markdown(path: Path, root: Path, lang: str) -> Iterator[Passage]:
    """One passage for each section of a Markdown document, or each paragraph of a law."""
    text = path.read_text(encoding="utf-8", errors="ignore")
    law = is_law(text)
    grp = f"{'law' if law else 'md'}:{path.parent.name if law else path.relative_to(root)}"
    for heading, body in sections(text, law):
        sentences: list[str] = []
        lists: list[Listing] = []
        for block in blocks(body):
            if block.items:
                lists.append(Listing(len(sentences), block.lead, block.items))
            sentences += [block.text] if block.listed else split(block.text)
        if sentences:
            source = "law" if law else "md"
            yield Passage(grp, source, lang, heading, tuple(sentences), tuple(lists))


def read(path: Path, lang: str) -> Iterator[Passage]:
    """All passages in one language of a file of pairs, a Markdown file or a folder of such."""
    if path.is_dir():
        for file in sorted(path.rglob("*.md")):
            yield from of_markdown(file, path, lang)
    elif path.suffix == ".md":
        yield from of_markdown(path, path.parent, lang)
    else:
        yield from (passage for passage in of_pairs(path) if passage.lang == lang)


HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.M)
ITEM = re.compile(r"^\s{0,3}(?:\d+[a-z]?\.|[a-z]{1,2}\)|[-*+])\s+")
INNER = re.compile(r"^\s{2,}(?:\d+[a-z]?\.|[a-z]{1,2}\)|[-*+])\s+")
FENCE = re.compile(r"^\s*(```|~~~).*?^\s*\1\s*$", re.M | re.S)
LINK = re.compile(r"!?\[([^\]]*)\]\((?:[^()]|\([^)]*\))*\)|!?\[([^\]]+)\]\[[^\]]*\]")
NOISE = re.compile(pattern("markdown.noise"))


@dataclass(frozen=True)
class Block:
    """A paragraph, or a list with its lead as one sentence; items only where the list is simple."""

    text: str
    listed: bool = False
    lead: str = ""
    items: tuple[str, ...] = ()


def is_law(text: str) -> bool:
    return text.startswith("---") and bool(re.search(r"^jurabk:", text[:6000], re.M))


def plain(text: str) -> str:
    """The text without marks for links, emphasis, code and templates."""
    text = LINK.sub(lambda found: found[1] or found[2] or "", text)
    return NOISE.sub("", text)


def sections(text: str, law: bool) -> Iterator[tuple[str, str]]:
    """Heading and body of each section; of a law only its paragraphs."""
    text = FENCE.sub("", re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S))
    marks = list(HEADING.finditer(text))
    for mark, following in zip(marks, [*marks[1:], None], strict=False):
        body = text[mark.end() : following.start() if following else len(text)]
        heading = " ".join(plain(mark[1]).split())
        if law and not re.match(r"§ \d+[a-z]? \w", heading):
            continue
        yield heading, body if law else plain(body)


def tidy(text: str) -> str:
    return " ".join(text.split())


def gather(body: str) -> Iterator[tuple[str, list[str]]]:
    """Paragraphs with the items that follow them; an inner list is marked by an empty item."""
    lead: str | None = None
    items: list[str] = []
    for chunk in re.split(r"\n\s*\n", body):
        for part in re.split(r"\n(?=\s*(?:\d+[a-z]?\.|[a-z]{1,2}\)|[-*+])\s)", chunk.strip("\n")):
            if not part.strip() or part.lstrip().startswith(("|", ">", "#", "<", ":")):
                continue
            if ITEM.match(part) and lead is not None:
                items.append(tidy(ITEM.sub("", part)))
            elif INNER.match(part) or part.startswith("    "):
                items.append("")
            else:
                if lead is not None:
                    yield lead, items
                lead, items = tidy(part), []
    if lead is not None:
        yield lead, items


def blocks(body: str) -> Iterator[Block]:
    """Paragraphs as they stand; a list becomes one numbered sentence after its lead."""
    found = list(gather(body))
    for number, (lead, items) in enumerate(found):
        if not items:
            yield Block(lead)
            continue
        joined = " ".join(f"{n}. {item}" for n, item in enumerate(items, 1) if item)
        tail = found[number + 1][0] if number + 1 < len(found) else "("
        simple = all(items) and (tail[:1] in "(§" or tail[:1].isupper())
        sentences = re.split(r"(?<=[a-zäöü][.])\s+(?=[A-ZÄÖÜ])", lead)
        for before in sentences[:-1]:
            yield Block(before)
        yield Block(
            f"{sentences[-1]} {joined}", True, sentences[-1], tuple(items) if simple else ()
        )
