"""Having the pages of a file that are pictures read, each in a worker of its own, within limits."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Final, NamedTuple

from services.domain import Recognised
from services.domain.notices import Notice
from services.ingestion.worker import Job

MOST_SECONDS: Final = 1800.0
"""After which no further page of a file is begun."""
PAGE_S: Final = 60.0
"""For a page, which takes 4 to 5 s of a processor."""

_TOO_SLOW: Final = Notice.of("each took longer than {seconds:g} s", seconds=PAGE_S)

ReadPicture = Callable[[Job], dict[str, Any]]
"""Has a page read: ``{"lines": [...]}``, or why not, as `Workers.run` answers."""


class Pictures(NamedTuple):
    """What came of them: their lines, what stays unread, why, and whether an engine is missing."""

    recognised: Recognised
    unread: tuple[int, ...]
    warnings: tuple[Notice, ...]
    engine_missing: bool


def read_pictures(
    read: ReadPicture,
    job: Job,
    pages: Sequence[int],
    *,
    most: int,
    clock: Callable[[], float] = time.monotonic,
) -> Pictures:
    """Read pages (from 1) of the file of a job, until one of the limits is reached."""
    began, recognised, slow, large = clock(), Recognised(), list[int](), list[int]()
    missing: Notice | None = None
    for number in pages[:most]:
        if clock() - began > MOST_SECONDS:
            break
        limit_s = min(job.timeout_s, PAGE_S)
        answer = read(replace(job, task="lines", about=number, timeout_s=limit_s))
        if "unreadable" in answer:
            missing = Notice.model_validate(answer["unreadable"])
            break
        if "lines" in answer:
            recognised[number] = answer["lines"]
        else:
            (slow if answer.get("out_of") == "time" else large).append(number)
    beyond = pages[len(recognised) + len(slow) + len(large) :]
    last = (pages, missing) if missing else (beyond, _too_many(most))
    reasons = [(slow, _TOO_SLOW), (large, _too_large(job.memory_mb)), last]
    warnings = tuple(
        Notice.of("no readable text on pages {pages}: {reason}", pages=page_ranges(of), reason=why)
        for of, why in reasons
        if of
    )
    return Pictures(recognised, (*slow, *large, *beyond), warnings, missing is not None)


def _too_large(memory_mb: int) -> Notice:
    return Notice.of(
        "the reader ran out of memory ({megabytes} MB) or crashed; raise "
        "RABBITHOLE_PARSE_MEMORY_MB if you trust the file",
        megabytes=memory_mb,
    )


def _too_many(most: int) -> Notice:
    return Notice.of(
        "at most {pages} pages of a file are read, or as many as {minutes:g} minutes allow; split "
        "it, or raise RABBITHOLE_OCR_PAGES",
        pages=most,
        minutes=MOST_SECONDS / 60,
    )


def page_ranges(pages: Sequence[int]) -> str:
    """Return page numbers as ranges: ``1-4, 7``."""
    runs = groupby(enumerate(pages), key=lambda item: item[1] - item[0])
    spans = [[number for _, number in run] for _, run in runs]
    return ", ".join(f"{s[0]}-{s[-1]}" if len(s) > 1 else str(s[0]) for s in spans)
