"""Score a run of the reading questions, and write a sheet to judge it by hand.

    python -m tests.benchmarks.reading.score FOLDER --questions Q.jsonl

Nuggets are found by their spellings, which is a first figure: whether an answer is right or
misleads is read by hand, in FOLDER/sheet.md. Beside each share stand n and Wilson's interval of
95 %; the questions with an even and an odd number in their id are also told apart.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.benchmarks import common
from tests.benchmarks.common import Row
from tests.benchmarks.reading.proxy import Call, KeptCalls
from tests.benchmarks.reading.run import ANSWERS


def plain(text: str) -> str:
    """Text in small letters with single spaces."""
    return " ".join(text.casefold().split())


@dataclass(frozen=True)
class ScoredClaim:
    """A claim of the reader, and whether it is shown, replaced by its quote, or left out."""

    text: str
    quotes: tuple[str, ...]
    outcome: str
    fault: str


@dataclass(frozen=True)
class Result:
    """An answered question with the calls that it took."""

    question: Row
    row: Row
    calls: tuple[Call, ...]

    @property
    def answerable(self) -> bool:
        return bool(self.question["gold"])

    @property
    def even(self) -> bool:
        return int(self.question["id"][1:]) % 2 == 0

    @property
    def answer(self) -> Row:
        answer: Row = self.row["answer"]
        return answer

    @property
    def shown(self) -> str:
        """The sentences of the answer."""
        return "\n".join(each["text"] for each in self.answer["sentences"])

    @cached_property
    def unread(self) -> list[Row]:
        """The gold sections that are not among those that were read."""
        return [
            gold
            for gold in self.question["gold"]
            if not any(
                each["document"] == gold["document"] and plain(gold["quote"]) in plain(each["text"])
                for each in self.row["read"]
            )
        ]

    @cached_property
    def unshown(self) -> list[Row]:
        """The gold quotes that stand in no prompt of a reading."""
        prompts = [plain(call.prompt) for call in self.calls if call.kind == "reading"]
        quotes = self.question["gold"]
        return [g for g in quotes if not any(plain(g["quote"]) in each for each in prompts)]

    @cached_property
    def lacking(self) -> list[list[str]]:
        """The nuggets of which no spelling is in the answer."""
        shown = plain(self.shown)
        return [
            group for group in self.question["must"] if not any(plain(x) in shown for x in group)
        ]

    @cached_property
    def claims(self) -> list[ScoredClaim]:
        """What the reader claimed, over all rounds."""
        drafts = [json.loads(c.reply) for c in self.calls if c.kind == "reading"]
        return [self._scored(each) for draft in drafts for each in draft.get("claims", ())]

    def _scored(self, draft: Row) -> ScoredClaim:
        text, quotes = draft["text"], tuple(each["quote"] for each in draft["sources"])
        notices = [n for n in self.answer["degraded"] if isinstance(n, dict)]
        fault = next((n for n in notices if n["fields"].get("sentence") == text), None)
        if fault is not None:
            outcome = "left out" if fault["message"].startswith("left out") else "replaced"
            words = str(fault["fields"].get("words", ""))
            return ScoredClaim(text, quotes, outcome, words or fault["message"].partition(":")[0])
        verified = any(each["text"] == text for each in self.answer["sentences"])
        return ScoredClaim(text, quotes, "verified" if verified else "not shown", "")


def results(folder: Path, questions: Iterable[Row]) -> list[Result]:
    """The answered questions of a run, in the order of the set."""
    calls = list(KeptCalls(folder / "calls.jsonl"))
    rows = {row["id"]: row for row in common.read_lines(folder / ANSWERS)}
    return [
        Result(each, rows[each["id"]], tuple(c for c in calls if c.question == each["id"]))
        for each in questions
        if each["id"] in rows
    ]


def share(name: str, values: Sequence[bool]) -> str:
    """``gold section read: 52 of 58 = .90 [.79, .95]``"""
    hits, n = sum(values), len(values)
    if not n:
        return f"{name}: none"
    low, high = common.wilson(hits, n)
    return f"{name}: {hits} of {n} = {hits / n:.2f} [{low:.2f}, {high:.2f}]"


def halves(name: str, found: Sequence[Result], holds: Callable[[Result], bool]) -> str:
    """A share over all questions, and over each half."""
    parts = [[holds(each) for each in found if each.even is even] for even in (True, False)]
    even, odd = (f"{sum(values)}/{len(values)}" for values in parts)
    return f"{share(name, [*map(holds, found)])}; even {even}, odd {odd}"


def figures(found: Sequence[Result]) -> list[str]:
    """A line for each measure."""
    asked = [each for each in found if each.answerable]
    nothing = [each for each in found if not each.answerable]
    claims = [claim for each in found for claim in each.claims]
    tokens = [sum(c.prompt_tokens + c.completion_tokens for c in each.calls) for each in found]
    room = [sum(span["tokens"] for span in each.row["read"]) for each in found]
    quotes = [n < each.row["quotes_found"] for each in found for n in range(each.row["quotes"])]
    return [
        halves("gold sections all among those read", asked, lambda r: not r.unread),
        halves("gold quotes all in a prompt", asked, lambda r: not r.unshown),
        halves("nuggets all in the answer", asked, lambda r: not r.lacking),
        halves("refused wrongly", asked, lambda r: r.answer["refused"]),
        halves("refused rightly", nothing, lambda r: r.answer["refused"]),
        *(
            share(f"claims {outcome}", [claim.outcome == outcome for claim in claims])
            for outcome in ("verified", "replaced", "left out", "not shown")
        ),
        share("shown quotes that stand in the document", quotes),
        f"calls: {common.spread([len(each.calls) for each in found])}",
        f"tokens of all calls: {common.spread(tokens)}",
        f"tokens of passages read: {common.spread(room)}",
    ]


def sheet(found: Iterable[Result]) -> str:
    """What is needed to judge each answer by hand."""
    return "\n\n".join(map(_entry, found)) + "\n"


def _entry(result: Result) -> str:
    question, answer = result.question, result.answer
    lines = [
        f"## {question['id']} ({question['type']}, {question['lang']}) {question['q']}",
        f"certainty: {answer['certainty']}",
        *(f"gold: {g['document']} {g['section']}: {g['quote']}" for g in question["gold"]),
        f"nuggets: {question['must']}; lacking: {result.lacking}",
        f"wrong would be: {question['trap']}",
        *(f"NOT READ: {g['document']} {g['section']}" for g in result.unread),
        *(f"NOT SHOWN: {g['quote']}" for g in result.unshown if g not in result.unread),
        *(f"answer: [{each['standing']}] {each['text']}" for each in answer["sentences"]),
        f"missing: {answer['missing']}",
    ]
    for claim in result.claims:
        lines.append(f"claim ({claim.outcome}) {claim.text}")
        lines += [f"    quote: {quote}" for quote in claim.quotes]
        lines += [f"    fault: {claim.fault}"] * bool(claim.fault)
    return "\n".join(lines)


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=Path, required=True)
    options = parser.parse_args()
    found = results(options.folder, common.read_lines(options.questions))
    (options.folder / "sheet.md").write_text(sheet(found), encoding="utf-8")
    print("\n".join(figures(found)))


if __name__ == "__main__":
    main()
