"""How long a page of the app takes in the browser, by the browser's own clock."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.browser import Browser

LONGEST_S = 60
PAUSE_S = 0.5
"""Before a click: what the last one changed has been drawn, and nobody is faster."""
QUIET_S = 1.0
"""After this long without a change nothing more comes of a click."""
STATE = "document.querySelector('[data-test-script-state]')?.dataset.testScriptState"
_ON_NEW_PAGE = """
window.shown = {paint: null, settled: null};
window.look = () => {
  const main = document.getElementById('stMain');
  if (!shown.paint && main && main.textContent.includes(READY))
    requestAnimationFrame(() => shown.paint ??= performance.now());
  if (shown.paint && !shown.settled && STATE === 'notRunning')
    shown.settled = performance.now();
};
new MutationObserver(window.look).observe(
  document, {subtree: true, childList: true, characterData: true, attributes: true});
"""
_UNTIL_SHOWN = """
const done = arguments[0];
const wait = () => {
  window.look();
  window.shown.settled ? done(window.shown) : setTimeout(wait, 20);
};
wait();
"""
_CLICK = """
const [selector, quiet, done] = arguments;
let start, last = 0;
// Within a canvas stands what a data grid tells screen readers, 200 ms after it was drawn.
const seen = ({target, type}) => {
  const element = target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement;
  const within = element?.closest('canvas');
  return !within || (element === within && type === 'attributes');
};
const observer = new MutationObserver(changes => {
  if (changes.some(seen)) last = performance.now();
});
observer.observe(
  document, {subtree: true, childList: true, characterData: true, attributes: true});
const find = () => {
  const found = [...document.querySelectorAll(selector)].find(e => e.getClientRects().length);
  if (!found) return setTimeout(find, 20);
  [start, last] = [performance.now(), 0];
  found.click();
  wait();
};
const wait = () => {
  if (!last || STATE === 'running' || performance.now() - last < quiet) setTimeout(wait, 20);
  else { observer.disconnect(); done(last - start); }
};
find();
"""


@contextmanager
def painted_when(driver: Browser, ready: str) -> Iterator[None]:
    """Pages opened within count as painted as soon as their main part has this text."""
    driver.set_script_timeout(LONGEST_S)
    source = _ON_NEW_PAGE.replace("READY", repr(ready)).replace("STATE", STATE)
    command = "Page.addScriptToEvaluateOnNewDocument"
    script = driver.execute_cdp_cmd(command, {"source": source})["identifier"]
    try:
        yield
    finally:
        command = "Page.removeScriptToEvaluateOnNewDocument"
        driver.execute_cdp_cmd(command, {"identifier": script})


def open_timed(driver: Browser, url: str) -> float:
    """Milliseconds from the start of the navigation to the first paint; waits for the last one."""
    driver.get(url)
    return float(driver.execute_async_script(_UNTIL_SHOWN)["paint"])


def click_timed(driver: Browser, selector: str) -> float:
    """Milliseconds from a click to the last change of the page that came of it."""
    time.sleep(PAUSE_S)
    script = _CLICK.replace("STATE", STATE)
    return float(driver.execute_async_script(script, selector, 1000 * QUIET_S))
