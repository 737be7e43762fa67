"""`rabbithole plans`: the plans that help later ones."""

from collections.abc import Sequence

import click

from agent.engine.engine import Engine
from app.cli.client import of_engine
from app.cli.common import Shown, yes
from services.domain.errors import InvalidInput
from services.domain.plans import PlanCase

VOTES = {True: "up", False: "down", None: "none"}


@click.group()
def plans() -> None:
    """List, show and forget remembered plans. They are private to each user."""


@plans.command("list")
@of_engine()
def list_(engine: Engine) -> Shown:
    """Your remembered plans, newest first."""
    found = engine.plans.list()
    return Shown({"plans": [as_json(each) for each in found]}, lambda: table(found))


@plans.command("show")
@click.argument("case", metavar="ID")
@of_engine()
def show_plan(engine: Engine, case: str) -> Shown:
    """A plan with its tasks, rating, penalties, cost and where it helped."""
    found = engine.plans.get(case)
    return Shown(as_json(found), lambda: detail(found))


@plans.command("forget")
@click.argument("case", metavar="[ID]", required=False)
@click.option("--all", "everything", is_flag=True, help="Forget all of your plans.")
@yes
@of_engine()
def forget(engine: Engine, case: str | None, everything: bool, yes: bool) -> Shown:
    """Forget a plan, or all of them; threads and reports stay."""
    if (case is None) != everything:
        raise InvalidInput("Name one plan, or --all. `rabbithole plans list` shows them.")
    if everything and not yes:
        click.confirm("Forget all of your remembered plans?", abort=True, err=True)
    count = engine.plans.forget(case)
    return Shown({"forgotten": count}, lambda: f"{count} forgotten")


def as_json(case: PlanCase) -> dict[str, object]:
    return {**case.model_dump(mode="json"), "vote": VOTES[case.vote], "serves": case.serves}


def table(cases: Sequence[PlanCase]) -> str:
    lines = [
        f"{case.case_id}  {case.kind:<10}  {VOTES[case.vote]:<4}  "
        f"{'helps' if case.serves else 'waits':<5}  {case.created_at[:16]}  {case.question[:60]}"
        for case in cases
    ]
    nothing = "No plans yet. One is kept when a run whose plan you approved ends with an answer."
    return "\n".join(lines) or nothing


def detail(case: PlanCase) -> str:
    mended = {
        "the plan was changed before it was approved": case.had_plan_improvements,
        "the run corrected itself": case.had_tactical_improvements,
    }
    lines = [
        f"{case.case_id}  {case.kind}, {case.language}: {case.question}",
        *(
            f"  {number}. {each.task}{f' ({each.query})' if each.query else ''}"
            for number, each in enumerate(case.tasks, start=1)
        ),
        f"rating {VOTES[case.vote]}{', edited by you' if case.edited else ''}",
        *(f"penalty 0.05: {why}" for why, applies in mended.items() if applies),
        f"cost {case.tokens} tokens, {case.model_calls} model calls, {case.seconds:.1f} s",
        f"from thread {case.thread_id}; helped in: {', '.join(case.used_in) or 'none yet'}",
    ]
    if not case.serves:
        why = "you voted it down" if case.vote is False else "nobody approved it or voted it up"
        lines.append(f"does not help: {why}")
    return "\n".join(lines)
