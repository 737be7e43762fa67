"""`rabbithole config`, `plans` and `tokens`: what a person has set, keeps and gives to programs."""

from collections.abc import Sequence
from typing import Any, get_args

import click

from agent.engine.engine import Engine
from app.cli.client import of_engine
from app.cli.common import Shown, listed, yes
from services.domain.collections import unique_names
from services.domain.errors import InvalidInput
from services.domain.plans import PlanCase
from services.domain.tokens import TokenInfo, TokenScope
from services.library.parameters import Preset

SHOWN_CHARACTERS = 60
MODEL_SOURCE = {
    "environment": "RABBITHOLE_LLM",
    "chosen": "chosen in the settings",
    "found": "neither RABBITHOLE_LLM nor a choice: Ollama's, else the embedded one",
}
of_profile = click.option("--profile", help="A profile of yours; default: global.")


@click.group()
def config() -> None:
    """Show and change parameters, locks and profiles."""


@config.command()
@click.argument("collection", required=False)
@click.option("--lock", "change", flag_value="lock", help="Keep them as they are.")
@click.option("--unlock", "change", flag_value="unlock", help="Let votes move them again.")
@click.option("--reset", "change", flag_value="reset", help="Count only later votes.")
@of_engine()
def thresholds(engine: Engine, collection: str | None, change: str | None) -> Shown:
    """Show the thresholds of all collections, or of one, and hold or reset them.

    Questions below the first are answered fast, from the second on by the agent. Votes on answers
    move them a little.
    """
    if change is not None and collection is None:
        raise click.UsageError("Name the collection whose thresholds are to change.")
    if collection is not None and change == "reset":
        engine.answers.reset_thresholds(collection)
    elif collection is not None and change is not None:
        engine.answers.lock_thresholds(collection, change == "lock")
    names = [collection] if collection else unique_names(engine.library.collections())
    rows = {name: engine.answers.thresholds([name]) for name in names}
    value = [{"collection": name, **dict(both)} for name, both in rows.items()]
    lines = [
        f"{name:<24} {boundary:<5} {each.value:.2f} ({each.why})"
        for name, both in rows.items()
        for boundary, each in both
    ]
    text = "\n".join(lines) or "There are no collections yet."
    return Shown({"thresholds": value}, lambda: text)


@config.command("show")
@of_profile
@of_engine()
def config_show(engine: Engine, profile: str | None) -> Shown:
    """Show the values in effect, each with the tier it comes from."""
    rows = [each.model_dump(mode="json") for each in engine.settings.parameters(profile)]
    parameters = {row.pop("key"): row for row in rows}
    profiles = engine.settings.profiles()
    model = engine.settings.model_plan().model_dump(mode="json")
    value = {"profile": profile, "parameters": parameters, "profiles": profiles, "model": model}
    return Shown(value, lambda: _table(value))


@config.command("preset")
@click.argument("name", type=click.Choice(get_args(Preset)))
@of_profile
@of_engine()
def config_preset(engine: Engine, name: Preset, profile: str | None) -> Shown:
    """Apply a preset, in a profile or (admins) for everybody."""
    engine.settings.apply_preset(name, profile)
    return Shown({"preset": name, "profile": profile}, lambda: f"preset: {name}")


@config.command("set")
@click.argument("key")
@click.argument("value")
@of_profile
@of_engine()
def config_set(engine: Engine, key: str, value: str, profile: str | None) -> Shown:
    """Set a value, in a profile or (admins) for everybody."""
    now = engine.settings.set_parameter(key, value, profile)
    return _one(now.model_dump(mode="json"), profile)


@config.command("unset")
@click.argument("key")
@of_profile
@of_engine()
def config_unset(engine: Engine, key: str, profile: str | None) -> Shown:
    """Reset a value, so that the tier below applies again."""
    engine.settings.unset_parameter(key, profile)
    return Shown({"key": key, "profile": profile}, lambda: f"{key} is no longer set")


@config.command("lock")
@click.argument("key")
@of_engine()
def config_lock(engine: Engine, key: str) -> Shown:
    """Lock the global value for every profile (admins)."""
    return _one(engine.settings.lock_parameter(key, True).model_dump(mode="json"), None)


@config.command("unlock")
@click.argument("key")
@of_engine()
def config_unlock(engine: Engine, key: str) -> Shown:
    """Let profiles differ from the global value again (admins)."""
    return _one(engine.settings.lock_parameter(key, False).model_dump(mode="json"), None)


def _one(row: dict[str, Any], profile: str | None) -> Shown:
    note = ""
    if profile is not None and row["origin"] == "locked":
        note = "; the profile's value counts once an admin unlocks it"
    return Shown({"profile": profile, **row}, lambda: _line(row["key"], row) + note)


def _table(value: dict[str, Any]) -> str:
    lines = [_line(key, row) for key, row in value["parameters"].items()]
    model = value["model"]
    where = f" at {model['address']}" if model["address"] and model["llm"] else ""
    said = f"model: {model['llm'] or 'looked for'}{where} ({MODEL_SOURCE[model['source']]})"
    return "\n".join([*lines, f"profiles: {', '.join(value['profiles']) or 'none'}", said])


def _line(key: str, row: dict[str, Any]) -> str:
    return f"{key:<24} {_shown(row['value'])} ({row['origin']})"


def _shown(value: Any) -> str:
    """A value as one would write it; texts in quotes, cut where they are long."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return repr(value[:SHOWN_CHARACTERS])
        case list():
            pairs = (filter(None, (each["collection"], each["reranking"])) for each in value)
            return ", ".join(map("=".join, pairs)) or "all"
        case _:
            return str(value)


VOTES = {True: "up", False: "down", None: "none"}


@click.group()
def plans() -> None:
    """List, show and forget remembered plans. They are private to each user."""


@plans.command("list")
@of_engine()
def list_plans(engine: Engine) -> Shown:
    """Your remembered plans, newest first."""
    found = engine.plans.list()
    return Shown({"plans": [plan_json(each) for each in found]}, lambda: plan_table(found))


@plans.command("show")
@click.argument("case", metavar="ID")
@of_engine()
def show_plan(engine: Engine, case: str) -> Shown:
    """A plan with its tasks, rating, penalties, cost and where it helped."""
    found = engine.plans.get(case)
    return Shown(plan_json(found), lambda: plan_detail(found))


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


def plan_json(case: PlanCase) -> dict[str, object]:
    return {**case.model_dump(mode="json"), "vote": VOTES[case.vote], "serves": case.serves}


def plan_table(cases: Sequence[PlanCase]) -> str:
    lines = [
        f"{case.case_id}  {case.kind:<10}  {VOTES[case.vote]:<4}  "
        f"{'helps' if case.serves else 'waits':<5}  {case.created_at[:16]}  {case.question[:60]}"
        for case in cases
    ]
    nothing = "No plans yet. One is kept when a run whose plan you approved ends with an answer."
    return "\n".join(lines) or nothing


def plan_detail(case: PlanCase) -> str:
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


@click.group()
def tokens() -> None:
    """Create, list and revoke access tokens for programs."""


@tokens.command()
@click.argument("name")
@click.option(
    "--scope",
    type=click.Choice(get_args(TokenScope)),
    default="read",
    help="read: look, search, ask. write: also documents and research. admin: everybody's.",
)
@click.option("--days", type=click.IntRange(1, 3650), help="Days until it expires; without, never.")
@of_engine()
def create(engine: Engine, name: str, scope: TokenScope, days: int | None) -> Shown:
    """Make a token; it is shown once, and only a hash of it is kept."""
    made = engine.tokens.create(name, scope, days)
    return Shown(made, lambda: made.token)


@tokens.command("list")
@of_engine()
def list_tokens(engine: Engine) -> Shown:
    """Your tokens, without their secrets."""
    nothing = "No tokens yet. Make one: rabbithole tokens create NAME"
    return listed("tokens", engine.tokens.list(), _token_line, nothing)


@tokens.command()
@click.argument("name")
@of_engine()
def revoke(engine: Engine, name: str) -> Shown:
    """Revoke a token at once."""
    gone = engine.tokens.revoke(name)
    return Shown(gone, lambda: f"{gone.name} revoked")


def _token_line(token: TokenInfo) -> str:
    until = f"until {token.expires_at[:16]}" if token.expires_at else "for good"
    return f"{token.name:<20} {token.scope:<6} {until}, made {token.created_at[:16]}"
