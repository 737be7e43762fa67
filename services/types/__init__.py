"""Values that cross module borders. All are frozen; none holds a live resource.

Import them from here: the modules below are how they are kept.
"""

from services.ingestion.values import FileOutcome as FileOutcome
from services.ingestion.values import IngestReport as IngestReport
from services.ingestion.values import RemovedFile as RemovedFile
from services.metadata import DocumentMetadata as DocumentMetadata
from services.metadata import MetadataChanges as MetadataChanges
from services.pages.values import Box as Box
from services.pages.values import PageImage as PageImage
from services.types.answers import CaseSpan as CaseSpan
from services.types.answers import Citation as Citation
from services.types.answers import Sentence as Sentence
from services.types.answers import TaskUsage as TaskUsage
from services.types.collections import CollectionHealth as CollectionHealth
from services.types.collections import CollectionInfo as CollectionInfo
from services.types.collections import DocumentInfo as DocumentInfo
from services.types.collections import OpenDocument as OpenDocument
from services.types.collections import Shelf as Shelf
from services.types.identity import Preference as Preference
from services.types.identity import Principal as Principal
from services.types.identity import Scope as Scope
from services.types.passages import Chunk as Chunk
from services.types.passages import Chunking as Chunking
from services.types.passages import ChunkSpan as ChunkSpan
from services.types.passages import ChunkStrategy as ChunkStrategy
from services.types.passages import ParsedDocument as ParsedDocument
from services.types.passages import SectionSpan as SectionSpan
from services.types.references import DetectedReference as DetectedReference
from services.types.references import ReferenceType as ReferenceType
from services.types.references import ResolvedReference as ResolvedReference
from services.types.search import CacheStatistics as CacheStatistics
from services.types.search import Hit as Hit
from services.types.search import Reranking as Reranking
from services.types.search import SearchFilter as SearchFilter
from services.types.search import SearchMode as SearchMode
from services.types.search import SearchOptions as SearchOptions
from services.types.search import SearchRequest as SearchRequest
from services.types.search import SearchResult as SearchResult
from services.types.search import StrategyScore as StrategyScore
from services.value import Language as Language
from services.value import Value as Value
