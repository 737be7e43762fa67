"""The command line as a person uses it, in a home of its own and without a language model."""

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from app.cli.main import main


class Shell:
    """Runs commands in one home."""

    def __init__(self, home: Path, **env: str) -> None:
        self.home = home
        self._env = {"RABBITHOLE_HOME": str(home), "RABBITHOLE_LLM": "none", "EDITOR": "true"} | env

    def run(self, *arguments: object) -> Result:
        return CliRunner().invoke(main, [str(each) for each in arguments], env=self._env)

    def error(self, *arguments: object, code: int = 1) -> str:
        """What a command says on standard error that must fail."""
        result = self.run(*arguments)
        assert result.exit_code == code, result.output
        return result.stderr

    def json(self, *arguments: object) -> dict[str, Any]:
        """The object that a command prints last; it must succeed."""
        result = self.run(*arguments, "--json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout.strip().splitlines()[-1])
