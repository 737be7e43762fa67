"""What an operator's programs ask a server: whether it lives, can work, and how much it does."""

from fastapi import APIRouter
from fastapi.responses import Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Gauge,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from app.api.access import Admin, Shared, TokenFirst

router = APIRouter(route_class=TokenFirst, include_in_schema=False)


@router.get("/healthz")
def alive() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/readyz")
def ready(doors: Shared) -> dict[str, str]:
    """Its catalog answers too; 503 says why it does not."""
    doors.engine.activity()
    return {"status": "ready"}


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
