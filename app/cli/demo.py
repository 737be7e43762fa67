"""`rabbithole demo`: a question to a report, over documents that come with the program."""

import locale
from collections.abc import Mapping
from typing import Any, cast

import click

from agent.engine.engine import Engine
from agent.offline import recorded_by
from app.cli.client import open_engine
from app.cli.common import Shown, make_settings, prints
from app.cli.ingest import take_in
from app.cli.research import researched
from app.cli.terminal import warn
from app.samples import REPLAY, SAMPLES, Sample
from services.domain.errors import InvalidInput
from services.settings import Settings


@click.command()
@click.option(
    "--language",
    type=click.Choice(sorted(SAMPLES)),
    help="A German law, or English specifications; by the locale if not given.",
)
@click.option("--recorded", is_flag=True, help="Replay a research recorded with a capable model.")
@prints
def demo(language: str | None, recorded: bool) -> Shown:
    """Ingest a sample and research one question, with the model that is there or a recorded one."""
    settings = make_settings()
    spoken = language or spoken_here()
    if recorded:
        model, day = recorded_by(settings, SAMPLES[spoken].folder)
        warn(f"a recorded research: {model} answered on {day}, all else runs now.")
        settings = settings.model_copy(update={"llm": "none"})
    elif settings.llm is None:
        settings = settings.model_copy(update={"llm": "embedded"})
    with open_engine("local", settings) as engine:
        done = shown(engine, settings, SAMPLES[spoken], recorded=recorded)
    if as_json(done).get("usage", {}).get("reads") == "no":
        warn(
            "the model in use does not read, so these are quotes. What a capable model makes of "
            f"it: rabbithole demo --recorded --language {spoken}"
        )
    return done


def as_json(done: Shown) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], done.value)


def shown(engine: Engine, settings: Settings, sample: Sample, *, recorded: bool = False) -> Shown:
    """Takes a sample in and researches its question, with its ``recorded`` replies or a model."""
    files = tuple(settings.samples / each for each in sample.documents)
    report = take_in(engine, files, sample.collection)
    if problem := next((each["error"] for each in report["files"] if each["error"]), None):
        raise InvalidInput(
            f"The sample cannot be read: {problem} Reinstall Rabbithole, or name the "
            "folder of its samples in RABBITHOLE_SAMPLES."
        )
    options: dict[str, Any] = {**REPLAY, "recorded": sample.folder if recorded else ""}
    return researched(engine, sample.question, (sample.collection,), None, options)


def spoken_here() -> str:
    """The language of the samples that fits the locale."""
    return "de" if (locale.getlocale()[0] or "").startswith("de") else "en"
