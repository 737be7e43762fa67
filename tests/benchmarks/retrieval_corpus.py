"""An ingested collection and the questions about it, for the retrieval benchmarks."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from services.build import Services, build_services
from services.domain import Passage, Principal, Scope
from services.retrieval.embedders import Vectors
from services.settings import Settings

QUESTIONS = Path(__file__).parent / "data" / "law_questions.json"

Section = tuple[str, str]
"""(document without its suffix, section label), e.g. ("StrlSchG", "§ 78")."""


@dataclass(frozen=True)
class Question:
    text: str
    gold: frozenset[Section]
    split: str


@dataclass(frozen=True)
class Corpus:
    """``vectors`` has one row a chunk, shape (n, d)."""

    services: Services
    scope: Scope
    chunks: Sequence[Passage]
    vectors: Vectors


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--home", type=Path, required=True, help="home with the ingested samples")
    parser.add_argument("--collection", required=True)
    return parser


def open_corpus(home: Path, collection: str) -> Corpus:
    services = build_services(Settings(home=home))
    scope = services.catalog.collections.scope(Principal(), [collection])
    (collection_id,) = scope.collections
    ids = sorted(services.vectors.ids(collection_id))
    stored = services.vectors.vectors(collection_id, ids)
    chunks = list(services.catalog.chunks.get(ids, scope=scope).values())
    vectors = np.stack([stored[chunk.chunk_id] for chunk in chunks])
    return Corpus(services, scope, chunks, vectors)


def section_of(chunk: Passage) -> Section:
    return Path(chunk.document).stem, chunk.section


def load_questions(path: Path = QUESTIONS) -> list[Question]:
    return [
        Question(row["question"], frozenset((d, s) for d, s in row["gold"]), row["split"])
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]
