"""JSON schemas for constrained generation, and reading what came back."""

from typing import TypeVar, cast

from pydantic import BaseModel, JsonValue, ValidationError

from services.errors import InvalidGeneration

Schema = TypeVar("Schema", bound=BaseModel)

_NOT_FOR_GRAMMARS = ("title", "description", "default", "examples")
SHOWN_ERRORS = 3


def generation_schema(model: type[BaseModel]) -> dict[str, JsonValue]:
    """The JSON schema of ``model`` as a grammar should have it.

    Every property is required, in the order of the class, and no other is allowed: a small
    model leaves out whatever it may. Titles, descriptions and defaults go: servers do not
    show them to the model.
    """
    return cast(dict[str, JsonValue], _tightened(model.model_json_schema()))


def _tightened(node: JsonValue) -> JsonValue:
    if isinstance(node, list):
        return [_tightened(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if key not in _NOT_FOR_GRAMMARS}
    properties = kept.pop("properties", None)
    tight = {key: _tightened(value) for key, value in kept.items()}
    if isinstance(properties, dict):
        # The names of properties are not keywords: one may well be called "title".
        tight["properties"] = {name: _tightened(value) for name, value in properties.items()}
        tight["required"] = list(properties)
        tight["additionalProperties"] = False
    return tight


def read_output(schema: type[Schema], text: str) -> Schema:
    """Parse a generation.

    Raises:
        InvalidGeneration: Naming the first fields that are wrong, for the repair.
    """
    try:
        return schema.model_validate_json(text)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, problem['loc'])) or 'JSON'}: {problem['msg']}"
            for problem in error.errors(include_url=False, include_input=False)
        ]
        raise InvalidGeneration("; ".join(problems[:SHOWN_ERRORS])) from error
