"""Messages to people, as template and fields until the reader's language is known."""

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from string import Formatter
from typing import Any, Final

from pydantic import Field, model_serializer, model_validator

from services.domain.value import Value

ENGLISH: Final = Formatter()


class Notice(Value):
    """A sentence with fields; its ``str`` is English, its JSON a string if it has no fields.

    ``message`` is the msgid of ``services/locale``; a notice within another one is translated too.
    """

    message: str
    fields: "Mapping[str, str | int | float | Notice]" = Field(default_factory=dict)

    @classmethod
    def of(cls, message: str, /, **fields: object) -> "Notice":
        """Fill fields as an f-string would; an error stands for its notice."""
        return cls(message=message, fields={name: _plain(value) for name, value in fields.items()})

    @model_validator(mode="before")
    @classmethod
    def _from_sentence(cls, value: object) -> object:
        return {"message": value} if isinstance(value, str) else value

    @model_serializer
    def _as_json(self) -> str | dict[str, Any]:
        return _as_object(self) if self.fields else self.message

    def __str__(self) -> str:
        return self.filled(self.message)

    def __hash__(self) -> int:
        return hash(str(self))

    def filled(
        self, template: str, nested: "Callable[[Notice], str]" = str, formatter: Formatter = ENGLISH
    ) -> str:
        """Fill in the fields; a notice within the sentence loses its full stop.

        The template is the message or its translation; ``nested`` makes the sentence of a notice
        within.
        """
        if not self.fields:
            return template
        values = {
            name: _within(template, name, nested(value)) if isinstance(value, Notice) else value
            for name, value in self.fields.items()
        }
        return formatter.vformat(template, (), values)


def _as_object(notice: Notice) -> dict[str, Any]:
    fields = {
        name: _as_object(value) if isinstance(value, Notice) else value
        for name, value in notice.fields.items()
    }
    return {"message": notice.message, "fields": fields}


def _within(template: str, name: str, sentence: str) -> str:
    return sentence if template.endswith(f"{{{name}}}") else sentence.removesuffix(".")


def _plain(value: object) -> "str | int | float | Notice":
    notice = getattr(value, "notice", value)
    if isinstance(notice, Notice | str):
        return notice
    if isinstance(value, Real) and not isinstance(value, bool):
        return int(value) if isinstance(value, Integral) else float(value)
    return str(value)
