"""Score what was read against the gold, by code."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from services.domain import Language
from services.domain.grids import Form
from services.language.forms import normalise
from tests.benchmarks.common import Row
from tests.benchmarks.grids.gold import Unit, states
from tests.benchmarks.reading.score import share

BOTH: Final[tuple[Language, ...]] = ("de", "en")


@dataclass
class Figures:
    """Shares by name, each as single outcomes; ``misses`` say what was not right and why."""

    outcomes: dict[str, list[bool]] = field(default_factory=dict)
    misses: list[str] = field(default_factory=list)

    def add(self, name: str, outcome: bool, miss: str = "") -> None:
        self.outcomes.setdefault(name, []).append(outcome)
        if not outcome and miss:
            self.misses.append(f"{name}: {miss}")

    def lines(self) -> Iterator[str]:
        for name, values in self.outcomes.items():
            yield share(name, values)


def score(set_: str, unit: Unit, result: Row, open_: Figures, locked: Figures) -> None:
    """Add the outcomes of a unit to the figures of the open and of the locked half."""
    if set_ == "grid":
        for row in unit.rows:
            _score_row(unit, row, result, locked if row["locked"] else open_)
    elif set_ == "sweep":
        _score_sweep(unit.rows[0], result, locked if unit.rows[0]["locked"] else open_)
    else:
        _score_pairs(unit, result, locked if unit.rows[0]["locked"] else open_)


def _score_row(unit: Unit, row: Row, result: Row, figures: Figures) -> None:
    cells = {(cell["document"], cell["column"]): cell for cell in result["cells"]}
    for number, ((question, form), gold) in enumerate(
        zip(unit.columns, row["cells"], strict=True), start=1
    ):
        cell = cells.get((row["document"], number))
        told = "; ".join(f["value"] for f in cell["findings"]) if cell else "no such cell"
        miss = f"{row['document']}: {question} {told!r}"
        if cell is None or cell["state"] is None:
            figures.add("cells read", False, miss)
            cell = {"state": None, "findings": [], "read_all": False}
        else:
            figures.add("cells read", True)
        if gold is None:
            figures.add("absent right", cell["state"] == "absent" and cell["read_all"], miss)
            continue
        right = is_right(cell["findings"], gold, form, unit.language)
        figures.add("value right", right, miss)
        if right:
            quotes = quotes_of(cell["findings"])
            figures.add(
                "quote decides the value", states(quotes, decisive(gold)), f"{miss}: {quotes}"
            )
            figures.add(
                "value in its compared form", _compares(cell, gold, form, unit.language), miss
            )
        if cell["findings"]:
            name = "right" if right else "wrong"
            figures.add(f"{name} values that are to check", cell["state"] == "to_check")


def is_right(findings: Sequence[Row], gold: Row, form: Form, language: Language) -> bool:
    """Return whether one value is right and none is wrong; of a list, whether all items are there.

    ``also`` are values for other cases, which may stand beside the right one.
    """
    values = [finding["value"] for finding in findings]
    items = gold.get("items") or [gold]
    other = {"values": [*gold.get("also", ()), *(v for item in items for v in item["values"])]}
    return all(
        any(_fits(value, item["values"], form, language) for value in values) for item in items
    ) and all(_fits(value, other["values"], form, language) for value in values)


def _fits(value: str, accepted: Sequence[str], form: Form, language: Language) -> bool:
    """Return whether a value is one of those accepted.

    A text may say more. A value is in either language, as it stands in its document.
    """
    wanted = {normalise(each, form, language).text for each in accepted}
    given = {normalise(value, form, each).text for each in BOTH}
    if form in ("text", "party", "list"):
        return any(re.search(rf"(?<!\w){re.escape(w)}", text) for w in wanted for text in given)
    return bool(wanted & given)


def _compares(cell: Row, gold: Row, form: Form, language: Language) -> bool:
    """Return whether the product compares and sorts the values as what they are."""
    if form in ("text", "party", "list"):
        return True
    accepted = [*gold["values"], *gold.get("also", ())]
    wanted = {normalise(each, form, language).text for each in accepted}
    return all(finding["normal"] in wanted for finding in cell["findings"])


def decisive(gold: Row) -> list[str]:
    """Return the words that a cell's quotes must have."""
    return [words for item in gold.get("items") or [gold] for words in item["decide"]]


def quotes_of(findings: Iterable[Row]) -> str:
    return " … ".join(quote["text"] for finding in findings for quote in finding["quotes"])


def _score_sweep(row: Row, result: Row, figures: Figures) -> None:
    """A section is found if a quote of it has its words; a finding is right if it is in one."""
    findings = [finding for group in result["groups"] for finding in group["findings"]]
    read_all = result["sections_read"] == result["sections"] > 0
    figures.add("all sections read", read_all, row["id"])
    if not row["sections"]:
        told = "; ".join(finding["claim"] for finding in findings)
        figures.add("nowhere right", not findings and read_all, f"{row['id']}: {told}")
        return
    for gold in row["sections"]:
        found = any(_is_of(quote, gold) for finding in findings for quote in finding["quotes"])
        figures.add("sections found", found, f"{row['id']}: {gold['document']} {gold['section']}")
    for finding in findings:
        right = any(_is_of(quote, gold) for quote in finding["quotes"] for gold in row["sections"])
        figures.add("findings right", right, f"{row['id']}: {finding['claim']} {finding['quotes']}")


def _is_of(quote: Row, gold: Row) -> bool:
    """Return whether a quote stands in a section and has its words."""
    if quote["document"] != gold["document"] or not states(quote["text"], gold["words"]):
        return False
    return re.match(rf"{re.escape(gold['section'])}(?!\w)", quote["section"]) is not None


def _score_pairs(unit: Unit, result: Row, figures: Figures) -> None:
    told = [pair["ids"] for pair in result["pairs"]]
    for row in unit.rows:
        if "second" not in row:
            continue
        miss = f"{row['id']}: {row['first']['claim']} / {row['second']['claim']}"
        if row["relation"] == "contradiction":
            figures.add("contradictions found", [row["id"]] in told, miss)
        else:
            figures.add("other pairs not told", [row["id"]] not in told, miss)
    pairs = {row["id"] for row in unit.rows if row.get("relation") == "contradiction"}
    for pair in result["pairs"]:
        right = len(pair["ids"]) == 1 and pair["ids"][0] in pairs
        figures.add("told pairs right", right, f"{pair['ids']}: {pair['why']}")


def compare(set_: str, first: Row, again: Row, figures: Figures) -> None:
    """Add what is the same in two runs of a unit."""
    if set_ == "sweep":
        figures.add("second run: same sections", _sections(first) == _sections(again))
    elif set_ == "contradictions":
        ids = [{tuple(pair["ids"]) for pair in run["pairs"]} for run in (first, again)]
        figures.add("second run: same pairs", ids[0] == ids[1])
    else:
        cells = {(cell["document"], cell["column"]): cell for cell in again["cells"]}
        for cell in first["cells"]:
            other = cells[cell["document"], cell["column"]]
            same = _normals(cell) == _normals(other)
            figures.add("second run: same values", same)
            if same and cell["findings"]:
                figures.add("second run: same spans", _spans(cell) == _spans(other))


def _sections(run: Row) -> set[tuple[str, str]]:
    findings = [finding for group in run["groups"] for finding in group["findings"]]
    return {(q["document"], q["section"]) for finding in findings for q in finding["quotes"]}


def _normals(cell: Row) -> tuple[str, set[str]]:
    state = "absent" if cell["state"] == "absent" else "read" if cell["state"] else ""
    return state, {finding["normal"] for finding in cell["findings"]}


def _spans(cell: Row) -> set[tuple[str, int, int]]:
    return {(d, start, end) for f in cell["findings"] for d, start, end in f["spans"]}
