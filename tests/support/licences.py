"""Under which licence everything is that Rabbithole installs, as its own metadata say.

``python -m tests.support.licences`` writes ``docs/licences.md``.
"""

from collections import defaultdict
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PAGE = Path(__file__).resolve().parents[2] / "docs" / "licences.md"
HEAD = """# Licences

Which licences do Rabbithole and its dependencies have? The table covers all extras and test
packages and follows their own metadata (`python -m tests.support.licences`). The libraries are
imported, not included. `tests/test_dependencies.py` fails if one has the AGPL or a licence that
only shows its source.

| licence | packages |
|---|---|
"""


def installed() -> dict[str, str]:
    """The licence of each package that Rabbithole needs with all its extras; "" if unstated."""
    extras = set(metadata.metadata("rabbithole").get_all("Provides-Extra") or [])
    found: dict[str, set[str]] = {}
    _collect("rabbithole", extras, found)
    return {name: _licence(name) for name in sorted(found) if name != "rabbithole"}


def _collect(name: str, extras: set[str], found: dict[str, set[str]]) -> None:
    """Adds a package and what it needs, unless that is not for this system."""
    known = found.setdefault(name, set())
    if name in found and extras <= known and known:
        return
    try:
        needed = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        del found[name]
        return
    known |= {"", *extras}
    for requirement in map(Requirement, needed):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in known):
            _collect(canonicalize_name(requirement.name), set(requirement.extras), found)


def _licence(name: str) -> str:
    about = metadata.metadata(name)
    classified = [
        each.split(" :: ")[-1]
        for each in about.get_all("Classifier") or []
        if each.startswith("License :: ") and not each.endswith("OSI Approved")
    ]
    free = (about.get("License") or "").strip().splitlines()
    return about.get("License-Expression") or "; ".join(classified) or " ".join(free[:1])


def page() -> str:
    by_licence = defaultdict(list)
    for name, licence in installed().items():
        by_licence[licence or "not stated"].append(name)
    lines = sorted(by_licence.items(), key=lambda each: (-len(each[1]), each[0]))
    return HEAD + "".join(f"| {licence} | {', '.join(names)} |\n" for licence, names in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
