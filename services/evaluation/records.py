"""Files of records, one JSON object a line."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Self, TypeVar

from pydantic import ConfigDict, ValidationError

from services.domain import Value
from services.domain.errors import InvalidInput

R = TypeVar("R", bound="Record")


class Record(Value):
    """A line of a file; keys that a record does not have are passed over. ``what`` it is called."""

    model_config = ConfigDict(extra="ignore")
    what: ClassVar[str] = "record"

    @classmethod
    def load(cls, path: Path) -> list[Self]:
        """All records of a file; raises InvalidInput as ``read_records``, or where none is."""
        records = list(read_records(path, cls))
        if not records:
            raise InvalidInput(f"{path} holds no {cls.what}.")
        return records


def read_records(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a file, one at a time.

    Raises:
        InvalidInput: the file cannot be read, or a line is no record.
    """
    for number, line in read_lines(path):
        try:
            yield kind.model_validate_json(line)
        except ValidationError as error:
            wrong = error.errors()[0]
            place = ".".join(map(str, wrong["loc"])) or "the line"
            needed = (
                field.validation_alias or name
                for name, field in kind.model_fields.items()
                if field.is_required()
            )
            raise InvalidInput(
                f"{path.name}, line {number}: not a record ({place}: {wrong['msg']}). Correct the "
                f"line; it is a JSON object with {', '.join(map(str, needed))}."
            ) from None


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers; raises InvalidInput as ``read_records``."""
    try:
        with path.open(encoding="utf-8") as file:
            yield from ((n, line) for n, line in enumerate(file, start=1) if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        cause = getattr(error, "strerror", None) or error
        raise InvalidInput(f"{path} cannot be read as text ({cause}). Name another.") from error
