"""The recorded research, end to end: the model's replies are kept, all else runs."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from app.cli.common import open_engine
from app.cli.ingest import research_sample
from app.samples import SAMPLES
from services.retrieval.embedders import BundledEmbedder
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser

STALE = "make recording"
PATIENCE_S = 120.0


@pytest.mark.smoke
@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(SAMPLES))
def test_every_sentence_of_the_recorded_research_is_proven(language: str, tmp_path: Path) -> None:
    environment = {**os.environ, "RABBITHOLE_HOME": str(tmp_path / "home")}
    command = ["demo", "--recorded", "--language", language, "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", *command],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    report = json.loads(done.stdout)
    assert report["certainty"] == "answered" and report["usage"]["fallbacks"] == 0
    assert "recorded on" in report["usage"]["model"] and "using replies of" in done.stderr
    assert {each["standing"] for each in report["sentences"]} == {"follows"}
    for task in report["tasks"]:
        named = any(task["missing"] in gap for gap in report["gaps"]) if task["missing"] else False
        assert task["answered"] == "yes" or (task["answered"] == "partly" and named)
    for sentence in report["sentences"]:
        assert sentence["citations"] and all(each["verified"] for each in sentence["citations"])


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(SAMPLES))
def test_a_replay_embeds_nothing_anew(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another processor would compute other vectors, and find other passages."""

    def embed(*_: object) -> None:
        raise AssertionError("a vector does not come with the samples")

    for name in ("embed_query", "embed_passages", "embed_sentences"):
        monkeypatch.setattr(BundledEmbedder, name, embed)
    settings = Settings(home=tmp_path, llm="none")
    with open_engine("local", settings) as engine:
        report = research_sample(engine, settings, SAMPLES[language], recorded=True).value
    assert cast(dict[str, Any], report)["certainty"] == "answered"


@pytest.mark.slow
def test_a_changed_prompt_makes_the_recording_stale(tmp_path: Path) -> None:
    samples = tmp_path / "samples"
    samples.mkdir()
    kept = Path("kb/samples").resolve()
    for each in kept.iterdir():
        (samples / each.name).symlink_to(each)
    folder = samples / "strahlenschutz"
    folder.unlink()
    folder.mkdir()
    for each in (kept / "strahlenschutz").iterdir():
        (folder / each.name).symlink_to(each)
    recording = json.loads((folder / "recorded.json").read_text())
    for reply in recording["replies"]:
        reply["sha256"] = "0" * 64 if reply["task"] == "plan" else reply["sha256"]
    (folder / "recorded.json").unlink()
    (folder / "recorded.json").write_text(json.dumps(recording))
    environment = {
        **os.environ,
        "RABBITHOLE_HOME": str(tmp_path / "home"),
        "RABBITHOLE_SAMPLES": str(samples),
    }
    command = ["demo", "--recorded", "--language", "de"]
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", *command],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 1 and STALE in done.stderr


@pytest.mark.browser
@needs_browser
def test_the_first_page_replays_the_recorded_research(tmp_path: Path) -> None:
    app = AppServer(tmp_path, llm="none")
    app.start()
    try:
        with browser() as driver:
            window = Window(driver, patience_s=PATIENCE_S)
            window.open(app.url)
            window.click("Eine fertige Recherche öffnen")
            window.wait("Exportieren")
            window.settle()
            assert "recorded on" in window.text and "1 Millisievert im Kalenderjahr" in window.text
            assert "Gescheitert" not in window.text
    finally:
        app.stop()
