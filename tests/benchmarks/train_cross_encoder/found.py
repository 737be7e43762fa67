"""Written questions beside the passages that the search finds for them, to learn an order from.

    python -m tests.benchmarks.train_cross_encoder.found DATA.jsonl.gz OUT.jsonl.gz --home HOME

``DATA`` is as in tests/benchmarks/data/written; its documents are ingested in HOME, each as
``<path with __ for />.md``, in any collections. A question is searched in the collection of its
document. A line of ``OUT`` is a question with ``passages``: of each the units that can be quoted,
its heading first, and which of them (part of) the answering sentences stand in.
"""

from collections.abc import Iterator
from pathlib import Path

from agent.passages import quotable_sentences
from services.build import Services
from services.catalog.texts import Texts
from services.domain import Passage, Principal
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row
from tests.benchmarks.train_cross_encoder.fit import plain, same
from tests.benchmarks.train_cross_encoder.written import group, shown

NEAREST = 12


class Finder:
    """Searches as the fast route does, in the collection of a question's document."""

    def __init__(self, home: Path) -> None:
        self._services = Services(Settings(home=home))
        catalog, self._scopes = self._services.catalog, {}
        for collection in catalog.collections.list(Principal()):
            scope = catalog.collections.scope(Principal(), (collection.name,))
            for document in catalog.documents.list(scope):
                self._scopes[Path(document.document).stem] = scope

    def passages(self, question: str, passage: Row, gold: list[str]) -> list[Row]:
        scope = self._scopes.get(passage["path"].rsplit(".", 1)[0].replace("/", "__"))
        if scope is None:
            return []
        hits = self._services.retriever.search(question, scope=scope, k=NEAREST)
        return [_units(hit, self._services.catalog.documents, gold) for hit in hits]


def _units(chunk: Passage, documents: Texts, gold: list[str]) -> Row:
    units = quotable_sentences(chunk, documents)
    right = [
        number
        for number, unit in enumerate(units, 1)
        if any(same(plain(unit.quote), sentence) for sentence in gold)
    ]
    heading = units[0].heading if units else ""
    return {"s": [heading or "-", *(unit.full_quote for unit in units)], "g": right}


def lists(passages: list[Row], finder: Finder) -> Iterator[Row]:
    for number, passage in enumerate(passages):
        asked = [(text, gold) for text, gold in passage.get("q", ())]
        asked += [(text, []) for text in passage.get("n", ())]
        for text, gold in asked:
            sentences = [plain(passage["s"][n]) for n in gold]
            found = finder.passages(text, passage, sentences)
            if not found:
                continue
            if gold and not any(each["g"] for each in found):
                found.append({"s": shown(passage), "g": [n + 1 for n in gold]})
            source = "found" if gold else "found-none"
            yield {
                "q": text,
                "passages": found,
                "src": source,
                "lang": passage["lang"],
                "grp": group(passage),
            }
        if number % 50 == 0:
            print(number, "passages", flush=True)


def main() -> None:
    parser = common.arguments(__doc__, "home")
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    passages = list(common.read_lines(options.data))
    common.write_lines(options.out, lists(passages, Finder(options.home)))


if __name__ == "__main__":
    main()
