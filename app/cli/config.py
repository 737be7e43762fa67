"""`rabbithole config`, `plans` and `tokens`: parameters, remembered plans and access tokens."""

from collections.abc import Iterator
from typing import Any, get_args

import click

from agent.engine.engine import Engine
from app.cli import params
from app.cli.common import Result, engine_command, listing
from services.domain.collections import unique_names
from services.domain.errors import InvalidInput
from services.domain.identity import TokenInfo, TokenScope
from services.domain.plan_cases import PlanCase
from services.library.configuration import EffectiveParameter
from services.library.parameters import Preset
from services.library.thresholds import Thresholds

TEXT_LENGTH = 60
"""Characters of a text parameter in a list."""
MODEL_SOURCE = {
    "environment": "RABBITHOLE_LLM",
    "chosen": "chosen in the settings",
    "found": "not set: Ollama's default model, else the embedded one",
}
in_profile = click.option("--profile", help="One of your profiles; default: global.")
VOTES = {True: "up", False: "down", None: "none"}


config = click.Group("config", help="Show and change parameters, locks and profiles.")


@engine_command(config)
@click.argument("collection", required=False)
@click.option(
    "--lock",
    "change",
    flag_value="lock",
    help="Lock the thresholds so that ratings do not change them.",
)
@click.option("--unlock", "change", flag_value="unlock", help="Let ratings move them again.")
@click.option("--reset", "change", flag_value="reset", help="Forget the ratings so far.")
def thresholds(engine: Engine, collection: str | None, change: str | None) -> Result:
    """Show, lock or reset the complexity thresholds of collections.

    Questions below the first threshold get the depth `fast`, those above the second `agent`.
    Ratings of answers move the thresholds a little.
    """
    if change is not None and collection is None:
        raise click.UsageError("Give the collection whose thresholds you want to change.")
    if collection is not None and change == "reset":
        engine.answers.reset_thresholds(collection)
    elif collection is not None and change is not None:
        engine.answers.lock_thresholds(collection, change == "lock")
    names = [collection] if collection else unique_names(engine.library.collections())
    rows = [{"collection": name, **dict(engine.answers.thresholds([name]))} for name in names]
    lines = [
        f"{row['collection']:<24} {boundary:<5} {row[boundary].value:.2f} ({row[boundary].why})"
        for row in rows
        for boundary in Thresholds.model_fields
    ]
    return Result({"thresholds": rows}, lines or ["There are no collections yet."])


@engine_command(config, "show")
@in_profile
def config_show(engine: Engine, profile: str | None) -> Result:
    """Show the values in effect and where each was set."""
    rows = [row.model_dump(mode="json") for row in engine.settings.parameters(profile)]
    parameters = {row.pop("key"): row for row in rows}
    profiles = engine.settings.profiles()
    model = engine.settings.model_plan().model_dump(mode="json")
    value = {"profile": profile, "parameters": parameters, "profiles": profiles, "model": model}
    lines = [_parameter_line(key, row) for key, row in parameters.items()]
    address = f" at {model['address']}" if model["address"] and model["llm"] else ""
    lines.append(f"profiles: {', '.join(profiles) or 'none'}")
    source = MODEL_SOURCE[model["source"]]
    lines.append(f"model: {model['llm'] or 'automatic'}{address} ({source})")
    return Result(value, lines)


@engine_command(config, "preset")
@click.argument("name", type=click.Choice(get_args(Preset)))
@in_profile
def config_preset(engine: Engine, name: Preset, profile: str | None) -> Result:
    """Apply a preset to a profile or, as an administrator, to everybody."""
    engine.settings.apply_preset(name, profile)
    return Result({"preset": name, "profile": profile}, f"preset: {name}")


@engine_command(config, "set")
@in_profile
def config_set(engine: Engine, key: str, value: str, profile: str | None) -> Result:
    """Set a value in a profile or, as an administrator, for everybody."""
    return _parameter_result(engine.settings.set_parameter(key, value, profile), profile)


@engine_command(config, "unset")
@in_profile
def config_unset(engine: Engine, key: str, profile: str | None) -> Result:
    """Remove a value, so that the next one applies again (profile, global, default)."""
    engine.settings.unset_parameter(key, profile)
    return Result({"key": key, "profile": profile}, f"{key} is no longer set")


@engine_command(config, "lock")
def config_lock(engine: Engine, key: str) -> Result:
    """Lock the global value for every profile (administrators only)."""
    return _parameter_result(engine.settings.lock_parameter(key, True))


@engine_command(config, "unlock")
def config_unlock(engine: Engine, key: str) -> Result:
    """Let profiles differ from the global value again (administrators only)."""
    return _parameter_result(engine.settings.lock_parameter(key, False))


def _parameter_result(info: EffectiveParameter, profile: str | None = None) -> Result:
    row = info.model_dump(mode="json")
    note = ""
    if profile is not None and row["origin"] == "locked":
        note = "; the profile's value will apply when an administrator unlocks the parameter"
    return Result({"profile": profile, **row}, _parameter_line(row["key"], row) + note)


def _parameter_line(key: str, row: dict[str, Any]) -> str:
    """Return a value as one would type it, with its origin; a long text is cut."""
    match row["value"]:
        case bool(value):
            text = "true" if value else "false"
        case str(value):
            text = repr(value[:TEXT_LENGTH])
        case list(value):
            pairs = (filter(None, (row["collection"], row["reranking"])) for row in value)
            text = ", ".join(map("=".join, pairs)) or "all"
        case value:
            text = str(value)
    return f"{key:<24} {text} ({row['origin']})"


plans = click.Group(
    "plans", help="Manage remembered plans: list, show, forget. Each user sees only their own."
)


@engine_command(plans, "list")
def list_plans(engine: Engine) -> Result:
    """List your remembered plans, newest first."""
    cases = engine.plans.list()
    nothing = "No plans yet. A plan is remembered when you approve it and the run finds an answer."
    value = {"plans": list(map(_plan_json, cases))}
    return Result(value, list(map(_plan_line, cases)) or nothing)


@engine_command(plans, "show")
@click.argument("case", metavar="ID")
def show_plan(engine: Engine, case: str) -> Result:
    """Show a plan: its tasks, rating, cost, and the threads that reused it."""
    plan = engine.plans.get(case)
    return Result(_plan_json(plan), _plan_lines(plan))


@engine_command(plans, "forget")
@click.argument("case", metavar="[ID]", required=False)
@click.option("--all", "everything", is_flag=True, help="Forget all your plans.")
@params.yes
def forget(engine: Engine, case: str | None, everything: bool, yes: bool) -> Result:
    """Forget a plan, or all of them; threads and reports are kept."""
    if (case is None) != everything:
        raise InvalidInput("Give one ID, or --all. `rabbithole plans list` shows the ids.")
    if everything and not yes:
        click.confirm("Forget all your remembered plans?", abort=True, err=True)
    count = engine.plans.forget(case)
    return Result({"forgotten": count}, f"{count} plans forgotten")


def _plan_json(case: PlanCase) -> dict[str, object]:
    return {**case.model_dump(mode="json"), "vote": VOTES[case.vote], "serves": case.serves}


def _plan_line(case: PlanCase) -> str:
    return (
        f"{case.case_id}  {case.kind:<10}  {VOTES[case.vote]:<4}  "
        f"{'in use' if case.serves else 'unused':<6}  {case.created_at[:16]}  {case.question[:60]}"
    )


def _plan_lines(case: PlanCase) -> Iterator[str]:
    penalties = {
        "the plan was changed before it was approved": case.had_plan_improvements,
        "a new plan was made after a correction": case.had_tactical_improvements,
    }
    yield f"{case.case_id}  {case.kind}, {case.language}: {case.question}"
    for number, task in enumerate(case.tasks, start=1):
        yield f"  {number}. {task.task}{f' ({task.query})' if task.query else ''}"
    yield f"rating {VOTES[case.vote]}{', edited by you' if case.edited else ''}"
    yield from (f"penalty 0.05: {why}" for why, applies in penalties.items() if applies)
    yield f"cost {case.tokens} tokens, {case.model_calls} model calls, {case.seconds:.1f} s"
    yield f"from thread {case.thread_id}; reused in: {', '.join(case.used_in) or 'none yet'}"
    if not case.serves:
        why = "you rated it down" if case.vote is False else "nobody approved it or rated it up"
        yield f"not reused: {why}"


tokens = click.Group("tokens", help="Create, list and revoke access tokens for programs.")


@engine_command(tokens)
@click.option(
    "--scope",
    type=click.Choice(get_args(TokenScope)),
    default="read",
    help="read: search, ask, verify. write: also change documents and research. admin: the same "
    "for everybody's data.",
)
@click.option("--days", type=click.IntRange(1, 3650), help="Days until it expires; default: never.")
def create(engine: Engine, name: str, scope: TokenScope, days: int | None) -> Result:
    """Create a token. It is shown only once; only its hash is stored."""
    token = engine.tokens.create(name, scope, days)
    return Result(token, token.token)


@engine_command(tokens, "list", admin=True)
def list_tokens(engine: Engine) -> Result:
    """List your tokens, with --admin everybody's, without their secrets."""
    nothing = "No tokens yet. Create one: rabbithole tokens create NAME"
    return listing("tokens", engine.tokens.list(), _token_line, nothing)


@engine_command(tokens)
def revoke(engine: Engine, name: str) -> Result:
    """Revoke a token at once."""
    token = engine.tokens.revoke(name)
    return Result(token, f"{token.name} revoked")


def _token_line(token: TokenInfo) -> str:
    until = f"until {token.expires_at[:16]}" if token.expires_at else "never expires"
    created = token.created_at[:16]
    return f"{token.name:<20} {token.scope:<6} {until}, created {created} by {token.user}"
