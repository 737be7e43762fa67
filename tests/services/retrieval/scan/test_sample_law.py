"""The sample law, counted once by the scan and once by a script that shares nothing with it."""

from services.catalog import Catalog
from services.ingestion.parse import parse_file
from services.ingestion.registry import aliases_of
from services.retrieval.scan.asked import scan_asked
from services.retrieval.scan.scanner import Scanner
from services.retrieval.scan.values import KindCounts, ScanRequest, ScanResult
from services.settings import Settings
from tests.benchmarks.count_word import counted
from tests.services.retrieval.scan.conftest import ANNA
from tests.support.documents import store

QUESTION = "In wie vielen Paragraphen des Strahlenschutzgesetzes kommt das Wort {} vor?"


def test_the_counts_are_those_of_an_independent_script(catalog: Catalog, scanner: Scanner) -> None:
    law = Settings().samples / "strahlenschutz" / "StrlSchG.pdf"
    parsed = parse_file(law, timeout_s=120, memory_mb=2000)
    place = catalog.collections.ensure(ANNA, "laws").collection_id
    document = store(catalog, place, parsed, name=law.name, chunks=[])
    aliases = aliases_of(parsed, document=law.name, document_id=document)
    catalog.documents.attach(place, document, document=law.name, source=None, aliases=aliases)
    scope = catalog.collections.scope(ANNA, None)

    def asked(word: str) -> ScanResult:
        request = ScanRequest(term=word, languages=("de",))
        return scan_asked(scanner, catalog, QUESTION.format(word), request, scope=scope)

    texts = [
        (section.label, parsed.text[section.start : section.end])
        for section in parsed.sections
        if section.label.startswith("§")
    ]
    for word in ("Freigrenze", "Überwachungsbereich", "Strahlenschutzbeauftragte"):
        found = asked(word)
        holding, forms = counted(texts, word)
        exact = [each.section for each in found.places if each.occurrences.exact]
        assert exact == holding["the word itself"]
        assert [each.section for each in found.places] == holding["any form that contains it"]
        assert {each.form: each.count for each in found.forms} == dict(forms)
        assert (found.named, found.sections_searched) == (("StrlSchG.pdf",), len(texts))
    freigrenze = asked("Freigrenze")
    assert freigrenze.sections == KindCounts(exact=1, inflection=9, any=9)
    assert freigrenze.occurrences == KindCounts(exact=1, inflection=16, any=17)
    assert (freigrenze.sections_searched, freigrenze.elsewhere.inflection) == (230, 2)
