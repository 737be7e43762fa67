"""A headless Chromium that keeps a log of every request, for tests and for looking at pages."""

import atexit
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
)
LANGUAGE = "de-DE"
LOOPBACK = ("127.0.0.1", "localhost", "")
REQUESTS = (
    "Network.requestWillBeSent",
    "Network.webSocketCreated",
    "Network.webTransportCreated",
)
STATE = """
const root = document.getElementById('root') ?? document.body;
const app = document.querySelector('[data-testid=stApp]');
return {
    ready: document.readyState,
    visibility: document.visibilityState,
    connection: app?.dataset.testConnectionState ?? 'no app',
    script: app?.dataset.testScriptState ?? 'no app',
    markup: root.innerHTML.length,
    words: root.textContent.slice(0, 500),
};
"""
WITHIN_THE_BROWSER = ("data", "blob", "about", "chrome", "chrome-error", "chrome-untrusted")
Browser = webdriver.Chrome


def available() -> bool:
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


needs_browser = pytest.mark.skipif(
    not available(),
    reason="needs Chromium; on Debian: apt-get install chromium chromium-driver",
)


_idle: list[Browser] = []
"""Browsers that no test uses now. Starting one, and compiling the app's scripts, takes seconds."""


@contextmanager
def browser(width: int = 1280, height: int = 900, *, bidi: bool = False) -> Iterator[Browser]:
    """A browser with an empty window and no memory; with ``bidi`` it can have more profiles."""
    driver = _start(bidi=bidi) if bidi or not _idle else _idle.pop()
    try:
        resize(driver, width, height)
        driver.execute_cdp_cmd("Emulation.setLocaleOverride", {"locale": LANGUAGE})
        yield driver
        if not bidi:
            _forget(driver)
            _idle.append(driver)
    finally:
        if driver not in _idle:
            driver.quit()


def _start(*, bidi: bool) -> Browser:
    profile = tempfile.mkdtemp(prefix="rabbithole-chromium-")
    atexit.register(shutil.rmtree, profile, ignore_errors=True)
    options = Options()
    options.binary_location = shutil.which("chromium") or "chromium"
    for flag in (*FLAGS, f"--user-data-dir={profile}", f"--lang={LANGUAGE}"):
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"intl.accept_languages": LANGUAGE})
    options.enable_bidi = bidi
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = Browser(options=options, service=Service(shutil.which("chromedriver")))
    atexit.register(driver.quit)
    return driver


def _forget(driver: Browser) -> None:
    """Closes all windows but an empty one, and forgets what the sites had it keep."""
    place = urlsplit(driver.current_url)
    origin = {"origin": f"{place.scheme}://{place.netloc}", "storageTypes": "local_storage"}
    driver.execute_cdp_cmd("Storage.clearDataForOrigin", origin)
    driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    used = driver.window_handles
    driver.switch_to.new_window("window")
    empty = driver.current_window_handle
    for handle in used:
        driver.switch_to.window(handle)
        driver.close()
    driver.switch_to.window(empty)
    for kind in ("performance", "browser"):
        driver.get_log(kind)


def resize(driver: Browser, width: int, height: int) -> None:
    """Sets the size of the page itself: a headless window does not get as narrow as a phone."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def windows_of_their_own(driver: Browser, count: int) -> list[str]:
    """Windows without anything in common, each in a profile of its own (a browser with bidi)."""
    return [
        driver.browsing_context.create(
            type="window", user_context=driver.browser.create_user_context()
        )
        for _ in range(count)
    ]


def screenshot(driver: Browser, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    driver.save_screenshot(str(path))


def page_report(driver: Browser) -> str:
    """What a failed wait says of the page: what it reads, what it is made of and its console."""
    state = driver.execute_script(STATE)
    picture = Path(tempfile.mkdtemp(prefix="rabbithole-page-")) / "page.png"
    screenshot(driver, picture)
    console = Counter(f"{each['level']} {each['message']}" for each in driver.get_log("browser"))
    return "\n".join(
        [
            f"address: {driver.current_url}, title: {driver.title!r}, picture: {picture}",
            f"state: {state}",
            *(f"console, {times} times: {line}" for line, times in console.items()),
            f"the page reads:\n{driver.find_element(By.TAG_NAME, 'body').text}",
        ]
    )


def requested_hosts(driver: Browser) -> set[str]:
    """Hosts of all requests since the last call, pages, images and sockets alike."""
    return {urlsplit(f"//{place}").hostname or "" for place in requested_places(driver)}


def requested_places(driver: Browser) -> set[str]:
    """Hosts with their ports of all requests since the last call, whatever they were for."""
    places = set()
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        parameters = message.get("params", {})
        url = parameters.get("request", {}).get("url") or parameters.get("url", "")
        if message["method"] in REQUESTS and urlsplit(url).scheme not in WITHIN_THE_BROWSER:
            places.add(urlsplit(url).netloc)
    return places


def outside(hosts: set[str]) -> set[str]:
    return {host for host in hosts if host not in LOOPBACK}
