"""The editor of a plan: edit, reorder, remove, add and approve its tasks."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import streamlit as st

from agent.research.plan_edits import NEW, PlanChange, plan_changes
from app.components import clarification
from app.components.widgets import attempt, bullets, button, icon_button, reply, row
from app.formats import plain
from app.session import _, engine, notice_text, pgettext
from services.domain import Value
from services.domain.events import PlanItem, Waiting
from services.domain.runs import RunInfo


class EditedTask(Value, extra="ignore"):
    """A task being edited; ``proposed`` is None for one that the person added."""

    key: int
    task: str
    proposed: PlanItem | None

    @property
    def edited(self) -> bool:
        return self.proposed is not None and self.task.strip() != self.proposed.task.strip()

    @property
    def item(self) -> PlanItem:
        """The task as it is now; an edited task loses the subtasks of its proposal."""
        before = self.proposed or PlanItem(id=NEW, task="")
        subtasks = () if self.edited else before.subtasks
        return before.model_copy(update={"task": self.task.strip(), "subtasks": subtasks})


class PlanDraft(Value):
    """The rows in their order, and the proposal they came from."""

    proposal: tuple[PlanItem, ...]
    rows: tuple[EditedTask, ...]
    next_key: int

    @classmethod
    def of(cls, proposal: Sequence[PlanItem], first_key: int = 0) -> "PlanDraft":
        """Return an unchanged draft; ``first_key`` keeps its rows apart from another draft's."""
        rows = tuple(
            EditedTask(key=key, task=item.task, proposed=item)
            for key, item in enumerate(proposal, start=first_key)
        )
        return cls(proposal=tuple(proposal), rows=rows, next_key=first_key + len(rows))

    def edit(self, key: int, task: str) -> "PlanDraft":
        """Reword a task."""
        return self._with(
            row.model_copy(update={"task": task}) if row.key == key else row for row in self.rows
        )

    def move(self, key: int, by: int) -> "PlanDraft":
        """Move a row up (negative) or down, at most to the end."""
        row = next(row for row in self.rows if row.key == key)
        target = min(max(self.rows.index(row) + by, 0), len(self.rows) - 1)
        others = [other for other in self.rows if other.key != key]
        return self._with([*others[:target], row, *others[target:]])

    def remove(self, key: int) -> "PlanDraft":
        return self._with(row for row in self.rows if row.key != key)

    def add(self, item: PlanItem | None = None) -> "PlanDraft":
        """Append an empty task, or restore a removed one of the proposal."""
        if item is not None and item not in self.removed:
            return self
        key = self.next_key
        row = EditedTask(key=key, task=item.task if item else "", proposed=item)
        return PlanDraft(proposal=self.proposal, rows=(*self.rows, row), next_key=key + 1)

    @property
    def removed(self) -> tuple[PlanItem, ...]:
        ids = {row.proposed.id for row in self.rows if row.proposed is not None}
        return tuple(item for item in self.proposal if item.id not in ids)

    @property
    def changes(self) -> list[PlanChange]:
        """The differences from the proposal; empty rows do not count."""
        return plan_changes(self.proposal, self.items())

    def items(self) -> tuple[PlanItem, ...]:
        """Return the plan to approve, with the ids of the proposal and without empty rows."""
        return tuple(row.item for row in self.rows if row.task.strip())

    def _with(self, rows: Iterable[EditedTask]) -> "PlanDraft":
        return PlanDraft(proposal=self.proposal, rows=tuple(rows), next_key=self.next_key)


Change = Callable[[PlanDraft], PlanDraft]


def show(run: RunInfo, pending: Waiting) -> None:
    """Draw the plan as edited so far, with a button to approve it."""
    editor = _Editor(run.thread_id, pending)
    draft = editor.draft
    st.subheader(_("Plan for approval"), anchor=False)
    text = _(
        "Each task becomes a section of the report. Edit, reorder, remove or add tasks; the search "
        "starts when you approve."
    )
    st.caption(text)
    if pending.note:
        st.caption(plain(notice_text(pending.note)))
    for number, task in enumerate(draft.rows, start=1):
        editor.row(number, task, last=number == len(draft.rows))
    if draft.removed:
        st.markdown(f"**{_('Removed by you')}**")
        for item in draft.removed:
            editor.removed_row(item)
    clarification.correct_assumptions(run.thread_id, pending)
    with row(key="plan-actions", gap="small"):
        # A callback, so it counts even if the thread has moved on since the page was drawn.
        key = f"approve-{pending.interrupt_id}"
        button(_("Approve and run"), key, type="primary", on_click=editor.approve)
        editor.action("add", _("Add a task"), "add", PlanDraft.add)
        editor.summary()


class _Editor:
    """The widgets of one plan; a window without edits shows the draft that was saved last.

    A callback starts from the draft as it is then, since one rerun may carry an edit and a click.
    """

    def __init__(self, thread_id: str, pending: Waiting) -> None:
        self._thread = thread_id
        self._interrupt = pending.interrupt_id
        self._proposal = pending.items
        self._saved = PlanDraft.of(pending.items)
        self._key = f"plan-{thread_id}-{self._interrupt}"  # a fork has the same interrupt
        self._editing_key = f"{self._key}-editing"
        if self._key not in st.session_state:
            saved = engine().threads.draft(thread_id, self._interrupt)
            self._saved = PlanDraft.model_validate(saved) if saved else self._saved

    @property
    def draft(self) -> PlanDraft:
        return st.session_state.get(self._key, self._saved)

    def _apply(self, change: Change) -> None:
        draft = st.session_state[self._key] = change(self.draft)
        values = draft.model_dump(mode="json")
        attempt(lambda: engine().threads.keep_draft(self._thread, self._interrupt, values))

    def approve(self) -> None:
        """Approve the draft; one without changes approves the proposal."""
        ids, draft = (self._thread, self._interrupt), self.draft
        items = draft.items() if draft.changes else None
        reply(*ids, lambda: engine().threads.approve(*ids, items))

    def row(self, number: int, task: EditedTask, *, last: bool) -> None:
        """Draw a task: its title, and what it is to find out; its parts are folded."""
        key, editing = task.key, self._is_editing(task)
        with st.container(border=True, key=f"row-{key}-{self._interrupt}", gap="xsmall"):
            with row(gap="xsmall"):
                title = "" if editing else plain(task.task)
                heading = f"{number}. {title}".strip()  # not bold with a space at its end
                note = _("changed by you") if task.edited else ""
                note = _("added by you") if task.proposed is None else note
                badge = f":primary-badge[{note}]" if note else ""
                st.markdown(f"**{heading}** {badge}", width="stretch")
                self._buttons(number, task, last=last)
            if editing:
                self._field(number, task)
            if task.item.context:
                st.markdown(plain(_as_sentence(task.item.context)))
            if task.edited and task.proposed is not None:
                st.caption(_("Proposed: {task}", task=plain(task.proposed.task)))
            if task.item.subtasks:
                with st.expander(_("Subtasks ({count})", count=len(task.item.subtasks))):
                    st.markdown(bullets(map(plain, task.item.subtasks)))

    def _buttons(self, number: int, task: EditedTask, *, last: bool) -> None:
        key, move = task.key, partial(PlanDraft.move, key=task.key)
        remove = partial(PlanDraft.remove, key=key)
        name = f"edit-{key}-{self._interrupt}"
        with row(gap="xsmall", width="content"):
            if self._is_editing(task):
                icon_button("check", _("Done"), name, self._edit, None)
            else:
                icon_button("edit", _("Edit"), name, self._edit, key)
            for name, icon, text, change, disabled in (
                ("up", "arrow_upward", _("Move up"), partial(move, by=-1), number == 1),
                ("down", "arrow_downward", _("Move down"), partial(move, by=1), last),
                ("remove", "close", pgettext("task of a plan", "Remove"), remove, False),
            ):
                widget = f"{name}-{key}-{self._interrupt}"
                icon_button(icon, text, widget, self._apply, change, disabled=disabled)

    def _is_editing(self, task: EditedTask) -> bool:
        """Return whether the text of a task is a field; an empty one always is."""
        return not task.task.strip() or st.session_state.get(self._editing_key) == task.key

    def _edit(self, key: int | None) -> None:
        st.session_state[self._editing_key] = key

    def _field(self, number: int, task: EditedTask) -> None:
        widget = f"task-{task.key}-{self._interrupt}"

        def keep() -> None:
            self._apply(lambda draft: draft.edit(task.key, st.session_state[widget]))
            self._edit(None)

        st.text_area(
            _("Task {number}", number=number),
            value=task.task,
            key=widget,
            on_change=keep,
            height="content",
            placeholder=_("What else do you want to know?"),
            label_visibility="collapsed",
        )

    def action(self, name: str, text: str, icon: str, change: Change) -> None:
        """Draw a button that changes the draft."""
        button(text, f"{name}-{self._interrupt}", icon, on_click=self._apply, args=(change,))

    def removed_row(self, item: PlanItem) -> None:
        with row():
            st.markdown(f"~~{plain(item.task)}~~", width="stretch")
            name = f"restore-{item.id}"
            self.action(name, _("Undo"), "undo", lambda draft: draft.add(item))

    def summary(self) -> None:
        """Draw how the draft differs from the proposal, and a button to reset it."""
        changes = self.draft.changes
        yours = _("unchanged")
        if changes:
            count = Counter(change.kind for change in changes)
            yours = _(
                "your changes: {edited} edited, {moved} moved, {removed} removed, {added} added",
                **{kind: count[kind] for kind in ("edited", "moved", "removed", "added")},
            )
        st.caption(f"{_('Proposed tasks: {count}', count=len(self._proposal))} · {yours}")
        if changes:

            def reset(draft: PlanDraft) -> PlanDraft:
                return PlanDraft.of(self._proposal, first_key=draft.next_key)

            self.action("reset", _("Restore the proposal"), "restart_alt", reset)


def _as_sentence(text: str) -> str:
    """Return the reason of a task, often only a clause, as a sentence."""
    text = text.strip()
    ended = text if text.endswith((".", "?", "!", "…")) else f"{text}."
    return ended[0].upper() + ended[1:]
