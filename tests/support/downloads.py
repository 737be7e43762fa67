"""What a browser of a test downloads."""

from pathlib import Path

from tests.support.browser import Browser
from tests.support.waiting import until

PATIENCE_S = 60.0


def keep_downloads(driver: Browser, folder: Path) -> None:
    wanted = {"behavior": "allow", "downloadPath": str(folder)}
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", wanted)


def downloaded(folder: Path, ending: str) -> Path:
    """Return the file with this ending, once something of it is there."""

    def files() -> list[Path]:
        return [path for path in folder.glob(f"*{ending}") if path.stat().st_size]

    return until(files, seconds=PATIENCE_S)[0]


def text_of(file: Path) -> str:
    from pypdf import PdfReader

    return " ".join("\n".join(page.extract_text() for page in PdfReader(file).pages).split())
