"""What replaces, amends or repeals a document: found, shown, read, and told with older answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine, connect_to
from services.domain import Principal
from services.domain.notices import Notice
from services.retrieval.lexical import TantivyIndex
from services.settings import Settings
from tests.support.desk import ask, make_services
from tests.support.scripted_model import ScriptedModel

LEASE = """---
date: 2021-03-01
---
# Lease of the boathouse

## 1 Rent

1.1 The rent is 300 euros.

## 2 Keys

2.1 The tenant has two keys.
"""
AMENDMENT = """---
date: 2023-09-15
---
# Amendment No. 1

to the Lease of the boathouse

Signed in Hull. The parties agree with effect from 1 October 2023:

## 1 Rent

Clause 1.1 of the Lease is replaced by the following: "1.1 The rent is 340 euros."
"""
LETTER = """---
date: 2024-02-01
---
# Letter

The lock was replaced under clause 1.1 of the Lease. Thank you.
"""
RULES = "# House rules ({year})\n\n{first}\n\n## Noise\n\nQuiet starts at {hour}.\n"
RENT = "How much is the rent?"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    services = make_services(tmp_path / "home", lexical=lambda: TantivyIndex(tmp_path / "words"))
    with connect_to(services, Principal()) as client:
        yield client


def put(engine: Engine, folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    engine.library.ingest([folder / f"{name}.md" for name in files], "papers", language="en")


def told(turn: dict[str, Any]) -> str:
    return " ".join(str(Notice.model_validate(warning)) for warning in turn["warnings"])


def test_an_older_answer_says_what_replaces_its_clause_as_long_as_that_is_there(
    engine: Engine, tmp_path: Path
) -> None:
    put(engine, tmp_path, lease=LEASE, letter=LETTER)
    before = ask(engine, RENT)
    thread = before["thread_id"]
    assert "300 euros" in before["answer"]
    assert before["warnings"] == before["replaced"] == []

    put(engine, tmp_path, amendment=AMENDMENT)
    (turn,) = engine.answers.turns(thread)
    change = {"document": "lease.md", "section": "1", "by": "amendment.md"}
    assert turn["replaced"] == [change] and "The rent is 340 euros." in told(turn)
    exported = engine.threads.export_report(thread, "md").decode()
    assert "1.1 is replaced by amendment" in exported
    (relation,) = engine.library.relations(engine.library.document("lease.md").document_id)
    assert (relation.kind, relation.label, relation.document) == ("replaces", "1.1", "amendment.md")
    assert relation.introduction == "The parties agree with effect from 1 October 2023:"
    letter = engine.library.document("letter.md").document_id
    assert engine.library.relations(letter) == []

    after = ask(engine, RENT)
    assert "340 euros" in after["answer"] and after["replaced"] == [change]
    keys = ask(engine, "How many keys does the tenant have?")
    assert "two keys" in keys["answer"] and "amendment.md" not in told(keys)

    engine.library.remove_document("papers", "amendment.md")
    (turn,) = engine.answers.turns(thread)
    assert turn["replaced"] == [] and turn["warnings"] == []


def test_an_older_answer_says_that_its_file_has_a_newer_version(
    engine: Engine, tmp_path: Path
) -> None:
    put(engine, tmp_path, lease=LEASE)
    thread = ask(engine, RENT)["thread_id"]
    put(engine, tmp_path, lease=LEASE.replace("300", "320"))
    (turn,) = engine.answers.turns(thread)
    assert "lease.md has a later version" in told(turn)


def test_a_file_of_the_same_name_in_another_folder_is_no_later_version(
    engine: Engine, tmp_path: Path
) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder, text in (
        (ours, LEASE),
        (ours, LEASE.replace("300", "320")),
        (theirs, LEASE.replace("boathouse", "kiosk")),
    ):
        folder.mkdir(exist_ok=True)
        put(engine, folder, lease=text)
    library = engine.library
    (old,) = [info for info in library.versions("papers", "lease.md") if info.status == "retired"]
    current = [info.document_id for info in library.documents("papers")]
    assert len(current) == 2 and [library.relations(each) for each in current] == [[], []]
    (newer,) = library.relations(old.document_id)
    assert "320" in library.open_document(newer.document_id).parsed.text


def test_two_versions_are_compared_by_the_sentences_that_differ(
    engine: Engine, tmp_path: Path
) -> None:
    newer = "This version replaces the House rules of 2019."
    files = {
        "house rules 2019": RULES.format(year=2019, first="They hang in the hall.", hour="ten"),
        "house rules 2024": RULES.format(year=2024, first=newer, hour="nine"),
    }
    put(engine, tmp_path, **files)
    turn = ask(engine, "How do house rules 2024 differ from house rules 2019?")
    quoted = [sentence["text"] for sentence in turn["sentences"]]
    assert quoted[-2:] == ["Quiet starts at ten.", "Quiet starts at nine."]
    assert "house rules 2019.md" in turn["answer"] and "house rules 2024.md" in turn["answer"]
    named = ask(engine, "When does quiet start in house rules 2019.md?")
    assert {each["document"] for each in named["sources"][:1]} == {"house rules 2019.md"}
    which = ask(engine, "Which documents say when quiet starts?")
    assert all(f"house rules {year}.md" in which["answer"] for year in (2019, 2024))


def test_a_model_that_reads_decides_what_a_sentence_does_and_is_told_what_holds(
    tmp_path: Path,
) -> None:
    by = "In place of the rules of PEP 8 on tabs come these. See PEP 7."
    kinds = [{"number": 1, "kind": "replaces"}, {"number": 2, "kind": "none"}]
    model = ScriptedModel(
        [
            ("^relations$", {"relations": kinds}),
            ("^words$", {"queries": [], "passage": ""}),
            ("^read$", {"answered": "no", "claims": [], "missing": ""}),
        ]
    )
    settings = Settings(home=tmp_path / "home", llm="none", reads="yes")
    services = make_services(settings.home, model, settings=settings)
    with connect_to(services, Principal()) as engine:
        put(
            engine,
            tmp_path,
            pep8="PEP: 8\nTitle: Tabs\n\n# PEP 8 Tabs\n\nUse tabs.",
            pep7="PEP: 7\nTitle: C\n\n# PEP 7 C\n\nWrite C.",
            pep9=f"PEP: 9\nTitle: Blanks\n\n# PEP 9 Blanks\n\n{by} Use blanks.",
        )
        document = engine.library.document("pep8.md").document_id
        (relation,) = engine.library.relations(document)
        assert (relation.kind, relation.document) == ("replaces", "pep9.md")
        ask(engine, "How are lines of code indented?", collections=["papers"], depth="fast")
    prompts = [r.messages[-1].content for r in model.requests if r.task == "read"]
    assert "replaced by pep9.md" in prompts[0]
