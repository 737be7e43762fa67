"""axe-core in the page: what breaks WCAG 2.2 AA, as far as a machine can tell."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.support.browser import Browser

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
COLOURS = ("color-contrast",)
_RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, {runOnly: arguments[0], resultTypes: ['violations']})
   .then(found => done(found.violations.flatMap(rule => rule.nodes.map(node =>
        `${rule.id}: ${node.target} ${node.html.slice(0, 300)} ${node.failureSummary}`))),
        error => done([String(error)]));
"""


def violations(driver: Browser, only: tuple[str, ...]) -> list[str]:
    """Each element of the page that breaks a rule, with the rule and why."""
    if not driver.execute_script("return window.axe !== undefined"):
        driver.execute_script(_source())
    driver.set_script_timeout(60)
    found: Any = driver.execute_async_script(_RUN, list(only))
    return list(found)


def _source() -> str:
    package = find_spec("axe_playwright_python")
    assert package is not None and package.submodule_search_locations
    script = Path(package.submodule_search_locations[0]) / "axe.min.js"
    return script.read_text(encoding="utf-8")
