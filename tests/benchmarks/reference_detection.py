"""Are the references in a law found, and do they lead to the right section?

    python -m tests.benchmarks.reference_detection --home HOME --collection NAME

``data/marked_references.json`` has every reference on ten pages of StrlSchG, drawn by
``random.Random(6).sample(range(1, 118), 10)`` and marked by reading them before the detector was
run there. A reference names a section, an annex or a part of the law, or another document; each
label of an enumeration and of a range counts. ``Absatz 1`` of the same section does not, nor does
what page borders cut off. References in headings count, the headings themselves do not.

What is detected is compared page by page, by label and by whether it means this law; what leads
into the corpus is right if it leads to the marked section.
"""

from collections import Counter

from services.domain import SearchFilter
from services.references.registry import Registry
from tests.benchmarks import common

LAW = "StrlSchG.pdf"

Key = tuple[str | None, bool]
"""Label, and whether it stands in this law."""


def main() -> None:
    options = common.arguments(__doc__, "home", "collection").parse_args()
    services, scope = common.open_scope(options.home, options.collection)
    catalog = services.catalog
    registry = Registry(catalog.references.aliases(scope))
    documents = catalog.corpus.documents(scope, SearchFilter())
    (law,) = (each for each in documents if each.document == LAW)
    labels = {each.label for each in catalog.corpus.sections(law.text_id)}
    totals: Counter[str] = Counter()
    text = catalog.documents.text(law.document_id)
    pages = [*catalog.documents.parsed(law.document_id).pages, len(text)]
    for page in common.read_json(common.DATA / "marked_references.json"):
        marked = Counter((each["label"], each["inside"]) for each in page["references"])
        found: Counter[Key] = Counter()
        start, end = pages[page["page"] - 1 : page["page"] + 1]
        for each in catalog.references.within(law.document_id, start, end):
            way = registry.resolve(each, from_document_id=law.document_id)
            found[each.label, way.document_id == law.document_id] += 1
        right = marked & found
        inside = {key: n for key, n in marked.items() if key[1]}
        leading = {key: n for key, n in right.items() if key[1] and key[0] in labels}
        totals.update(
            marked=marked.total(),
            detected=right.total(),
            found=found.total(),
            inside=sum(inside.values()),
            resolved=sum(leading.values()),
            sections=sum(n for key, n in marked.items() if key[0]),
            sections_detected=sum(n for key, n in right.items() if key[0]),
        )
        for name, rest in (("missed", marked - found), ("wrong", found - marked)):
            if rest:
                print(f"page {page['page']}: {name} {sorted(rest.items(), key=str)}")
    print(f"{totals['marked']} marked, {totals['found']} found")
    print(f"detected: {totals['detected'] / totals['marked']:.1%}, of those that name a section "
          f"{totals['sections_detected'] / totals['sections']:.1%}")  # fmt: skip
    print(f"precision: {totals['detected'] / totals['found']:.1%}")
    print(f"resolved to the right section, of {totals['inside']} that point into the law: "
          f"{totals['resolved'] / totals['inside']:.1%}")  # fmt: skip


if __name__ == "__main__":
    main()
