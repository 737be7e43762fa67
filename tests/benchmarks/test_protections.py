"""The list of protections fits the code, and a test that cannot run does not count as failed."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.benchmarks.protections import ROOT, Protection, outcome, read_table

TABLE = read_table()


@cache
def names_in(file: Path) -> set[str]:
    """Tests and classes of a file, with those that its classes take over left out."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {each.name for each in ast.walk(ast.parse(file.read_text())) if isinstance(each, kinds)}


@pytest.mark.parametrize("protection", TABLE, ids=lambda each: each.name)
def test_a_protection_is_where_the_list_says_and_so_is_its_test(protection: Protection) -> None:
    source = (ROOT / protection.file).read_text(encoding="utf-8")
    changed = protection.without(source)
    assert changed != source
    if protection.file.endswith(".py"):
        compile(changed, protection.file, "exec")
    file, *parts = protection.test.split("::")
    assert protection.test.startswith("tests/") and (ROOT / file).is_file()
    inherited = (ROOT / "tests" / "contracts").glob("*_contract.py")
    known = set().union(names_in(ROOT / file), *map(names_in, inherited))
    assert {re.sub(r"\[.*", "", part) for part in parts} <= known


def test_names_are_given_once_and_the_page_says_how_many_there_are() -> None:
    assert [name for name, count in Counter(each.name for each in TABLE).items() if count > 1] == []
    said = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    assert re.findall(r"(\d+) protections", said) == [str(len(TABLE))]


FAILED = '<failure message="AssertionError: assert 1 == 2"/>'


@pytest.mark.parametrize(
    ("case", "status", "ended"),
    [
        ("", 0, "passed"),
        (FAILED, 1, "failed"),
        ('<failure message="NameError: name &#39;x&#39; is not defined"/>', 1, "broken"),
        ('<error message="collection failure"/>', 2, "broken"),
        (f'<error message="failed on teardown"/>{FAILED}', 1, "broken"),
        ('<skipped message="no kernel for it"/>', 0, "broken"),
    ],
)
def test_only_a_test_that_ran_and_failed_has_noticed(case: str, status: int, ended: str) -> None:
    report = f"<testsuites><testsuite><testcase>{case}</testcase></testsuite></testsuites>"
    assert outcome(ElementTree.fromstring(report), status).ended == ended


def test_what_stands_there_not_once_is_an_error() -> None:
    for text, found in (("gone", 0), ("a", 2)):
        with pytest.raises(ValueError, match=f"stands {found} times"):
            Protection("n", "x", "f.py", text, "tests/t.py").without("a = a")
