"""Counts a word in the extracted text of a document, independently of `services/retrieval/scan`.

    python -m tests.benchmarks.count_word HOME/catalog.sqlite3 StrlSchG.pdf Freigrenze

Nothing of the product is imported: the text and its sections come from SQLite, words are runs of
letters and digits with the hyphens inside them, and what a form is says a person who reads the
list. With ``--pdf FILE`` the occurrences of the word's beginning are counted once more in the
text that pypdf extracts, which knows nothing of our parser.
"""

import argparse
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def laid_out_plainly(text: str) -> str:
    for mark in ("\u00ad", "\ufffe", "\u200b"):
        text = text.replace(mark, "")
    return re.sub(r"(?<=[a-zäöüß])-\s*\n\s*(?=[a-zäöüß])(?!und|oder|bis|sowie)", "", text)


def sections(catalog: Path, document: str) -> list[tuple[str, str]]:
    with sqlite3.connect(f"file:{catalog}?mode=ro", uri=True) as connection:
        ((text_id, text),) = connection.execute(
            "SELECT DISTINCT t.text_id, t.text FROM memberships m"
            " JOIN contents c ON c.content_id = m.content_id"
            " JOIN texts t ON t.text_id = c.text_id"
            " WHERE m.document = ? AND m.status = 'indexed'",
            (document,),
        )
        rows = connection.execute(
            'SELECT label, start, "end" FROM sections WHERE text_id = ? ORDER BY n', (text_id,)
        )
        return [(label, text[start:end]) for label, start, end in rows]


def counted(
    texts: Iterable[tuple[str, str]], word: str
) -> tuple[dict[str, list[str]], Counter[str]]:
    """Labels of the sections by what they have, and how often every form occurs."""
    wanted = word.lower()
    beginning = wanted[: max(4, len(wanted) - 2)]
    holding: dict[str, list[str]] = {"the word itself": [], "any form that contains it": []}
    forms: Counter[str] = Counter()
    for label, text in texts:
        words = [each.lower() for each in WORD.findall(laid_out_plainly(text))]
        here = [each for each in words if beginning in each]
        forms.update(here)
        if wanted in words:
            holding["the word itself"].append(label)
        if here:
            holding["any form that contains it"].append(label)
    return holding, forms


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("catalog", type=Path)
    parser.add_argument("document")
    parser.add_argument("word")
    parser.add_argument("--labels", default="§")
    parser.add_argument("--pdf", type=Path)
    asked = parser.parse_args()
    every = sections(asked.catalog, asked.document)
    these = [each for each in every if each[0].startswith(asked.labels)]
    holding, forms = counted(these, asked.word)
    for what, labels in holding.items():
        print(f"{what}: {len(labels)} of {len(these)} sections: {', '.join(labels)}")
    print("forms:", dict(forms.most_common()))
    if asked.pdf is not None:
        from pypdf import PdfReader

        text = "".join(page.extract_text() for page in PdfReader(asked.pdf).pages)
        _, forms = counted([("", text)], asked.word)
        print("in the text of pypdf, all sections:", dict(forms.most_common()))


if __name__ == "__main__":
    main()
