"""Documents whose files are gone from a folder that is ingested again."""

from collections.abc import Sequence
from pathlib import Path

from services.catalog import Member
from services.ingestion.files import Candidate


def removed_from(paths: Sequence[Path], members: Sequence[Member]) -> list[tuple[Member, Path]]:
    """Those members that came from one of the folders and lie there no more, with their paths."""
    folders = [path.resolve() for path in paths if path.is_dir()]
    sources = [(each, Path(each.source)) for each in members if each.source is not None]
    return [
        (member, source)
        for member, source in sources
        if any(source.is_relative_to(folder) for folder in folders) and is_gone(source)
    ]


def without_files(paths: Sequence[Path], files: Sequence[Candidate]) -> list[Path]:
    """Folders in which nothing can be read: perhaps a drive that is not there, so no reason
    to believe that what lay in them was deleted."""
    problems = {file.path for file in files if file.problem is not None}
    return [path.resolve() for path in paths if path in problems]


def is_gone(path: Path) -> bool:
    """Whether nothing lies there; what cannot be looked at may still be there."""
    try:
        return not path.exists()
    except OSError:
        return False
