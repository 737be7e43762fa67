"""Errors for programs: problem+json (RFC 9457) with a code, and OpenAI's shape below /v1."""

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
"""The status of the first class that fits an error is used."""
HEADERS: Final = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "1"}}
CODES: Final = {404: "not-found", 405: "method-not-allowed", 408: "too-slow", 413: "too-large"}
PATH_SHOWN: Final = 8
"""Steps of the path to a malformed field, which may be nested without end."""


class Problem(BaseModel):
    """What went wrong and what to do; ``code`` is the name of the error."""

    type: str = "about:blank"
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    code: str = Field(examples=["not-found"])
    detail: str = Field(
        examples=["You have no thread 'x'. `rabbithole runs list` shows your threads."]
    )


def responses(*statuses: int, media_type: str = MEDIA_TYPE) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI description of errors with these statuses; JSON is OpenAI's shape."""
    ours = media_type == MEDIA_TYPE
    schema = {"$ref": "#/components/schemas/Problem"} if ours else {"type": "object"}
    content = {media_type: {"schema": schema}}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": content}
        for status in statuses
    }


ALWAYS: Final = responses(401, 403, 404, 409, 413, 422, 429, 503)
"""The errors of every call of the API."""


def handle_errors(app: FastAPI) -> None:
    """Have an app answer all errors like this."""

    @app.exception_handler(RabbitholeError)
    def ours(request: Request, problem: RabbitholeError) -> Response:
        return refusal(request.url.path, problem)

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, problem: RequestValidationError) -> Response:
        first = problem.errors()[0]
        where = ".".join(map(str, first["loc"][:PATH_SHOWN]))
        return answer(request.url.path, 422, "invalid-input", f"{where}: {first['msg']}.")

    @app.exception_handler(HTTPException)
    def plain(request: Request, problem: HTTPException) -> Response:
        if problem.status_code == 400:  # nested too deep, no text, a number without end
            detail = f"The body cannot be read: {problem.__cause__ or problem.detail}."
            return answer(request.url.path, 422, "invalid-input", detail)
        code = CODES.get(problem.status_code, "invalid-input")
        response = answer(request.url.path, problem.status_code, code, str(problem.detail))
        response.headers.update(problem.headers or {})
        return response


def refusal(path: str, problem: RabbitholeError) -> Response:
    """Return an error of the engine as a response."""
    status = next(status for kind, status in STATUS.items() if isinstance(problem, kind))
    return answer(path, status, problem.code, str(problem))


def answer(path: str, status: int, code: str, detail: str) -> Response:
    """Return an error as a response."""
    headers = HEADERS.get(status)
    if path.startswith("/v1/"):
        error = {"message": detail, "type": code, "code": code, "param": None}
        return Json({"error": error}, status, headers)
    title = HTTPStatus(status).phrase
    problem = Problem(title=title, status=status, code=code, detail=detail)
    return Json(problem.model_dump(), status, headers, MEDIA_TYPE)


class Json(JSONResponse):
    """JSON with each notice as a sentence; characters that UTF-8 cannot encode are escaped."""

    def render(self, content: Any) -> bytes:
        value = rendered(to_jsonable_python(content))
        return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")
