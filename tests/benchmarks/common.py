"""What the programs share: options, questions on the sample laws, an open home, asking, figures."""

import argparse
import gzip
import json
import os
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest, mannwhitneyu

from agent.engine.engine import Engine
from services.build import Services
from services.domain import Passage, Principal, Scope
from services.evaluation.statistics import Interval
from services.retrieval.embedders import Vectors
from services.settings import Settings

DATA = Path(__file__).parent / "data"
LAW_QUESTIONS = DATA / "law_questions.json"
AT_ONCE = 5_000
"""Vectors that the store is asked for; it takes no more names in one question."""

Row = dict[str, Any]
Section = tuple[str, str]
"""(document without its suffix, section label), e.g. ("StrlSchG", "§ 78")."""


def arguments(doc: str | None, *names: str) -> argparse.ArgumentParser:
    """Options of a program by its docstring: any of ``home``, ``collection`` and ``out``."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    if "home" in names:
        parser.add_argument("--home", type=Path, required=True, help="home with the documents")
    if "collection" in names:
        parser.add_argument("--collection", required=True)
    if "out" in names:
        parser.add_argument("--out", type=Path, required=True)
    return parser


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def read_lines(path: Path) -> Iterator[Row]:
    """Records of a file of JSON lines, gzipped or not."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def write_lines(path: Path, rows: Iterable[Row]) -> None:
    """The same written, gzipped."""
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@dataclass(frozen=True)
class Question:
    text: str
    gold: frozenset[Section]
    split: str


def load_questions(path: Path = LAW_QUESTIONS) -> list[Question]:
    return [
        Question(row["question"], frozenset((d, s) for d, s in row["gold"]), row["split"])
        for row in read_json(path)
    ]


def section_of(chunk: Passage) -> Section:
    return Path(chunk.document).stem, chunk.section


def open_scope(home: Path, collection: str) -> tuple[Services, Scope]:
    """The services of a home, and one of its collections."""
    services = Services(Settings(home=home))
    return services, services.catalog.collections.scope(Principal(), [collection])


def stored_vectors(services: Services, collection_id: str) -> tuple[list[str], Vectors]:
    """Ids of all chunks of a collection and their vectors, shape (n, d)."""
    ids = sorted(services.vectors.ids(collection_id))
    stored: dict[str, Vectors] = {}
    for start in range(0, len(ids), AT_ONCE):
        stored |= services.vectors.vectors(collection_id, ids[start : start + AT_ONCE])
    return ids, np.stack([stored[name] for name in ids])


def ask(
    client: Engine, question: str, collection: str, depth: str, thread: str | None = None
) -> tuple[Row, list[Any]]:
    """The answered turn, with the id of its thread, and what was told meanwhile."""
    scope = None if thread else [collection]
    asked = client.answers.ask(question, thread_id=thread, collections=scope, depth=depth)
    records = list(client.threads.follow(asked.thread_id, asked.after))
    turn = client.answers.turns(asked.thread_id)[asked.turn - 1]
    return {**turn, "thread": asked.thread_id}, records


def turned(vectors: Vectors, noise: np.random.Generator, turn: float) -> Vectors:
    """Unit vectors turned a little at random: ``turn`` .3 leaves a cosine of about .96."""
    random = noise.normal(size=vectors.shape).astype(np.float32)
    moved = vectors + turn * random / np.sqrt(vectors.shape[-1])
    return np.asarray(moved / np.linalg.norm(moved, axis=-1, keepdims=True))


def quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def spread(values: Sequence[float], digits: int = 0) -> str:
    """``17.2 (7.1-20.4)``: median, least and most."""
    found = (statistics.median(values), min(values), max(values))
    return "{:.{d}f} ({:.{d}f}-{:.{d}f})".format(*found, d=digits)


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The 95 % score interval of a share (Wilson 1927); n at least 1."""
    found = binomtest(hits, n).proportion_ci(method="wilson")
    return found.low, found.high


def auc(yes: Sequence[float], no: Sequence[float]) -> float:
    """Chance that one of ``yes`` is above one of ``no``, equal ones counting half."""
    return float(mannwhitneyu(yes, no).statistic) / (len(yes) * len(no))


def shown(interval: Interval) -> str:
    """``+.033 [-.067, +.133]`` of a difference."""
    return f"{interval.mean:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]"


def load() -> str:
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
