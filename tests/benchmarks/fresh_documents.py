"""Write the documents of the fresh questions from clones of the repositories that they come from.

    python -m tests.benchmarks.fresh_documents --clones CLONES --out OUT de-gesetze en-policies

``CLONES`` holds a git directory ``OWNER+NAME`` (or ``OWNER+NAME/repo``) for each repository that
``data/fresh/README.md`` names, or ``--readme``; the files are taken at its commits. Told at the
end of each collection is for how many of its questions the answer stands in the files written.
Documents whose change by hand is more than front matter and template tags are left as they are.
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks import common

FRESH = common.DATA / "fresh"
FRONT_MATTER = re.compile(rb"\A---\n.*?\n---\n+", re.DOTALL)
TEMPLATE_TAGS = re.compile(rb"\{%.*?%\}", re.DOTALL)


@dataclass(frozen=True)
class Document:
    """One file of a collection, and what it is made of."""

    collection: str
    name: str
    repository: str
    commit: str
    parts: tuple[str, ...]
    changes: str


def documents(readme: str) -> Iterator[Document]:
    """The lists of the page, in its order."""
    collection = repository = commit = ""
    for line in readme.splitlines():
        if found := re.match(r"### (\S+) \(", line):
            collection = found[1]
        elif found := re.match(r"`(\S+/\S+)` at `(\w{40})`", line):
            repository, commit = found.groups()
        elif found := re.match(r"- `([^`]+)`: `([^`]+)`(?: \((.+)\))?$", line):
            parts = tuple(found[2].split(" + "))
            yield Document(collection, found[1], repository, commit, parts, found[3] or "")


def content(document: Document, clones: Path) -> bytes:
    """The parts at their commit, one after the other, without what the page says was removed.

    Raises:
        subprocess.CalledProcessError: the clone, the commit or the file is not there.
    """
    folder = document.repository.replace("/", "+")
    clone = next((p for p in (clones / folder / "repo", clones / folder) if p.exists()), clones)
    pieces = []
    for part in document.parts:
        command = ["git", "-C", str(clone), "show", f"{document.commit}:{part}"]
        text = subprocess.run(command, check=True, capture_output=True).stdout
        if "front matter" in document.changes:
            text = FRONT_MATTER.sub(b"", text)
        if "template tags" in document.changes:
            text = TEMPLATE_TAGS.sub(b"", text)
        pieces.append(text)
    return b"\n".join(pieces)


def answers_found(collection: str, folder: Path) -> tuple[int, int]:
    """Questions whose answer stands in the files that are text, of those that these answer."""
    found = asked = 0
    rows = [r for half in ("dev", "locked") for r in common.read_lines(FRESH / f"{half}.jsonl")]
    for row in rows:
        paths = [folder / name for name in row["documents"] if not name.endswith((".pdf", ".docx"))]
        if row["collection"] != collection or not row["gold"] or not paths:
            continue
        text = " ".join(" ".join(p.read_text(encoding="utf-8") for p in paths).split())
        asked += 1
        found += all(piece.strip() in text for piece in row["answer_sentence"].split("[…]"))
    return found, asked


def main() -> None:
    parser = common.arguments(__doc__, "out")
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--readme", type=Path, default=FRESH / "README.md")
    parser.add_argument("collections", nargs="+")
    given = parser.parse_args()
    known = [*documents(given.readme.read_text(encoding="utf-8"))]
    for collection in given.collections:
        folder = given.out / collection
        folder.mkdir(parents=True, exist_ok=True)
        for document in known:
            if document.collection == collection:
                (folder / document.name).write_bytes(content(document, given.clones))
        found, asked = answers_found(collection, folder)
        print(f"{collection}: {found} of {asked} answers stand in {len([*folder.iterdir()])} files")


if __name__ == "__main__":
    main()
