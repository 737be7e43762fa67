"""What an operator's programs ask a server: whether it lives, can work, and how much it does."""

from collections.abc import Iterator

from fastapi import APIRouter
from fastapi.responses import Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from agent.engine.engine import Engine
from app.api.access import Admin, Shared

router = APIRouter(include_in_schema=False)


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
    registry.register(_Activity(engine))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


class _Activity(Collector):
    def __init__(self, engine: Engine) -> None:
        self._activity = engine.activity()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for name, counts in self._activity:
            family = GaugeMetricFamily(f"rabbithole_{name}", f"{name} by status", labels=["status"])
            for status, count in counts.items():
                family.add_metric([status], count)
            yield family
