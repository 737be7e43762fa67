"""How truthfully are odd files of other projects read?

    python -m tests.benchmarks.odd_files FOLDER [--fetch] [--unlock] [--kind KIND]

The files are not in this repository: ``--fetch`` gets those that FOLDER lacks with git, at the
commits that ``data/odd_files.jsonl`` names; by hand, put each at FOLDER/REPO/PATH. What must be
read was written down by looking at the files, before any parser read them. Of every kind half the
files, drawn at random, are locked: their faults are counted, but only ``--unlock`` names them.
A line of the data says in ``why`` what is odd, and states some checks, white space aside:

- ``shows``: strings of the text; ``once``: they occur once; ``" || "`` separates spellings;
- ``shows_or_warns``, ``hides_or_warns``: the same, unless there is a warning or a refusal;
- ``rows``: strings that follow each other in one line; a list is heads and the value of a cell;
- ``never``: such rows that would be wrong; ``hides``: strings that a reader does not see;
- ``order``: lists of strings that follow each other;
- ``warns``: true for any warning or refusal, or "refused";
- ``attached``: names of attachments; ``labels``: what is printed on pages.

A *silent loss* lacks text, heads or a warning, and nothing tells. A *falsehood* is hidden or
garbled text, a wrong or torn row, or a wrong order. *Other* faults lack something, with a warning.
"""

import hashlib
import re
import subprocess
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from services.domain.errors import UnreadableDocument
from services.ingestion.parse import FileParser
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row

CASES = common.DATA / "odd_files.jsonl"
ALIKE = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\xad": None, "\u200b": None})
BEFORE = r"(?:(?<![A-Za-z0-9])|(?![A-Za-z0-9]))"
AFTER = r"(?:(?![A-Za-z0-9]|[.,]\d)|(?<![A-Za-z0-9]))"
SILENT, FALSE, OTHER = "silent losses", "falsehoods", "other"
Fault = tuple[str, str]


@dataclass(frozen=True)
class Reading:
    """What became of a file, with spaces and quotation marks normalised."""

    lines: Sequence[str]
    warnings: Sequence[str]
    refused: bool = False
    attachments: Sequence[str] = ()
    labels: Sequence[str] = ()

    @property
    def text(self) -> str:
        return " ".join(self.lines)


def clean(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).translate(ALIKE).split())


def read(parser: FileParser, path: Path, case: Row) -> Reading:
    try:
        document = parser(path)
    except UnreadableDocument as error:
        return Reading((), (str(error),), refused=True)
    names = [name for name, _ in parser.attachments(path)] if "attached" in case else []
    lines = [clean(line) for line in (document.title, *document.text.splitlines())]
    warnings = [*map(str, document.warnings), *map(str, document.unread_pages)]
    return Reading(lines, warnings, False, names, document.page_labels)


def words(text: str) -> str:
    """Return a pattern of any spelling of a text, not within longer words or numbers."""
    spellings = (re.escape(clean(spelling)) for spelling in text.split(" || "))
    return f"{BEFORE}(?:{'|'.join(spellings)}){AFTER}"


def pairs(row: Sequence[str | list[str]]) -> list[list[str]]:
    return [[cell] if isinstance(cell, str) else cell for cell in row]


def cells(row: Sequence[str | list[str]]) -> str:
    """Return a pattern of cells in a line; no other cell is between a head and its value."""
    return ".*?".join("[^|]*?".join(map(words, pair)) for pair in pairs(row))


def faults(case: Row, reading: Reading) -> Iterator[Fault]:
    lost = OTHER if reading.warnings else SILENT

    def count(text: str) -> int:
        return len(re.findall(words(text), reading.text))

    unwarned = {} if reading.warnings else case
    expected = case.get("shows", []) + case.get("once", []) + unwarned.get("shows_or_warns", [])
    yield from ((lost, f"lacks {text!r}") for text in expected if not count(text))
    unexpected = case.get("hides", []) + unwarned.get("hides_or_warns", [])
    yield from ((FALSE, f"shows {text!r}") for text in unexpected if count(text))
    yield from ((FALSE, f"repeats {text!r}") for text in case.get("once", []) if count(text) > 1)
    yield from row_faults(case, reading, lost)
    yield from order_faults(case, reading, lost)
    names = [name for name in case.get("attached", []) if name not in reading.attachments]
    yield from ((lost, f"lacks the attachment {name!r}") for name in names)
    labels = {str(page): label.strip() for page, label in enumerate(reading.labels, 1)}
    for page, label in case.get("labels", {}).items():
        if labels.get(page) != label:
            yield lost, f"does not label page {page} as {label!r}"
    if case.get("warns") == "refused" and not reading.refused:
        yield lost, "is not refused"
    elif case.get("warns") and not reading.warnings:
        yield SILENT, "warns of nothing"


def row_faults(case: Row, reading: Reading, lost: str) -> Iterator[Fault]:
    def stands(row: Sequence[str | list[str]]) -> bool:
        return any(re.search(cells(row), line) for line in reading.lines)

    for row in [row for row in case.get("rows", []) if not stands(row)]:
        if stands([pair[-1] for pair in pairs(row)]):
            yield lost, f"lacks heads of the row {row}"
        elif all(re.search(words(text), reading.text) for pair in pairs(row) for text in pair):
            yield FALSE, f"tears the row {row}"
        else:
            yield lost, f"lacks cells of the row {row}"
    wrong = [row for row in case.get("never", []) if stands(row)]
    yield from ((FALSE, f"has the wrong row {row}") for row in wrong)


def order_faults(case: Row, reading: Reading, lost: str) -> Iterator[Fault]:
    for texts in case.get("order", []):
        at = 0
        for text in texts:
            match = re.compile(words(text)).search(reading.text, at)
            if not match:
                anywhere = re.search(words(text), reading.text)
                yield (FALSE, f"disorders {texts}") if anywhere else (lost, f"lacks {text!r}")
                break
            at = match.end()


def fetch(cases: Sequence[Row], folder: Path) -> None:
    """Get the files that the folder lacks, from each repository at its commit."""
    absent = [case for case in cases if not (folder / case["repo"] / case["path"]).is_file()]
    for repo, commit in sorted({(case["repo"], case["commit"]) for case in absent}):
        with TemporaryDirectory() as clone:
            git = partial(subprocess.run, cwd=clone, check=True, stdout=subprocess.PIPE)
            git(["git", "init", "-q"])
            git(["git", "remote", "add", "origin", f"https://github.com/{repo}"])
            git(["git", "fetch", "-q", "--depth=1", "--filter=blob:none", "origin", commit])
            for case in absent:
                if case["repo"] == repo:
                    path = folder / repo / case["path"]
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(git(["git", "show", f"{commit}:{case['path']}"]).stdout)


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fetch", action="store_true", help="get missing files with git")
    parser.add_argument("--unlock", action="store_true", help="name the faults of locked files")
    parser.add_argument("--kind", help="only files of this kind")
    options = parser.parse_args()
    cases = [row for row in common.read_lines(CASES) if options.kind in (None, row["kind"])]
    if options.fetch:
        fetch(cases, options.folder)
    counts: Counter[tuple[str, str, str]] = Counter()
    with closing(FileParser(Settings())) as file_parser:
        for case in cases:
            path = options.folder / case["repo"] / case["path"]
            if hashlib.sha256(path.read_bytes()).hexdigest() != case["sha256"]:
                raise SystemExit(f"{path} is another file than {CASES.name} names")
            faulty = list(faults(case, read(file_parser, path, case)))
            measures = {"files", *(kind for kind, _ in faulty or [("right", "")])}
            for kind in (case["kind"], "all"):
                counts.update((kind, case["half"], measure) for measure in measures)
            if faulty and (options.unlock or case["half"] == "open"):
                print(f"{case['kind']}: {case['repo']}/{case['path']} ({case['why']})")
                print(*(f"  {kind}: {fault}" for kind, fault in faulty), sep="\n")
    print_table(counts, [*dict.fromkeys(case["kind"] for case in cases), "all"])


def print_table(counts: Counter[tuple[str, str, str]], kinds: Sequence[str]) -> None:
    measures = ["right", "files", SILENT, FALSE, OTHER]
    print("\n| kind | half |", " | ".join(measures), "|\n|---|---|" + "---|" * len(measures))
    for kind, half in product(kinds, ("open", "locked")):
        row = [str(counts[kind, half, measure]) for measure in measures]
        print(f"| {kind} | {half} |", " | ".join(row), "|")


if __name__ == "__main__":
    main()
