"""Errors as programs read them: problem+json (RFC 9457) with the code; OpenAI's shape below /v1."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from pydantic_core import to_jsonable_python
from starlette.exceptions import HTTPException

from services.domain import errors
from services.domain.errors import RabbitholeError
from services.locale import rendered

MEDIA_TYPE: Final = "application/problem+json"
STATUS: Final[Mapping[type[RabbitholeError], int]] = {
    errors.Unauthorized: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.AlreadyAnswered: 409,
    errors.IncompatibleThread: 409,
    errors.EmbeddingMismatch: 409,
    errors.TooLarge: 413,
    errors.TooManyRequests: 429,
    errors.NoModel: 503,
    errors.AskPerson: 422,
    errors.TryAgain: 503,
    errors.BadGeneration: 502,
    errors.RabbitholeError: 500,
}
"""The first that fits counts."""
HEADERS: Final = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "1"}}
CODES: Final = {404: "not-found", 405: "method-not-allowed", 408: "too-slow", 413: "too-large"}
SHOWN_PLACE: Final = 8
"""Steps of the way to what is malformed: it may be nested without end."""


class Problem(BaseModel):
    """What is wrong and how to go on; ``code`` is the name of the error."""

    type: str = "about:blank"
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    code: str = Field(examples=["not-found"])
    detail: str = Field(examples=["There is no thread 'x'. `rabbithole runs list` shows them."])


def responses(*statuses: int, media_type: str = MEDIA_TYPE) -> dict[int | str, dict[str, Any]]:
    """What OpenAPI says of errors with these statuses; plain JSON is OpenAI's shape."""
    ours = media_type == MEDIA_TYPE
    schema = {"$ref": "#/components/schemas/Problem"} if ours else {"type": "object"}
    content = {media_type: {"schema": schema}}
    return {each: {"description": HTTPStatus(each).phrase, "content": content} for each in statuses}


ALWAYS: Final = responses(401, 403, 404, 409, 413, 422, 429, 503)
"""What a call of the API may be answered with."""


def handle_errors(app: FastAPI) -> None:
    """Has all errors of an app answered like this."""

    @app.exception_handler(RabbitholeError)
    def ours(request: Request, problem: RabbitholeError) -> Response:
        return refusal(request.url.path, problem)

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, problem: RequestValidationError) -> Response:
        first = problem.errors()[0]
        where = ".".join(map(str, first["loc"][:SHOWN_PLACE]))
        return answer(request.url.path, 422, "invalid-input", f"{where}: {first['msg']}.")

    @app.exception_handler(HTTPException)
    def plain(request: Request, problem: HTTPException) -> Response:
        if problem.status_code == 400:  # nested too deep, no text, a number without end
            detail = f"The body cannot be read: {problem.__cause__ or problem.detail}."
            return answer(request.url.path, 422, "invalid-input", detail)
        code = CODES.get(problem.status_code, "invalid-input")
        said = answer(request.url.path, problem.status_code, code, str(problem.detail))
        said.headers.update(problem.headers or {})
        return said


def refusal(path: str, problem: RabbitholeError) -> Response:
    """What the engine refuses, as a response."""
    status = next(each for kind, each in STATUS.items() if isinstance(problem, kind))
    return answer(path, status, problem.code, str(problem))


def answer(path: str, status: int, code: str, detail: str) -> Response:
    """An error as a response."""
    headers = HEADERS.get(status)
    if path.startswith("/v1/"):
        error = {"message": detail, "type": code, "code": code, "param": None}
        return Json({"error": error}, status, headers)
    title = HTTPStatus(status).phrase
    problem = Problem(title=title, status=status, code=code, detail=detail)
    return Json(problem.model_dump(), status, headers, MEDIA_TYPE)


class Json(JSONResponse):
    """JSON with each notice as a sentence; what UTF-8 cannot hold becomes an escape."""

    def render(self, content: Any) -> bytes:
        said = rendered(to_jsonable_python(content))
        return json.dumps(said, ensure_ascii=False).encode(errors="backslashreplace")
