"""The trained scorer of (question, passage), (question, sentence) and (claim, quote)."""

from services.cross_encoder.base import CrossEncoder, Entailment, Reading

__all__ = ["CrossEncoder", "Entailment", "Reading"]
