"""Values that cross module borders. All are frozen; none holds a live resource.

Import them from here: the modules below are how they are kept.
"""

from services.domain.answers import PROOF as PROOF
from services.domain.answers import CaseSpan as CaseSpan
from services.domain.answers import Certainty as Certainty
from services.domain.answers import Citation as Citation
from services.domain.answers import CitedSentence as CitedSentence
from services.domain.answers import EvidenceSentence as EvidenceSentence
from services.domain.answers import QuoteKey as QuoteKey
from services.domain.answers import Standing as Standing
from services.domain.answers import TaskUsage as TaskUsage
from services.domain.collections import CollectionHealth as CollectionHealth
from services.domain.collections import CollectionInfo as CollectionInfo
from services.domain.collections import DocumentInfo as DocumentInfo
from services.domain.collections import FileOutcome as FileOutcome
from services.domain.collections import IngestEngine as IngestEngine
from services.domain.collections import IngestReport as IngestReport
from services.domain.collections import OpenDocument as OpenDocument
from services.domain.collections import RemovedFile as RemovedFile
from services.domain.collections import Shelf as Shelf
from services.domain.identity import Preference as Preference
from services.domain.identity import Principal as Principal
from services.domain.identity import Scope as Scope
from services.domain.passages import Chunking as Chunking
from services.domain.passages import ChunkSpan as ChunkSpan
from services.domain.passages import ChunkStrategy as ChunkStrategy
from services.domain.passages import DetectedReference as DetectedReference
from services.domain.passages import DocumentMetadata as DocumentMetadata
from services.domain.passages import Evidence as Evidence
from services.domain.passages import MetadataChanges as MetadataChanges
from services.domain.passages import PageImage as PageImage
from services.domain.passages import ParsedDocument as ParsedDocument
from services.domain.passages import Passage as Passage
from services.domain.passages import PassageSpan as PassageSpan
from services.domain.passages import Recognised as Recognised
from services.domain.passages import RecognisedLine as RecognisedLine
from services.domain.passages import RecognisedWord as RecognisedWord
from services.domain.passages import ReferenceType as ReferenceType
from services.domain.passages import RelationKind as RelationKind
from services.domain.passages import SectionSpan as SectionSpan
from services.domain.passages import SourceType as SourceType
from services.domain.search import CacheStatistics as CacheStatistics
from services.domain.search import Hit as Hit
from services.domain.search import Reranking as Reranking
from services.domain.search import SearchFilter as SearchFilter
from services.domain.search import SearchMode as SearchMode
from services.domain.search import SearchOptions as SearchOptions
from services.domain.search import SearchRequest as SearchRequest
from services.domain.search import SearchResult as SearchResult
from services.domain.search import StrategyScore as StrategyScore
from services.domain.value import DocumentSpan as DocumentSpan
from services.domain.value import Language as Language
from services.domain.value import Location as Location
from services.domain.value import Value as Value
