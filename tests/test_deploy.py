"""Files for operators name only what there is: commands and options, settings, paths."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.api.server import PATHS
from app.cli.serve import serve, worker
from services.settings import Settings

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "docs" / "deploy"
UNIT, IMAGE, COMPOSE = (
    (DEPLOY / name).read_text(encoding="utf-8")
    for name in ("rabbithole.service", "Dockerfile", "compose.yaml")
)


def test_every_setting_is_one() -> None:
    named = set(re.findall(r"RABBITHOLE_([A-Z_]+)", UNIT + IMAGE + COMPOSE))
    assert {"HOME", "DATABASE"} <= named <= {each.upper() for each in Settings.model_fields}


@pytest.mark.parametrize(
    "command",
    [
        re.findall(r"^ExecStart=(.*)$", UNIT, re.MULTILINE)[0],
        " ".join(yaml.safe_load(re.findall(r"^CMD (.*)$", IMAGE, re.MULTILINE)[-1])),
    ],
)
def test_what_is_started_can_be(command: str) -> None:
    program, name, *options = shlex.split(command)
    assert Path(program).name == "rabbithole" and name == serve.name
    given = serve.make_context("serve", options).params
    assert given["login"] == Path("/etc/rabbithole/login.toml") and not given["i_know"]


def test_the_image_has_all_that_is_copied_and_asks_a_door_for_its_health() -> None:
    kept = re.findall(r"^!(.*)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    assert all((ROOT / each).exists() for each in kept)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert set(re.findall(r"\.\[(\w+)\]", IMAGE)) <= extras.keys()
    (asked,) = re.findall(r"http://127\.0\.0\.1:\d+(/\w+)", IMAGE)
    assert asked in PATHS


def test_services_reach_each_other() -> None:
    parts: dict[str, Any] = yaml.safe_load(COMPOSE)
    services = parts["services"]
    hosts = re.findall(r"@(\w+)/|http://(\w+):", str(services["rabbithole"]["environment"]))
    assert {"".join(each) for each in hosts} == services.keys() - {"rabbithole", "worker"}
    assert services["worker"]["command"] == ["rabbithole", worker.name]
    mounted = {v.split(":")[0] for each in services.values() for v in each["volumes"]}
    assert {each for each in mounted if each[0] != "."} == parts["volumes"].keys()
    assert (DEPLOY / services["rabbithole"]["build"]["context"]).resolve() == ROOT
