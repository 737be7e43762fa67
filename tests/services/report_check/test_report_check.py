"""Standings and cases of a report, checked against a document."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from services.domain import Language, ParsedDocument, SectionSpan
from services.ingestion.parse import PARSER_VERSION, FileParser
from services.report_check.check import ReportCheck, check_reports
from services.report_check.report import ClaimedReport

CASE = "Für Beschäftigte unter achtzehn Jahren gilt:"
QUOTE = "Der Grenzwert beträgt 70 Dezibel."
LAW = f"§ 2 Grenzwerte\n\n{CASE}\n\n{QUOTE}\n\n§ 3 Messung\n\nDie Stelle misst."
PROSE = "70 Dezibel beträgt der Grenzwert."


class Reader(FileParser):
    """Reads every file as the law, in the language that it is told."""

    def __init__(self) -> None:
        """It opens nothing."""

    def __call__(self, path: Path, *, language: Language = "auto") -> ParsedDocument:
        third = LAW.index("§ 3")
        return ParsedDocument(
            title="",
            text=LAW,
            pages=(),
            sections=(_section("§ 2", 0, third), _section("§ 3", third, len(LAW))),
            language="de" if language == "auto" else language,
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


def checked(made: ClaimedReport, folder: Path) -> ReportCheck:
    (folder / "a.txt").write_bytes(LAW.encode())
    return check_reports([made], folder, Reader())


def test_a_quote_with_its_case_holds(tmp_path: Path) -> None:
    found = checked(report(), tmp_path)
    assert found.ok and not found.remarks, "the case of a quote is no word beyond the sentences"


MOVED = {"text": "Die Stelle misst.", "start": LAW.index("Die St"), "end": len(LAW)}


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (report(case={"text": "Für alle gilt:"}), "the case of the quote is not at"),
        (report(case={"start": 10_000, "end": 10_010}), "no span"),
        (report(case=MOVED), "is not in § 2"),
        (
            report(PROSE, "quote"),
            "it is called a quote, but its words differ from those of its citations",
        ),
        (report(PROSE, "loose"), "it is called supported, but its standing is loose"),
        (report(PROSE, None, citations=[]), "it is called supported but has no citation"),
        (report(PROSE.replace("70", "90"), "follows"), "question contain: 90"),
        (report(f"Nach § 3 gilt: {PROSE}", "follows"), "question contain: § 3"),
        (report(PROSE.replace("70", "90"), None), "question contain: 90"),
    ],
)
def test_what_does_not_hold_fails(tmp_path: Path, made: ClaimedReport, reason: str) -> None:
    assert any(reason in each.reason for each in checked(made, tmp_path).failed)


def test_what_follows_states_the_numbers_of_its_sections_or_of_the_question(
    tmp_path: Path,
) -> None:
    """Those of the whole section count, of what is asked, and what is calculated from them."""
    for text in (PROSE, f"Nach § 2 sind für 17-Jährige unter 18 Jahren {PROSE}"):
        made = report(text, "follows").model_copy(update={"question": "Was gilt für 17-Jährige?"})
        found = checked(made, tmp_path)
        assert found.ok and not found.remarks, found
    assert checked(report(PROSE, None), tmp_path).ok, "of a version without standings"


def test_a_document_is_read_in_its_own_language(tmp_path: Path) -> None:
    made = report("The limit for those under 18 years is 70 decibels.", "follows")
    assert checked(made.model_copy(update={"language": "en"}), tmp_path).ok


def test_what_the_report_itself_calls_no_proof_is_remarked(tmp_path: Path) -> None:
    found = checked(report(PROSE.replace("70", "90"), "loose", supported=False), tmp_path)
    assert found.ok and "not shown to follow" in found.remarks[0].remark
