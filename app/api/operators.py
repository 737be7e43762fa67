"""What an operator's programs ask a server: whether it lives, can work, and how much it does."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Gauge,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from app.api.access import Admin, Shared, TokenFirst
from app.api.problems import answer
from services.domain.errors import RabbitholeError

router = APIRouter(route_class=TokenFirst, include_in_schema=False)


@router.get("/healthz")
def alive() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/readyz")
def ready(doors: Shared) -> Response:
    """Its catalog answers too; 503 says why it does not."""
    try:
        doors.engine.activity()
    except Exception as problem:  # noqa: BLE001 - whatever it is, it is not ready
        code = problem.code if isinstance(problem, RabbitholeError) else "broken"
        return answer("/readyz", 503, code, str(problem))
    return JSONResponse({"status": "ready"})


@router.get("/metrics")
def metrics(engine: Admin) -> Response:
    """Runs and jobs by status, and what the process takes, in the format of Prometheus."""
    registry = CollectorRegistry()
    for collector in (ProcessCollector, PlatformCollector):
        collector(registry=registry)
    for name, counts in engine.activity():
        gauge = Gauge(f"rabbithole_{name}", f"{name} by status", ["status"], registry=registry)
        for status, count in counts.items():
            gauge.labels(status).set(count)
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)
