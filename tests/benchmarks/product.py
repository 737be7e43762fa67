"""The product as its users call it: one command, one JSON object on standard output."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from services.evaluation.answers import Question, Report


class AnswerFailed(Exception):
    """A system gave no report; the message is what its user would have read."""


def last_object(text: str) -> dict[str, Any]:
    """The JSON object that ends a command's output.

    Raises:
        ValueError: The output does not end with one.
    """
    decoder, at = json.JSONDecoder(), 0
    for line in text.splitlines(keepends=True):
        if line.startswith("{"):
            try:
                value, end = decoder.raw_decode(text, at)
            except json.JSONDecodeError:
                end = 0
            if end and not text[end:].strip():
                return dict(value)
        at += len(line)
    raise ValueError("the output does not end with a JSON object")


class Product:
    """The installed command in a home of its own."""

    def __init__(
        self,
        executable: Sequence[str],
        collection: str,
        environment: Mapping[str, str],
        log: Path,
        *,
        timeout_s: float,
    ) -> None:
        self._executable = tuple(executable)
        self._collection = collection
        self._environment = dict(environment)
        self._log = log
        self._timeout_s = timeout_s

    async def answer(self, question: Question) -> Report:
        """Raises AnswerFailed with the command's last line of standard error."""
        return await self.run("research", question.q, "--yes", "--no-clarify")

    async def run(self, *arguments: str) -> dict[str, Any]:
        """One command on the collection; its JSON.

        Raises:
            AnswerFailed: It failed, took too long or printed no JSON.
        """
        command = [*self._executable, *arguments, "--collection", self._collection, "--json"]
        with self._log.open("a+b") as log:
            begin = log.seek(0, os.SEEK_END)
            process = await asyncio.create_subprocess_exec(
                *command, stdout=asyncio.subprocess.PIPE, stderr=log, env=self._environment
            )
            try:
                out, _ = await asyncio.wait_for(process.communicate(), self._timeout_s)
            except TimeoutError:
                process.kill()
                await process.wait()
                raise AnswerFailed(f"no report within {self._timeout_s:.0f} s") from None
            log.seek(begin)
            errors = log.read().decode(errors="replace").strip()
        if process.returncode != 0:
            reason = errors.splitlines()[-1] if errors else "no message"
            raise AnswerFailed(f"exit code {process.returncode}: {reason}")
        try:
            return last_object(out.decode())
        except ValueError as error:
            raise AnswerFailed(str(error)) from None


def executable() -> str:
    """The command beside this interpreter, else whatever the path finds."""
    beside = Path(sys.executable).with_name("rabbithole")
    return str(beside) if beside.exists() else "rabbithole"
