"""A page that Tesseract would read, without Tesseract: the error has the command to install it."""

import pytest

from services.ingestion.parsers.pdf import ocr


@pytest.mark.parametrize(
    ("manager", "command"),
    [("apt-get", "sudo apt-get install tesseract-ocr"), ("brew", "brew install tesseract")],
)
def test_the_command_of_this_system_is_said(manager: str, command: str) -> None:
    problem = ocr.not_installed(ocr.COMMANDS[manager])
    assert command in str(problem.notice)


def test_without_a_known_package_manager_the_package_is_named() -> None:
    assert "install Tesseract" in str(ocr.not_installed(None).notice)
