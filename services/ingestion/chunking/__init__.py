"""Cutting parsed documents into chunks, by one of four strategies."""

from services.ingestion.chunking.chunker import chunk
from services.ingestion.chunking.prefix import heading_prefix

__all__ = ["chunk", "heading_prefix"]
