"""Standings and cases of a report, checked against a document with a judge from a script."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from services.cross_encoder import Entailment, Reading
from services.domain import Language, ParsedDocument, SectionSpan
from services.evidence.judge import Judge
from services.evidence.verification.reading import ClaimedReport
from services.evidence.verification.verify import Verification, verify
from services.ingestion.parse import PARSER_VERSION, FileParser

CASE = "Für Beschäftigte unter 18 Jahren gilt:"
QUOTE = "Der Grenzwert beträgt 70 Dezibel."
LAW = f"§ 2 Grenzwerte\n\n{CASE}\n\n{QUOTE}\n\n§ 3 Messung\n\nDie Stelle misst."
PROSE = "70 Dezibel beträgt der Grenzwert."


class Says:
    """Says of every claim that its quote says it, or of none."""

    name = "says"

    def __init__(self, says: float) -> None:
        self._says = says

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Reading]:
        raise NotImplementedError

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        return [Entailment(self._says, 1.0 - self._says, 0.0) for _ in pairs]


class Reader(FileParser):
    """Reads every file as the law."""

    def __init__(self) -> None:
        """It opens nothing."""

    def __call__(self, path: Path, *, language: Language = "auto") -> ParsedDocument:
        third = LAW.index("§ 3")
        return ParsedDocument(
            title="",
            text=LAW,
            pages=(),
            sections=(_section("§ 2", 0, third), _section("§ 3", third, len(LAW))),
            language="de",
            parser_version=PARSER_VERSION,
        )


def _section(label: str, start: int, end: int) -> SectionSpan:
    return SectionSpan(
        label=label, title=label, level=0, start=start, end=end, heading_path=(label,)
    )


def report(text: str = QUOTE, standing: str | None = "quote", **changed: Any) -> ClaimedReport:
    start = LAW.index(QUOTE)
    case = {"text": CASE, "start": LAW.index(CASE), "end": LAW.index(CASE) + len(CASE)}
    citation = {
        "document": "a.txt",
        "document_id": "d",
        "section": "§ 2",
        "start": start,
        "end": start + len(QUOTE),
        "quote": QUOTE,
        "case": case | changed.pop("case", {}),
    }
    sentence = {"text": text, "supported": True, "citations": [citation]}
    named = {} if standing is None else {"standing": standing}
    return ClaimedReport.model_validate(
        {
            "answer": f"> {CASE} »{text}« [1]",
            "language": "de",
            "sentences": [{**sentence, **named, **changed}],
            "sources": [
                {
                    "document": "a.txt",
                    "document_id": "d",
                    "sha256": sha256(LAW.encode()).hexdigest(),
                    "parser_version": PARSER_VERSION,
                }
            ],
        }
    )


def checked(made: ClaimedReport, folder: Path, says: float | None = None) -> Verification:
    (folder / "a.txt").write_bytes(LAW.encode())

    def judge() -> Judge:
        assert says is not None, "a judge is not needed"
        return Judge(Says(says))

    return verify([made], folder, Reader(), judge)


def test_a_quote_with_its_case_holds_and_needs_no_judge(tmp_path: Path) -> None:
    found = checked(report(), tmp_path)
    assert found.ok and not found.remarks, "the case of a quote is no word beyond the sentences"


MOVED = {"text": "Die Stelle misst.", "start": LAW.index("Die St"), "end": len(LAW)}


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (report(case={"text": "Für alle gilt:"}), "does not have the case"),
        (report(case={"start": 10_000, "end": 10_010}), "no place"),
        (report(case=MOVED), "does not stand in § 2"),
        (report(PROSE, "quote"), "it is called a quote, and has other words than its citations"),
        (report(PROSE, "loose"), "it is called supported, and its standing is loose"),
        (report(PROSE, None, citations=[]), "it is called supported and has no citation"),
    ],
)
def test_what_does_not_hold_fails(tmp_path: Path, made: ClaimedReport, reason: str) -> None:
    assert any(reason in each.reason for each in checked(made, tmp_path, says=1.0).failed)


@pytest.mark.parametrize(
    ("made", "says", "remark"),
    [
        (report(PROSE, "follows"), 1.0, None),
        (report(PROSE, "follows"), 0.85, None),
        (report(PROSE, "follows"), 0.1, "may not carry it"),
        (report(PROSE.replace("70", "90"), "follows"), 1.0, "say otherwise"),
        (report(PROSE, "loose", supported=False), None, "not shown to follow"),
        (report(PROSE, None), 1.0, None),  # of a version without standings
        (report(QUOTE, None), None, None),
    ],
)
def test_what_follows_is_judged_anew_and_remarked(
    tmp_path: Path, made: ClaimedReport, says: float | None, remark: str | None
) -> None:
    found = checked(made, tmp_path, says)
    assert found.ok and bool(found.remarks) == (remark is not None)
    assert remark is None or remark in found.remarks[0].remark
