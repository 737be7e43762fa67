"""Makes a home with as many chunks as wanted out of a small one, without embedding for hours.

    python -m tests.benchmarks.big_home --source HOME --home BIG [--chunks 100000]

What it is, all in one collection (``big``):

1. The documents of all collections of HOME as they are, and variants of them until there are
   ``--varied`` chunks. A variant takes some of the sections of one document, chosen by size, in
   their order (30 to 100 %), under a title and a name of its own. Labels stay, so what refers to a
   section of its own text leads on where that is there. One long word in four is another word in
   all of the variant (``Luftgrenzwerte`` for ``Grenzwerte``). Chunking, references, names, catalog,
   Chroma, tantivy and graph are the product's own code.
2. Copies of all that until there are enough chunks, made row by row in the catalog and the graph
   (``big_copies``): documents, sections, references, chunks, names, nodes, mentions and edges under
   ids and names of their own. Half of the words and terms of the graph are other words in each
   copy; the texts are the same. The indexes are filled for them by their own code.

**The vectors are not embedded**: a chunk of a variant gets the vector of the chunk of HOME with
which it shares most triples of words, turned a little (``--turn 0.3`` leaves a cosine of about
.96), a copy that of the first stage, turned as well. So latency can be measured and nothing about
quality. All is seeded; the same HOME gives the same corpus.
"""

import hashlib
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from services.build import Services
from services.domain import ParsedDocument, Principal, SearchFilter, SectionSpan
from services.graph.build import GraphBuilder
from services.ingestion.indexing import passage
from services.ingestion.texts import ReadyDocument, TextIngestor
from services.retrieval.embedders import BundledEmbedder, Calibration, Progress, Vectors
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.big_copies import copy_all, scope_of

COLLECTION = "big"
BATCH = 10
"""Documents between two writes to the indexes."""
LEAST_SHARE = 0.3
CHANGED = 0.25
"""Share of the long words that a variant says otherwise."""
FIRST_PARTS = {
    "de": "Luft Wasser Boden Anlagen Grund Melde Prüf Betriebs Sonder Haupt Vor Nach Teil Gesamt "
    "Erst Umwelt Transport Lager Werk Bau Stoff Fach Kern Netz Ufer Wald Stadt Hafen Tunnel Labor",
    "en": "inter multi super trans micro macro auto semi counter hyper para meta proto quasi ultra",
}
LONG_WORD = {"de": re.compile(r"\b[A-ZÄÖÜ][a-zäöüß]{7,}\b"), "en": re.compile(r"\b[a-z]{8,}\b")}
KEPT_WORD = re.compile(r"gesetz|verordnung|absatz|nummer|anlage|buchstabe|artikel", re.IGNORECASE)
"""What references are made of."""
NUMBER_OF_PEP = re.compile(r"\bPEP:[ \t]*\d+")
WORD = re.compile(r"\w+")


class TurnedVectors:
    """Stands for the bundled embedder: passages lie near those of the source that they are of."""

    def __init__(self, texts: Sequence[str], vectors: Vectors, turn: float) -> None:
        self._vectors, self._turn = vectors, turn
        self._real = BundledEmbedder()
        self.fingerprint, self.dimension = self._real.fingerprint, self._real.dimension
        self.max_tokens = self._real.max_tokens
        self._place: dict[int, int] = {}
        for n, text in enumerate(texts):
            for triple in triples(text):
                self._place.setdefault(triple, n)

    @property
    def calibration(self) -> Calibration:
        return self._real.calibration

    def count_tokens(self, text: str) -> int:
        return self._real.count_tokens(text)

    def embed_query(self, text: str) -> Vectors:
        return self._real.embed_query(text)

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        return np.stack([self._near(text) for text in texts])

    def embed_sentences(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        return self.embed_passages(texts, on_progress)

    def _near(self, text: str) -> Vectors:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        votes = Counter(self._place[each] for each in triples(text) if each in self._place)
        best = min(votes, key=lambda n: (-votes[n], n)) if votes else seed % len(self._vectors)
        return common.turned(self._vectors[best], np.random.default_rng(seed), self._turn)


def triples(text: str) -> list[int]:
    """Each three words in a row, as numbers that are the same in this process alone."""
    words = WORD.findall(text)
    return [hash(three) for three in zip(words, words[1:], words[2:], strict=False)]


class Variants:
    """Documents made of some of the sections of the sources."""

    def __init__(self, sources: Sequence[tuple[str, ParsedDocument]]) -> None:
        self._sources = sources
        self._sizes = [len(parsed.text) for _, parsed in sources]

    def __call__(self, number: int) -> ReadyDocument:
        dice = random.Random(number)
        ((name, parsed),) = dice.choices(self._sources, weights=self._sizes)
        words = Words(number, parsed.language)
        share = dice.uniform(LEAST_SHARE, 1.0)
        text, sections = words(parsed.text[: parsed.sections[0].start]), []
        for section in parsed.sections:
            if dice.random() > share:
                continue
            start = len(text)
            text += words(parsed.text[section.start : section.end])
            sections.append(
                SectionSpan(
                    label=section.label,
                    title=words(section.title),
                    level=section.level,
                    start=start,
                    end=len(text),
                    heading_path=tuple(map(words, section.heading_path)),
                )
            )
        text = NUMBER_OF_PEP.sub(f"PEP: {10_000 + number}", text)
        return ReadyDocument(
            f"{Path(name).stem}-{number}{Path(name).suffix}",
            ParsedDocument(
                title=_title(parsed, number),
                text=text,
                pages=(),
                sections=tuple(sections),
                language=parsed.language,
                parser_version="big-home",
            ),
        )


class Words:
    """Says the same long words otherwise in all of a variant."""

    def __init__(self, number: int, language: str) -> None:
        self._number = number
        self._pattern = LONG_WORD.get(language, LONG_WORD["en"])
        self._parts = FIRST_PARTS.get(language, FIRST_PARTS["en"]).split()
        self._said: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        return self._pattern.sub(lambda found: self._other(found[0]), text)

    def _other(self, word: str) -> str:
        if word not in self._said:
            dice = random.Random(f"{self._number} {word}")
            changed = dice.random() < CHANGED and not KEPT_WORD.search(word)
            self._said[word] = dice.choice(self._parts) + word.lower() if changed else word
        return self._said[word]


def _title(parsed: ParsedDocument, number: int) -> str:
    """Of a law with an abbreviation of its own, by which the others could name it."""
    letters = "".join(chr(ord("A") + number // 26**n % 26) for n in (2, 1, 0))
    if parsed.language == "de":
        return (
            f"Verordnung über besondere Strahlenexpositionen, Sachgebiet {letters} (SE{letters}V)"
        )
    return f"PEP {10_000 + number} – {parsed.title.partition('–')[2].strip() or parsed.title}"


class Source:
    """What the small home holds: its documents, and its chunks with their vectors."""

    def __init__(self, home: Path) -> None:
        services = Services(Settings(home=home))
        catalog = services.catalog
        scope = catalog.collections.scope(Principal(), None)
        self.documents = [
            (each.document, catalog.documents.parsed(each.document_id))
            for each in catalog.corpus.documents(scope, SearchFilter())
        ]
        rows = {}
        for collection in scope.collections:
            ids = sorted(services.vectors.ids(collection))
            stored = services.vectors.vectors(collection, ids)
            chunks = catalog.chunks.get(ids, scope=scope)
            rows |= {name: (passage(chunks[name]), stored[name]) for name in ids}
        self.texts = [text for text, _ in rows.values()]
        self.vectors: Vectors = np.stack([vector for _, vector in rows.values()])
        services.close()


def fill(services: Services, source: Source, target: str, wanted: int) -> int:
    """Ingest the sources and variants of them until there are enough chunks; their number."""
    parts = (services.catalog, services.embedder, services.vectors, services.lexical)
    ingest = partial(TextIngestor(*parts).ingest, batch=BATCH)
    originals = (ReadyDocument(*each) for each in source.documents)
    done, number = ingest(originals, collection_id=target).chunks, 0
    variants = Variants(source.documents)
    while done < wanted:
        batch = [variants(n) for n in range(number, number + BATCH)]
        done, number = done + ingest(batch, collection_id=target).chunks, number + BATCH
        print(f"{done} chunks, {len(source.documents) + number} documents", flush=True)
    return done


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--source", type=Path, required=True, help="home with ingested samples")
    parser.add_argument("--home", type=Path, required=True, help="to be made")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--varied", type=int, default=7_000, help="chunks of the first stage")
    parser.add_argument("--turn", type=float, default=0.3)
    options = parser.parse_args()
    source = Source(options.source)
    embedder = TurnedVectors(source.texts, source.vectors, options.turn)
    services = Services(Settings(home=options.home), embedder=lambda: embedder)
    started = time.perf_counter()
    target = services.catalog.collections.ensure(Principal(), COLLECTION).collection_id
    varied = services.vectors.count(target) or fill(services, source, target, options.varied)
    report = GraphBuilder(services.catalog).build(scope_of(services, target))
    print(f"{varied} chunks, graph of {report.documents} texts", flush=True)
    copy_all(services, target, -(-options.chunks // varied) - 1, options.turn)
    print(f"{time.perf_counter() - started:.0f} s")
    services.close()


if __name__ == "__main__":
    main()
