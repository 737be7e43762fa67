"""Documents whose files are gone from a folder that is ingested again."""

from collections.abc import Sequence
from pathlib import Path

from services.catalog import Catalog, Member
from services.ingestion.files import Candidate
from services.ingestion.indexing import Indexer
from services.types import RemovedFile


def let_go(
    paths: Sequence[Path],
    found: Sequence[Candidate],
    collection_id: str,
    catalog: Catalog,
    indexer: Indexer,
    *,
    prune: bool,
) -> tuple[RemovedFile, ...]:
    """The documents of a collection whose files lie no more in one of the folders.

    Args:
        paths: files and folders that were ingested into the collection just now.
        found: the files found there.
        prune: retire these documents, unless nothing at all can be read in their folder: perhaps
            it lies on a drive that is not there.
    """
    members = catalog.documents.members(collection_id)
    unreadable = {file.path for file in found if file.problem is not None}
    doubtful = gone_from([path for path in paths if path in unreadable], members)
    removed = []
    for document_id, (member, source) in gone_from(paths, members).items():
        if pruned := prune and document_id not in doubtful:
            indexer.retire(collection_id, document_id)
        removed.append(
            RemovedFile(
                path=str(source), document=member.document, document_id=document_id, pruned=pruned
            )
        )
    return tuple(removed)


def gone_from(paths: Sequence[Path], members: Sequence[Member]) -> dict[str, tuple[Member, Path]]:
    """Those members, by document, that came from one of the folders and lie there no more."""
    folders = [path.resolve() for path in paths if path.is_dir()]
    sources = [(each, Path(each.source)) for each in members if each.source is not None]
    return {
        member.document_id: (member, source)
        for member, source in sources
        if any(source.is_relative_to(folder) for folder in folders) and is_gone(source)
    }


def is_gone(path: Path) -> bool:
    """Whether nothing lies there; what cannot be looked at may still be there."""
    try:
        return not path.exists()
    except OSError:
        return False
