"""What is installed: pinned with hashes, and under licences that anyone can live with."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support import licences

ROOT = Path(__file__).resolve().parents[1]
CLOSED = re.compile("AGPL|Affero|SSPL|Server Side Public|BUSL|Business Source|Commons Clause")


def wanted() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [
        requirement
        for extra, requirements in project["optional-dependencies"].items()
        if extra != "docling"  # which a person installs with the build of torch for their machine
        for requirement in requirements
    ]
    found = map(Requirement, [*project["dependencies"], *extras])
    return [each for each in found if canonicalize_name(each.name) != "rabbithole"]


def test_the_lock_pins_every_dependency_with_hashes() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned: dict[str, set[str]] = {}
    for block in re.split(r"\n(?=[a-z0-9])", re.sub(r"(?m)^\s*#.*\n", "", text)):
        line, *hashes = [each.strip() for each in block.split("\\\n")]
        assert hashes and all(re.fullmatch(r"--hash=sha256:\w{64}", each) for each in hashes), line
        name, version = line.split(" ;")[0].split("==")
        pinned.setdefault(canonicalize_name(name), set()).add(version.strip())
    for each in wanted():
        assert pinned.get(canonicalize_name(each.name), set()), each
        assert all(map(each.specifier.contains, pinned[canonicalize_name(each.name)])), each


def test_no_licence_asks_for_the_source_of_a_service() -> None:
    found = licences.installed()
    assert len(found) > 100
    assert {name: each for name, each in found.items() if CLOSED.search(each)} == {}
    listed = licences.PAGE.read_text(encoding="utf-8")
    own = {canonicalize_name(each.name) for each in wanted()}
    assert {name for name in own & found.keys() if name not in listed} == set()
