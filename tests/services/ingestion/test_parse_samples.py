"""The sample documents that come with the program."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from services.build import Services
from services.domain import Principal
from services.ingestion.indexing import passage
from services.ingestion.parsers.headings import build_sections
from services.ingestion.worker import parse
from services.retrieval.embedders import BundledEmbedder, Vectors
from services.settings import Settings
from tests.support.sample_vectors import SAMPLES as INDEXED
from tests.support.sample_vectors import taken_in

SAMPLES = Settings().samples


def test_the_law_is_read_with_every_section_of_its_outline() -> None:
    law = parse(SAMPLES / "strahlenschutz" / "StrlSchG.pdf")
    assert law.title == (
        "Gesetz zum Schutz vor der schädlichen Wirkung ionisierender Strahlung (StrlSchG)"
    )
    assert len(law.pages) == 117 and "· Seite" not in law.text
    assert "Verwertungs- oder Beseitigungsweg" in law.text
    assert "grenzüberschreitenden Verbringung von Konsumgütern" in law.text
    sections = build_sections(law)
    assert len(sections) == 291
    labels = [section.label for section in sections]
    assert [label for label in labels if label.startswith("Anlage")] == [
        f"Anlage {number}" for number in range(1, 10)
    ]
    assert {"§ 1", "§ 31a", "§ 218", "Teil 2", "Kapitel 5"} <= set(labels)
    limits = sections[labels.index("§ 78")]
    text = law.text[limits.start : limits.end]
    assert text.startswith("§ 78 Grenzwerte für beruflich exponierte Personen\n\n(1) Der Grenzwert")
    assert "20 Millisievert im Kalenderjahr" in text
    assert limits.heading_path == (
        "Teil 2 Strahlenschutz bei geplanten Expositionssituationen",
        "Kapitel 5 Anforderungen an die Ausübung von Tätigkeiten",
        "§ 78 Grenzwerte für beruflich exponierte Personen",
    )


@pytest.mark.parametrize(
    ("name", "title", "label", "count"),
    [
        ("strahlenschutz/AtG.docx", "Gesetz über die friedliche Verwendung", "§ 9a", 106),
        ("strahlenschutz/NiSG.md", "Gesetz zum Schutz vor nichtionisierender", "§ 6a", 9),
        ("strahlenschutz/UVSV.txt", "Verordnung zum Schutz vor schädlichen", "Anlage 8", 19),
        ("typing-peps/pep-0604.txt", "PEP 604 – Allow writing union types", "PEP 604", 15),
    ],
)
def test_other_formats(name: str, title: str, label: str, count: int) -> None:
    extraction = parse(SAMPLES / name)
    sections = build_sections(extraction)
    assert (extraction.title or "").startswith(title)
    assert label in {section.label for section in sections}
    assert len(sections) == count


class _NoPassages(BundledEmbedder):
    """Takes questions only."""

    def embed_passages(self, *_: object) -> Vectors:
        raise AssertionError("a passage of a sample has no shipped vector: make samples")


@pytest.mark.parametrize(
    "names",
    [("strahlenschutz/StrlSchG.pdf",), pytest.param(INDEXED, marks=pytest.mark.slow)],
    ids=["law", "all"],
)
def test_the_samples_come_indexed_for_the_parser_and_the_embedder_of_today(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    services = Services(Settings(home=tmp_path), embedder=_NoPassages)
    services = taken_in(services, *names)
    (first, *_others) = services.catalog.collections.list(Principal(role="admin"))
    (member, *_rest) = services.catalog.documents.ingested_members(first.collection_id)
    chunk = services.catalog.chunks.of_member(first.collection_id, member.document_id)[-1]
    fresh = BundledEmbedder().embed_passages([passage(chunk)])[0]
    key = sha256(passage(chunk).encode()).hexdigest()
    kept = services.catalog.embeddings.get(services.embedder.fingerprint, [key])[key]
    assert np.dot(fresh, np.frombuffer(kept, "<f4")) > 0.9999, "and the vector is its own"
