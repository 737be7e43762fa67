"""Questions whose answer needs two sections that a reference joins: by rule, and by hand.

    python -m tests.benchmarks.multi_hop_questions --home HOME --collection NAME

writes ``data/multi_hop_questions.json`` anew. The rule, fixed before anything was tuned:

1. A *citing section* has a label that begins with ``§`` and a heading that stands nowhere else in
   the collection, names no section itself (those of transitional provisions do), and has at least
   two content words.
2. Its references are those that begin in its span, resolved as the product resolves them. One
   leads on if it leads to another section (of any kind) of any document of the collection.
3. It counts if all references that lead on lead to one and the same section. That section and the
   citing one are the gold: the citing one says what applies, the other what it means by it.
4. The question is the heading up to its first semicolon and the fact that it refers onward:
   "HEADING: Was gilt dafür, und was steht dort, worauf dabei verwiesen wird?"
5. In the order of documents by name and of their text, every second question, beginning with the
   first, is for tuning (``dev``), the others for reporting (``test``).

``data/multi_hop_by_hand.json`` has 20 questions that name no section and do not say that anything
refers to anything. They were written from the text of the law before any result was looked at;
nothing is tuned on them.

``data/multi_hop_one_question.json`` has others of the kind, each put as one question: 25 to tune on
(``dev``), and 18 (``test``) that were written when all was tuned, before they were searched for. No
section of the questions by hand is among theirs.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from services.catalog import Catalog
from services.catalog.corpus import SectionLine
from services.domain import Scope, SearchFilter
from services.language.text import stems
from services.references.registry import Registry
from tests.benchmarks import common
from tests.benchmarks.common import DATA, Question, Section

BY_RULE = DATA / "multi_hop_questions.json"
BY_HAND = DATA / "multi_hop_by_hand.json"
ONE_QUESTION = DATA / "multi_hop_one_question.json"
ASKED = "{}: Was gilt dafür, und was steht dort, worauf dabei verwiesen wird?"
LEAST_WORDS = 2
NAMES_SECTION = re.compile(r"§|Anlage \d|Artikel \d")


def citing(
    catalog: Catalog, scope: Scope
) -> Iterator[tuple[SectionLine, Section, frozenset[Section]]]:
    """Every section, its name, and the others that it refers to, in reading order."""
    registry = Registry(catalog.references.aliases(scope))
    documents = catalog.corpus.documents(scope, SearchFilter())
    names = {each.document_id: Path(each.document).stem for each in documents}
    sections = {each.document_id: catalog.corpus.sections(each.text_id) for each in documents}
    labels = {of: {each.label for each in found} for of, found in sections.items()}
    for source, found in sections.items():
        for section in found:
            references = catalog.references.within(source, section.start, section.end)
            ways = (registry.resolve(each, from_document_id=source) for each in references)
            cited = {
                (names[way.document_id], way.label)
                for way in ways
                if way.document_id is not None and way.label is not None
                if way.label in labels[way.document_id]
            }
            place = (names[source], section.label)
            yield section, place, frozenset(cited - {place})


def by_rule(sections: list[tuple[SectionLine, Section, frozenset[Section]]]) -> list[Question]:
    """The questions of the rule above."""
    headings = Counter(heading(section) for section, _, _ in sections)
    found = [
        (heading(section), frozenset({place, *cited}))
        for section, place, cited in sections
        if section.label.startswith("§") and len(cited) == 1
        if headings[heading(section)] == 1 and not NAMES_SECTION.search(heading(section))
        if len(stems(heading(section), "de")) >= LEAST_WORDS
    ]
    return [
        Question(ASKED.format(subject.split(";")[0]), gold, ("dev", "test")[n % 2])
        for n, (subject, gold) in enumerate(found)
    ]


def heading(section: SectionLine) -> str:
    """What a heading says besides its label."""
    return " ".join(section.title.removeprefix(section.label).split())


def joined(gold: frozenset[Section], graph: Mapping[Section, frozenset[Section]]) -> bool:
    """Whether one of the two sections refers to the other."""
    first, second = sorted(gold)
    none: frozenset[Section] = frozenset()
    return second in graph.get(first, none) or first in graph.get(second, none)


def main() -> None:
    options = common.arguments(__doc__, "home", "collection").parse_args()
    services, scope = common.open_scope(options.home, options.collection)
    rows = [
        {"split": each.split, "question": each.text, "gold": [list(s) for s in sorted(each.gold)]}
        for each in by_rule(list(citing(services.catalog, scope)))
    ]
    lines = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    BY_RULE.write_text(f"[\n  {lines}\n]\n", encoding="utf-8")
    print(Counter(row["split"] for row in rows))


if __name__ == "__main__":
    main()
