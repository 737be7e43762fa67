"""Sections, paragraphs and lists of Markdown texts; laws are Markdown with paragraphs (§)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.M)
ITEM = re.compile(r"^\s{0,3}(?:\d+[a-z]?\.|[a-z]{1,2}\)|[-*+])\s+")
INNER = re.compile(r"^\s{2,}(?:\d+[a-z]?\.|[a-z]{1,2}\)|[-*+])\s+")
FENCE = re.compile(r"^\s*(```|~~~).*?^\s*\1\s*$", re.M | re.S)
LINK = re.compile(r"!?\[([^\]]*)\]\((?:[^()]|\([^)]*\))*\)|!?\[([^\]]+)\]\[[^\]]*\]")
NOISE = re.compile(
    r"<[^>]+>|\{[%{].*?[%}]\}|\*\*|`|\[\^[^\]]+\]|(?<=\s)[*_](?=\w)|(?<=\w)[*_](?=[\s.,;])"
)


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
