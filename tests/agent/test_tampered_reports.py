"""Reports of the real pipeline hold; tampered with in any way they do not."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.offline import verified
from services.domain.errors import InvalidInput
from services.report_check.report import readable_copy
from services.settings import Settings
from tests.support.tampered import Case, Json, made_reports


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Json]]:
    folder = tmp_path_factory.mktemp("made")
    return folder, made_reports(folder)


@pytest.fixture
def case(made: tuple[Path, dict[str, Json]], tmp_path: Path) -> Case:
    folder, reports = made
    return Case(reports["research"], tmp_path, folder / "docs")


@pytest.fixture
def paged(made: tuple[Path, dict[str, Json]], tmp_path: Path) -> Case:
    folder, reports = made
    return Case(reports["pdf"], tmp_path, folder / "docs")


def test_what_the_pipeline_says_holds(made: tuple[Path, dict[str, Json]], tmp_path: Path) -> None:
    folder, reports = made
    for report in reports.values():
        found = Case(report, tmp_path, folder / "docs").verified()
        assert found["ok"] and found["failed"] == found["remarks"] == []
        assert found["checked"] >= sum(len(s["citations"]) for s in report["sentences"]) > 0
        assert [(d["document"], d["sha256"], d["path"]) for d in found["documents"]] == [
            (s["document"], s["sha256"], f"laws/{s['document']}") for s in report["sources"]
        ]


def test_a_conversation_and_a_trace_are_checked_by_their_turns(case: Case) -> None:
    whole = case.report
    case.report = {"turns": [{}], "report": {"turns": [whole, whole]}}
    found = case.verified()
    assert found["ok"] and found["sentences"] == 2 * len(whole["sentences"])


TAMPERED: dict[str, tuple[Callable[[Case], object], str]] = {
    "a wrong letter": (
        lambda case: case.citation.update(quote=case.citation["quote"].replace("Dezibel", "Dezi")),
        "does not contain these words",
    ),
    "a page where there are none": (lambda case: case.citation.update(page=1), "has no pages"),
    "another section": (
        lambda case: case.citation.update(section="§ 4"),
        "report says § 4, but the quote is in § 2",
    ),
    "no citation": (
        lambda case: case.sentence.update(citations=[]),
        "it is called supported but has no citation",
    ),
    "citations that disown themselves": (
        lambda case: [each.update(verified=False) for each in case.sentence["citations"]],
        "it is called supported, but none of its citations is right",
    ),
    "another answer": (
        lambda case: case.report.update(answer=case.report["answer"].replace("70 Dez", "75 Dez")),
        "the text of the answer does not contain this sentence",
    ),
    "a document that is no source": (
        lambda case: case.citation.update(document_id="0" * 64),
        "its document is not one of the sources of the report",
    ),
    "a document under another name": (
        lambda case: case.citation.update(document="Grundgesetz.pdf"),
        "lists this document as LaermG.txt",
    ),
    **{
        f"the span {start}-{end}": (
            lambda case, start=start, end=end: case.citation.update(start=start, end=end),
            "no span",
        )
        for start, end in ((-5, 20), (30, 10), (4, 4), (10**9, 10**9 + 5))
    },
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_report_that_was_tampered_with_fails_and_says_why(case: Case, what: str) -> None:
    tamper, said = TAMPERED[what]
    tamper(case)
    assert any(said in reason for reason in case.reasons())


def test_a_shifted_span_fails_and_layout_does_not_count(case: Case) -> None:
    case.citation["quote"] = case.citation["quote"].replace(" ", "\n  ")
    assert case.verified()["ok"]
    right = f"{case.citation['start']}-{case.citation['end']}"
    for border in ("start", "end"):
        case.citation[border] += 7
    assert any(f"but at {right}" in reason for reason in case.reasons())


def test_a_wrong_page_and_places_beside_the_sentences_fail(paged: Case) -> None:
    right = paged.citation["page"]
    for page in (99, None):
        paged.citation["page"] = page
        assert any(f"is on page {right}" in reason for reason in paged.reasons())
    paged.citation["page"] = right
    paged.report["citations"][0]["quote"] = "Der Betreiber schuldet nichts."
    assert [each["sentence"] for each in paged.verified()["failed"]] == [None]


def test_words_that_are_no_sentence_are_remarked(case: Case) -> None:
    case.report["answer"] += "\n\nDie Behörde erlaubt alles."
    found = case.verified()
    assert found["ok"], found["failed"]
    assert "erlaubt alles" in found["remarks"][0]["remark"]


def test_documents_are_known_by_their_bytes_whatever_they_are_called(
    case: Case, tmp_path: Path
) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)

    def reason() -> str:
        found = case.verified(tmp_path / "a")
        assert not found["ok"] and not found["documents"][0]["found"]
        return str(found["failed"][0]["reason"])

    assert "LaermG.txt was found; give its folder with --documents" in reason()
    (folder / "LaermG.txt").write_text("§ 2 Der Grenzwert beträgt 300 Dezibel.", encoding="utf-8")
    assert "differs from the one" in reason()
    shutil.copy(case.documents / "laws" / "LaermG.txt", folder / "umbenannt (1).md")
    found = case.verified(tmp_path / "a")
    assert found["ok"] and found["documents"][0]["path"] == "b/umbenannt (1).md"


def test_without_a_folder_the_originals_of_a_home_serve(
    made: tuple[Path, dict[str, Json]], case: Case, tmp_path: Path
) -> None:
    case.verified()
    report = tmp_path / "report.json"
    found = verified(report, None, Settings(home=made[0] / "home"))
    assert found["ok"] and found["documents"][0]["path"] is None
    assert not verified(report, None, Settings(home=tmp_path / "none"))["ok"]


def test_another_parser_is_said(case: Case) -> None:
    case.report["sources"][0]["parser_version"] = "rabbithole-0"
    found = case.verified()
    assert found["ok"], found["failed"]
    assert "parser rabbithole-0" in found["documents"][0]["remark"]
    case.citation["quote"] = "Etwas anderes, das dort nicht steht."
    assert any("parser rabbithole-0" in reason for reason in case.reasons())


def test_a_hostile_name_leads_nowhere(case: Case) -> None:
    name = "../../../etc/\x1b[31m" + "x" * 400 + "/LaermG.txt"
    case.report["sources"][0]["document"] = name
    for part in (*case.report["sentences"], case.report):
        for citation in (*part.get("citations", ()), *part.get("quotes", ())):
            citation["document"] = name
    assert case.verified()["ok"]


@pytest.mark.parametrize("name", ["../above/LaermG.txt", "..", "/above", "a/../../above/x.pdf"])
def test_what_is_read_lies_in_its_folder_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    (file := tmp_path / "kept").write_text("Ein Satz.")
    for folder in ("above", "within"):
        (tmp_path / folder).mkdir()
    copy = readable_copy(file, name, tmp_path / "within")
    assert copy.parent == tmp_path / "within" and copy.read_text() == "Ein Satz."


def test_a_kept_file_counts_by_its_bytes_and_not_by_its_name(case: Case, tmp_path: Path) -> None:
    (folder := tmp_path / "kept").mkdir()
    (folder / case.report["sources"][0]["sha256"]).write_text("Etwas anderes.")
    assert not case.verified(folder)["documents"][0]["found"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is not JSON"),
        ("{" * 9, "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[1, 2]", "is not a report"),
        ('{"hits": []}', "is not a report"),
        ('{"turns": [7]}', "is not a complete report"),
        ('{"sentences": [{"text": 1}], "sources": []}', "is not a complete report"),
        ('{"answer": "", "sentences": [], "sources": [{"document": "a", "document_id": "a", '
         '"sha256": "../../x"}]}', "sources.0.sha256"),
    ],
)  # fmt: skip
def test_what_is_no_report_is_said_clearly(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "report.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=said):
        verified(file, tmp_path, Settings(home=tmp_path))


def test_neither_a_missing_file_nor_a_missing_folder_passes(case: Case, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        verified(tmp_path / "nothing.json", None, Settings(home=tmp_path))
    with pytest.raises(InvalidInput, match="There is no folder"):
        case.verified(tmp_path / "nowhere")
