"""How far an ingestion is, as one line."""

from services.events import IngestProgress

WIDTH = 20


def bar(progress: IngestProgress) -> str:
    """``[████····] 3/12 documents, 345 pages, 1234 chunks, 35.2 chunks/s, 2:10 left``."""
    full = round(progress.share * WIDTH)
    failed = f" ({progress.documents_failed} failed)" if progress.documents_failed else ""
    parts = [f"{progress.documents_done}/{progress.documents_total} documents{failed}"]
    if progress.pages:
        parts.append(f"{progress.pages} pages")
    parts += [f"{progress.chunks} chunks", f"{progress.chunks_per_s:.1f} chunks/s"]
    if progress.eta_s is not None:
        parts.append(f"{clock(progress.eta_s)} left")
    return f"[{'█' * full}{'·' * (WIDTH - full)}] {', '.join(parts)}"


def clock(seconds: float) -> str:
    """``0:07``, ``2:10`` or ``1:02:10``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
