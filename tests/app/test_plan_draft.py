"""Editing a plan: values only."""

from hypothesis import given
from hypothesis import strategies as st

from app.components.plan_editor import PlanDraft
from services.domain.events import PlanItem

PROPOSAL = tuple(PlanItem(id=n, task=f"task {n}", context=f"why {n}") for n in (1, 2, 3))
FRESH = PlanDraft.of(PROPOSAL)


def tasks(draft: PlanDraft) -> list[str]:
    return [item.task for item in draft.items()]


def test_blanks_and_moves_beyond_the_ends_are_no_change() -> None:
    for draft in (
        FRESH,
        FRESH.move(0, -1),
        FRESH.move(2, +1),
        FRESH.edit(0, " task 1 ").add(),
        PlanDraft.model_validate(FRESH.model_dump(mode="json")),
    ):
        assert not draft.changes and draft.items() == PROPOSAL


def test_edit_move_remove_and_add_are_told_apart() -> None:
    draft = FRESH.edit(0, "other").move(0, +1).remove(1).add().edit(3, "new")
    assert sorted(change.kind for change in draft.changes) == ["added", "edited", "removed"]
    assert tasks(draft) == ["other", "task 3", "new"]
    assert [change.kind for change in FRESH.move(2, -1).changes] == ["moved"]
    assert draft.removed == (PROPOSAL[1],)
    assert tasks(draft.add(PROPOSAL[1]))[-1] == "task 2" and not draft.add(PROPOSAL[1]).removed


def test_what_was_taken_back_is_there_once() -> None:
    draft = FRESH.remove(1).add(PROPOSAL[1])
    assert draft.add(PROPOSAL[1]) == draft and not draft.removed


def test_parts_go_with_the_words_that_ask_them() -> None:
    item = PlanItem(id=1, task="Was gilt, und wie lange?", subtasks=("Was gilt", "wie lange"))
    draft = PlanDraft.of((item,))
    other = draft.edit(0, "Was gilt?")
    assert other.items()[0].subtasks == () and other.edit(0, item.task).items() == (item,)


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["up", "down", "drop", "add"]))))
def test_keys_stay_unique_and_every_proposed_task_is_kept_or_removed(
    steps: list[tuple[int, str]],
) -> None:
    draft = FRESH
    for position, step in steps:
        if step == "add":
            draft = draft.add()
        elif draft.rows:
            key = draft.rows[position % len(draft.rows)].key
            by = 1 if step == "up" else -1
            draft = draft.remove(key) if step == "drop" else draft.move(key, by)
    keys = [row.key for row in draft.rows]
    assert len(keys) == len(set(keys))
    kept = {row.proposed.id for row in draft.rows if row.proposed}
    assert kept | {item.id for item in draft.removed} == {1, 2, 3}
