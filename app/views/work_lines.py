"""A work under way: how far it is as a whole, and a line for each of its files."""

from collections.abc import Iterator
from pathlib import PurePath

import streamlit as st

from agent.commands import IngestFiles
from agent.works import Work
from app.formats import duration, number
from app.sanitise import plain
from app.session import language, say, tell
from app.texts import works as texts
from app.work_log import WorkLog
from services.events import DocumentProgress, IngestProgress

MOST_LINES = 40
TALL, HEIGHT = 10, 300
"""Lines from which on the list scrolls by itself, and how many pixels it has then."""
ICONS = {
    "done": ":material/check:",
    "unchanged": ":material/check:",
    "failed": ":material/error:",
    "waits": ":material/schedule:",
}
MOVING = ":material/arrow_right:"


def show(work: Work, log: WorkLog, heading: str) -> None:
    """Draws the work as it is now."""
    with st.container(border=True, key=f"work-{work.number}"):
        st.markdown(f"**{heading}**")
        if not log.files:
            st.caption(say(texts.WAITS))
        if log.whole is not None:
            st.progress(log.whole.share, text=_whole(log.whole, log))
        lines = list(_lines(work, log))
        if lines:
            with st.container(height=HEIGHT if len(lines) > TALL else "content", border=False):
                st.markdown("  \n".join(lines))
        if isinstance(work.order, IngestFiles):
            st.caption(say(texts.GOES_ON))


def _whole(whole: IngestProgress, log: WorkLog) -> str:
    """Files are counted by the lines below, which are told sooner than the whole."""
    failed = max(whole.documents_failed, len(log.failed))
    done = max(whole.documents_done, len(log.failed) + len(log.finished))
    parts = [say(texts.WHOLE, done=done, total=max(whole.documents_total, done))]
    if failed:
        parts.append(say(texts.WHOLE_FAILED, failed=failed))
    if whole.chunks:
        speed = number(whole.chunks_per_s, language(), 1)
        parts.append(say(texts.WHOLE_CHUNKS, chunks=number(whole.chunks, language()), speed=speed))
    if whole.eta_s is not None and whole.share < 1:
        parts.append(say(texts.WHOLE_LEFT, duration=duration(whole.eta_s, language())))
    return " · ".join(parts)


def _lines(work: Work, log: WorkLog) -> Iterator[str]:
    """Of few files all, in their order; of many those that failed, move, or came last."""
    waiting = [name for name in _names(work) if name not in log.files]
    if len(log.files) + len(waiting) <= MOST_LINES:
        names = dict.fromkeys([*_names(work), *log.files])
        yield from (_line(name, log.files.get(name)) for name in names)
        return
    yield from (_line(each.document, each) for each in [*log.failed, *log.moving])
    room = max(0, MOST_LINES // 2 - len(log.failed))
    newest = log.finished[-room:] if room else []
    yield from (_line(each.document, each) for each in reversed(newest))
    if rest := len(log.finished) - len(newest):
        yield say(texts.MORE_DONE, count=rest)
    if waiting:
        yield say(texts.MORE_WAIT, count=len(waiting))


def _names(work: Work) -> list[str]:
    """Names of the files that were ordered; of folders it is not known before they are read."""
    if not isinstance(work.order, IngestFiles):
        return []
    paths = [PurePath(path) for path in work.order.paths]
    return [path.name for path in paths if path.suffix]


def _line(name: str, progress: DocumentProgress | None) -> str:
    stage = progress.stage if progress else "waits"
    values = progress.model_dump(include={"done", "total"}) if progress else {}
    error = plain(tell(progress.error or "")) if progress else ""
    what = say(texts.STAGE[stage], error=error, **values)
    return f"{ICONS.get(stage, MOVING)} {plain(name)} · {what}"
