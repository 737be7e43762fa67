"""The parameters of retrieval and synthesis: names, types, bounds and defaults."""

import json
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from services.domain import Reranking, Value
from services.domain.errors import InvalidInput
from services.domain.notices import Notice
from services.library.thresholds import AGENT, FAST

ParameterType = Literal["integer", "number", "string", "boolean", "array"]

NAME_LENGTH = 60
PROMPT_LENGTH = 20_000
QUOTED_CHARACTERS = 80
"""Most characters of a refused value in its error."""


class ProfileCollection(Value):
    """A collection by name or id, with its reranking; None means that of the profile."""

    collection: str = Field(min_length=1, max_length=200)
    reranking: Reranking | None = None


def _parsed(value: Any) -> Any:
    """Parse a list such as ``laws=llm, contracts``, or JSON for names with commas or ``=``."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            listed = json.loads(value)
        except RecursionError as problem:
            raise ValueError("nested too deep") from problem
        return [{"collection": name} if isinstance(name, str) else name for name in listed]
    return [_parsed_collection(entry.strip()) for entry in value.split(",") if entry.strip()]


def _parsed_collection(text: str) -> dict[str, str]:
    name, sign, reranking = text.rpartition("=")
    if not sign:
        return {"collection": text}
    if reranking.strip() not in get_args(Reranking):
        raise ValueError(
            f"{text!r} should be a collection, or COLLECTION=RERANKING with one of "
            f"{', '.join(get_args(Reranking))} (as JSON, names may have any character)"
        )
    return {"collection": name.strip(), "reranking": reranking.strip()}


_OF_PROFILES: dict[str, JsonValue] = {"of_profiles": True}

BOUNDS: Final = {
    "greater_than_equal": "Input should be greater than or equal to {ge}",
    "less_than_equal": "Input should be less than or equal to {le}",
    "literal_error": "Input should be {expected}",
    "string_too_long": "String should have at most {max_length} characters",
}
"""Messages of pydantic for values out of bounds, by the type of its error."""


class KnowledgeParameters(BaseModel):
    """The seven parameters of the design, and those of profiles and quick answers.

    ``max_docs`` is a number of chunks, ``max_tokens`` are those of the passages for one part of an
    answer. ``synthesis_prompt_override`` replaces the system prompt of synthesis unless empty, and
    a profile may set another ``reranking`` for a collection. ``answer_cache`` repeats earlier
    answers, ``plan_memory`` uses earlier plans. For the others see ``SearchOptions`` and
    ``services.library.thresholds``.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )

    max_docs: int = Field(default=10, ge=1, le=100, json_schema_extra={"in_profiles": 3})
    min_relevance_score: float = Field(
        default=0.05, ge=0.0, le=1.0, json_schema_extra={"in_profiles": 0.30}
    )
    max_tokens: int = Field(default=2000, ge=100, le=1_000_000)
    max_chunks_per_document: int = Field(default=0, ge=0, le=100)
    freshness_weight: float = Field(default=0.0, ge=0.0, le=1.0)
    freshness_decay_rate: float = Field(default=0.005, ge=0.0, le=10.0)
    synthesis_prompt_override: str = Field(default="", max_length=PROMPT_LENGTH)
    reranking: Reranking = "none"
    fast_threshold: float = Field(default=FAST / 100, ge=0.0, le=1.0)
    agent_threshold: float = Field(default=AGENT / 100, ge=0.0, le=1.0)
    adaptive_thresholds: bool = True
    answer_cache: bool = False
    plan_memory: bool = True
    enabled: bool = Field(default=True, json_schema_extra=_OF_PROFILES)
    collections: Annotated[
        tuple[ProfileCollection, ...],
        BeforeValidator(_parsed),
        Field(max_length=100, json_schema_extra=_OF_PROFILES),
    ] = ()


class ParameterSchema(Value):
    """Type, bounds and default of a parameter, another one ``in_profiles`` if that is not None."""

    model_config = ConfigDict(extra="ignore")

    key: str
    type: ParameterType
    minimum: int | float | None = None
    maximum: int | float | None = None
    default: JsonValue
    in_profiles: JsonValue = None
    of_profiles: bool = False


def _schemas() -> dict[str, ParameterSchema]:
    properties: dict[str, dict[str, Any]] = KnowledgeParameters.model_json_schema()["properties"]
    return {key: ParameterSchema(**{**fields, "key": key}) for key, fields in properties.items()}


SCHEMAS = _schemas()


Preset = Literal["quick", "balanced", "thorough"]
PRESETS: Final[dict[Preset, dict[str, JsonValue]]] = {
    "quick": {"maxDocs": 5, "maxTokens": 1200, "fastThreshold": 0.6, "answerCache": True},
    "balanced": {},
    "thorough": {
        "maxDocs": 20,
        "maxTokens": 4000,
        "fastThreshold": 0.15,
        "reranking": "cross-encoder",
    },
}
"""The parameters that each preset sets; it unsets those that only other presets set."""
OF_PRESETS: Final = tuple(dict.fromkeys(key for preset in PRESETS.values() for key in preset))


def schema_of(key: str) -> ParameterSchema:
    """Return the schema of a parameter; raise InvalidInput if there is none."""
    if key not in SCHEMAS:
        raise InvalidInput(
            "There is no parameter {key!r}. Available parameters: {keys}.",
            key=key,
            keys=", ".join(SCHEMAS),
        )
    return SCHEMAS[key]


def checked_value(key: str, value: JsonValue) -> JsonValue:
    """Return the value in the parameter's type, parsed if text; raise InvalidInput if invalid."""
    schema = schema_of(key)
    if isinstance(value, bool) and schema.type != "boolean":
        raise InvalidInput("{key} does not accept true or false.", key=key)
    try:
        checked = KnowledgeParameters.model_validate({key: value})
    except ValidationError as problem:
        quoted = repr(value)
        if len(quoted) > QUOTED_CHARACTERS:
            quoted = f"{quoted[:QUOTED_CHARACTERS]}…"
        reason = _refused(problem.errors()[0])
        raise InvalidInput(
            "{key}: {reason}, not {value}.", key=key, reason=reason, value=quoted
        ) from problem
    values: dict[str, JsonValue] = checked.model_dump(mode="json", by_alias=True)
    return values[key]


def require_global(key: str) -> None:
    if schema_of(key).of_profiles:
        raise InvalidInput(
            "{key} can only be set in a profile: name the profile with --profile.", key=key
        )


def checked_name(profile: str) -> str:
    """Return the name without blanks around it; raise InvalidInput if it cannot be displayed."""
    name = profile.strip()
    if not name or len(name) > NAME_LENGTH or not name.isprintable():
        raise InvalidInput(
            "A profile needs a name of 1 to {most} printable characters, not {name!r}.",
            most=NAME_LENGTH,
            name=profile,
        )
    return name


def _refused(problem: ErrorDetails) -> Notice:
    """Return the message of pydantic, with whole numbers as integers."""
    template = BOUNDS.get(problem["type"])
    if template is None:
        return Notice(message=problem["msg"].removeprefix("Value error, "))
    values = {
        name: int(bound) if isinstance(bound, float) and bound.is_integer() else bound
        for name, bound in problem["ctx"].items()
    }
    return Notice.of(template, **values)
