"""Cases of plan memory in the catalog: each is its owner's alone, whatever the role."""

import pytest

from services.catalog import Catalog
from services.catalog.work_models import PlanCaseRow
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import EventKey, PlanRecalled
from services.domain.plan_cases import CaseTask, PlanCase
from services.library.thresholds import Vote
from tests.services.catalog.conftest import ADMIN, ANNA, BEN, Count
from tests.support.catalogs import log_event

CASE = PlanCase(
    case_id="",
    thread_id="t1",
    kind="research",
    language="de",
    question="Welche Grenzwerte?",
    collections=("c",),
    tasks=(CaseTask(task="Grenzwerte"), CaseTask(task="Ausnahmen", origin="person")),
    approved=True,
    tokens=7,
    seconds=1.5,
)
VOTE = Vote(up=True, route="agent", depth="agent", score=1.0)


def kept(catalog: Catalog, who: Principal, **fields: object) -> PlanCase:
    catalog.plans.put(who.user, CASE.model_copy(update=fields), "e5", b"\0\0\0\0")
    return catalog.plans.list(who)[0]


def test_a_case_is_kept_as_it_was_and_read_with_its_rating_and_use(catalog: Catalog) -> None:
    catalog.runs.create("t1", ANNA, "?", [], {})
    catalog.runs.create("t2", ANNA, "?", [], {})
    case = kept(catalog, ANNA)
    assert case == CASE.model_copy(update={"case_id": case.case_id, "created_at": case.created_at})
    catalog.feedback.put("t1", 1, "anna", VOTE, "", [])
    catalog.feedback.put("t1", 1, "ben", VOTE.model_copy(update={"up": False}), "", [])
    key, event = (
        EventKey(thread_id="t2", checkpoint="c", n=1),
        PlanRecalled(question="?", cases=(case,)),
    )
    log_event(catalog, key, event)
    again = catalog.plans.get(ANNA, case.case_id)
    assert (again.vote, again.used_in, again.serves) == (True, ("t2",), True)
    assert catalog.plans.comparable(ANNA, "research", "de", "e5") == [(again, b"\0\0\0\0")]
    for other in (("structured", "de", "e5"), ("research", "en", "e5"), ("research", "de", "x")):
        assert catalog.plans.comparable(ANNA, *other) == []


def test_nobody_else_sees_changes_or_forgets_a_case_no_admin_either(catalog: Catalog) -> None:
    case = kept(catalog, ANNA)
    for other in (BEN, ADMIN, Principal(user="ann%"), Principal(user="Anna")):
        assert catalog.plans.list(other) == []
        assert catalog.plans.comparable(other, "research", "de", "e5") == []
        for guess in (case.case_id, "%", ""):
            for act in (catalog.plans.get, catalog.plans.forget):
                with pytest.raises(NotFound):
                    act(other, guess)
            with pytest.raises(NotFound):
                catalog.plans.edit(other, guess, ["x"])
        assert catalog.plans.forget(other) == 0
    assert catalog.plans.list(ANNA) == [case]


def test_a_thread_takes_its_case_along_and_an_edit_stays(catalog: Catalog, rows: Count) -> None:
    first = kept(catalog, ANNA)
    assert kept(catalog, ANNA, tokens=9).case_id == first.case_id, "replaced, not added"
    catalog.runs.delete("t1")
    assert rows(PlanCaseRow) == 0
    case = kept(catalog, ANNA)
    edited = catalog.plans.edit(ANNA, case.case_id, ["Ausnahmen", " Neue  Aufgabe ", ""])
    assert [each.task for each in edited.tasks] == ["Ausnahmen", "Neue Aufgabe"]
    assert kept(catalog, ANNA, tokens=1) == edited, "a later run does not undo the edit"
    catalog.runs.delete("t1")
    assert catalog.plans.list(ANNA) == [edited], "nor does the end of its thread"
    mine = kept(catalog, BEN)
    assert catalog.plans.list(ANNA) == [edited] and mine.case_id != edited.case_id
    for tasks in ([], [" "], [str(n) for n in range(16)]):
        with pytest.raises(InvalidInput):
            catalog.plans.edit(ANNA, edited.case_id, tasks)
    assert (catalog.plans.forget(ANNA, edited.case_id), catalog.plans.list(ANNA)) == (1, [])
