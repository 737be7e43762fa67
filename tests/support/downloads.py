"""What a browser of a test downloads."""

import time
from pathlib import Path

from tests.support.browser import Browser

PATIENCE_S = 60.0


def keep_downloads(driver: Browser, folder: Path) -> None:
    wanted = {"behavior": "allow", "downloadPath": str(folder)}
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", wanted)


def downloaded(folder: Path, ending: str) -> Path:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = [path for path in folder.glob(f"*{ending}") if path.stat().st_size]
        if found:
            return found[0]
        time.sleep(0.2)
    raise AssertionError(f"no {ending} was downloaded")


def text_of(file: Path) -> str:
    from pypdf import PdfReader

    return " ".join("\n".join(page.extract_text() for page in PdfReader(file).pages).split())
