"""Passages of real texts: sentences in their order, with heading and lists where known."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.train_cross_encoder.construct.markdown import blocks, is_law, sections

QUESTION_SOURCES = (
    "dewiki-q",
    "germanquad",
    "germandpr",
    "faq",
    "policyqa",
    "contractnli",
    "covidqa",
    "selqa",
)
ABBREVIATION = re.compile(
    r"(?:\b(?:Abs|Nr|Nrn|Art|Bek|Buchst|bzw|ca|Dr|etc|evtl|ff|gem|ggf|Hs|inkl|Kap|lit|max|Mio|Mrd|"
    r"Prof|Rn|sog|St|str|Str|Tab|usw|vgl|Vgl|Ziff|geb|gest|engl|lat|insb|mind|Jh|Jhd|v|z|u|d|i|S|"
    r"Gebr|Hrsg|Bd|Inh|Fa|Aufl|ehem|bes|allg|Ges|Verf|Hl|hl|Sr|Std|Min|mm|Inc|Ltd|Mr|Mrs|"
    r"Ms|vs|No|Sec|al|e\.g|i\.e|Fig|Eq|cf|approx|U\.S|Co|Corp|Jr|Sr|Sgt|Gen|Ph\.D)"
    r"|\b[A-Z]|\b\d{1,3})\.$"
)
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
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            src, sentences = row["src"].split("+")[0], tuple(row["s"])
            if src not in QUESTION_SOURCES or sentences in seen:
                continue
            seen.add(sentences)
            title = (
                row["grp"].split(":", 1)[1] if src in ("selqa", "germanquad", "germandpr") else ""
            )
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
