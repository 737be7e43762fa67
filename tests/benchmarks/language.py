"""Share of texts whose language is recognised, on a folder of text files named by language.

Usage: python -m tests.benchmarks.language FOLDER [--lines even|odd|all] [--languages de,en,fr,es]

``FOLDER`` holds one folder for each kind of text (``sentences``, ``word-pairs``,
``single-words``), each with ``de.txt``, ``en.txt`` … of one text a line, as lingua-py publishes
them. The even lines give the figures.
"""

import time
from collections import Counter
from pathlib import Path

from services.language.query.language import detect_language
from tests.benchmarks import common


def lines_of(path: Path, which: str) -> list[str]:
    """The lines of a file with odd or even number, counted from 1."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {"all": lines, "odd": lines[0::2], "even": lines[1::2]}[which]


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lines", choices=["even", "odd", "all"], default="even")
    parser.add_argument("--languages", default="de,en,fr,es")
    options = parser.parse_args()
    languages = options.languages.split(",")
    for kind in sorted(path for path in options.folder.iterdir() if path.is_dir()):
        right = total = 0
        started = time.perf_counter()
        for language in languages:
            texts = lines_of(kind / f"{language}.txt", options.lines)
            found = Counter(detect_language(text, "en") for text in texts)
            right += found[language]
            total += len(texts)
            wrong = ", ".join(f"{n} {name}" for name, n in found.most_common() if name != language)
            print(f"{kind.name:13} {language}  {found[language] / len(texts):6.1%}  {wrong}")
        took = (time.perf_counter() - started) / total * 1000
        print(f"{kind.name:13} all {right / total:6.2%} of {total}, {took:.2f} ms a text\n")


if __name__ == "__main__":
    main()
