"""The plan in a person's hands: edit, order, remove, add, approve. The proposal stays in sight."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import streamlit as st

from agent.research.plan_changes import NEW, PlanChange, plan_changes
from app.components import clarification
from app.components.notices import attempt, reply
from app.components.widgets import bullets, button, icon_button, row
from app.formats import plain
from app.session import _, engine, notice_text, pgettext
from services.domain import Value
from services.domain.events import PlanItem, Waiting
from services.domain.runs import RunInfo


class DraftRow(Value, extra="ignore"):
    """A task being edited; ``proposed`` is what it was, None when the person added it.

    What else an older draft kept of a task stands in ``proposed`` as well, and is passed over.
    """

    key: int
    task: str
    proposed: PlanItem | None

    @property
    def edited(self) -> bool:
        return self.proposed is not None and self.task.strip() != self.proposed.task.strip()

    @property
    def item(self) -> PlanItem:
        """The task as it is now; its parts are those of the proposed words and go with them."""
        before = self.proposed or PlanItem(id=NEW, task="")
        parts = () if self.edited else before.subtasks
        return before.model_copy(update={"task": self.task.strip(), "subtasks": parts})


class PlanDraft(Value):
    """Rows in their order, and the proposal that they came from."""

    proposal: tuple[PlanItem, ...]
    rows: tuple[DraftRow, ...]
    next_key: int

    @classmethod
    def of(cls, proposal: Sequence[PlanItem], first_key: int = 0) -> "PlanDraft":
        """The proposal itself; ``first_key`` keeps its rows apart from those of a draft."""
        rows = tuple(
            DraftRow(key=key, task=item.task, proposed=item)
            for key, item in enumerate(proposal, start=first_key)
        )
        return cls(proposal=tuple(proposal), rows=rows, next_key=first_key + len(rows))

    def edit(self, key: int, task: str) -> "PlanDraft":
        """Other words for a task."""
        return self._with(
            row.model_copy(update={"task": task}) if row.key == key else row for row in self.rows
        )

    def move(self, key: int, by: int) -> "PlanDraft":
        """Moves a row up (negative) or down; at the end it stays where it is."""
        row = next(row for row in self.rows if row.key == key)
        target = min(max(self.rows.index(row) + by, 0), len(self.rows) - 1)
        rest = [other for other in self.rows if other.key != key]
        return self._with([*rest[:target], row, *rest[target:]])

    def remove(self, key: int) -> "PlanDraft":
        return self._with(row for row in self.rows if row.key != key)

    def add(self, item: PlanItem | None = None) -> "PlanDraft":
        """Appends an empty task, or one of the proposal that was removed, which is there once."""
        if item is not None and item not in self.removed:
            return self
        key = self.next_key
        row = DraftRow(key=key, task=item.task if item else "", proposed=item)
        return PlanDraft(proposal=self.proposal, rows=(*self.rows, row), next_key=key + 1)

    @property
    def removed(self) -> tuple[PlanItem, ...]:
        kept = {row.proposed.id for row in self.rows if row.proposed is not None}
        return tuple(item for item in self.proposal if item.id not in kept)

    @property
    def changes(self) -> list[PlanChange]:
        """How the draft differs from the proposal; a row left empty is none."""
        return plan_changes(self.proposal, self.items())

    def items(self) -> tuple[PlanItem, ...]:
        """The plan to approve, with the ids of the proposal; rows left empty are not in it."""
        return tuple(row.item for row in self.rows if row.task.strip())

    def _with(self, rows: Iterable[DraftRow]) -> "PlanDraft":
        return PlanDraft(proposal=self.proposal, rows=tuple(rows), next_key=self.next_key)


Change = Callable[[PlanDraft], PlanDraft]


def show(run: RunInfo, pending: Waiting) -> None:
    """Shows the plan as edited so far and takes the approval."""
    editor = _Editor(run.thread_id, pending)
    draft = editor.draft
    st.subheader(_("Plan for approval"), anchor=False)
    st.caption(_("Edit, reorder, remove or add; the search starts when you approve."))
    if pending.note:
        st.caption(plain(notice_text(pending.note)))
    if pending.gaps:
        st.caption(_("Not answered so far: {gaps}", gaps="; ".join(map(plain, pending.gaps))))
    for number, task in enumerate(draft.rows, start=1):
        editor.row(number, task, last=number == len(draft.rows))
    editor.action("add", _("Add a task"), "add", PlanDraft.add)
    if draft.removed:
        st.markdown(f"**{_('Removed by you')}**")
        for item in draft.removed:
            editor.removed_row(item)
    editor.summary()
    clarification.correct_assumptions(run.thread_id, pending)
    # A callback, so that it counts even when the thread has gone on since the page was drawn.
    key = f"approve-{pending.interrupt_id}"
    button(_("Approve and run"), key, type="primary", on_click=editor.approve)


class _Editor:
    """Widgets of one plan. Callbacks start from the draft as it is when they are called, since
    one rerun may carry an edit and a click. A window that has edited nothing shows what was
    edited last, before a refresh or in another window."""

    def __init__(self, thread_id: str, pending: Waiting) -> None:
        self._thread = thread_id
        self._interrupt = pending.interrupt_id
        self._proposal = pending.items
        self._found = PlanDraft.of(pending.items)
        self._key = f"plan-{thread_id}-{self._interrupt}"  # a fork has the same interrupt
        if self._key not in st.session_state:
            kept = engine().threads.draft(thread_id, self._interrupt)
            self._found = PlanDraft.model_validate(kept) if kept else self._found

    @property
    def draft(self) -> PlanDraft:
        draft: PlanDraft = st.session_state.get(self._key, self._found)
        return draft

    def _apply(self, change: Change) -> None:
        draft = st.session_state[self._key] = change(self.draft)
        kept = draft.model_dump(mode="json")
        attempt(lambda: engine().threads.keep_draft(self._thread, self._interrupt, kept))

    def approve(self) -> None:
        """Approves the draft; one without changes counts as the proposal."""
        here, draft = (self._thread, self._interrupt), self.draft
        items = draft.items() if draft.changes else None
        reply(*here, lambda: engine().threads.approve(*here, items))

    def row(self, number: int, task: DraftRow, *, last: bool) -> None:
        key = task.key
        with st.container(border=True, key=f"row-{key}-{self._interrupt}", gap="xsmall"):
            with row(gap="xsmall"):
                st.markdown(f"**{number}** {_note(task)}", width="stretch")
                up, down, remove = (
                    partial(PlanDraft.move, key=key, by=-1),
                    partial(PlanDraft.move, key=key, by=1),
                    partial(PlanDraft.remove, key=key),
                )
                self._icon("up", key, "arrow_upward", _("Move up"), up, number == 1)
                self._icon("down", key, "arrow_downward", _("Move down"), down, last)
                self._icon("remove", key, "close", pgettext("task of a plan", "Remove"), remove)
            self._task(number, task)
            if task.edited and task.proposed is not None:
                st.caption(_("Proposed: {task}", task=plain(task.proposed.task)))
            if task.item.subtasks:
                st.caption(bullets(map(plain, task.item.subtasks)))
            if task.item.context:
                st.caption(_("Why: {context}", context=plain(task.item.context)))

    def _icon(
        self, name: str, key: int, icon: str, text: str, change: Change, disabled: bool = False
    ) -> None:
        widget = f"{name}-{key}-{self._interrupt}"
        icon_button(icon, text, widget, self._apply, change, disabled=disabled)

    def _task(self, number: int, task: DraftRow) -> None:
        widget = f"task-{task.key}-{self._interrupt}"

        def keep() -> None:
            self._apply(lambda draft: draft.edit(task.key, st.session_state[widget]))

        st.text_area(
            _("Task {number}", number=number),
            value=task.task,
            key=widget,
            on_change=keep,
            height="content",
            placeholder=_("What else should be found out?"),
            label_visibility="collapsed",
        )

    def action(self, name: str, text: str, icon: str, change: Change) -> None:
        """A button that changes the draft."""
        button(text, f"{name}-{self._interrupt}", icon, on_click=self._apply, args=(change,))

    def removed_row(self, item: PlanItem) -> None:
        with row():
            st.markdown(f"~~{plain(item.task)}~~", width="stretch")
            name = f"restore-{item.id}"
            self.action(name, _("Undo"), "undo", lambda draft: draft.add(item))

    def summary(self) -> None:
        """How far the draft is from the proposal, and the way back."""
        changes = self.draft.changes
        yours = _("unchanged")
        if changes:
            count = Counter(change.kind for change in changes)
            yours = _(
                "you: {edited} edited, {moved} moved, {removed} removed, {added} added",
                edited=count["edited"],
                moved=count["moved"],
                removed=count["removed"],
                added=count["added"],
            )
        st.caption(f"{_('Proposed tasks: {count}', count=len(self._proposal))} · {yours}")
        if changes:
            self.action(
                "reset",
                _("Restore the proposal"),
                "restart_alt",
                lambda draft: PlanDraft.of(self._proposal, first_key=draft.next_key),
            )


def _note(row: DraftRow) -> str:
    if row.proposed is None:
        return f":primary-badge[{_('added by you')}]"
    return f":primary-badge[{_('changed by you')}]" if row.edited else ""
