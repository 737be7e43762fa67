"""Texts of a research under way."""

from app.texts.base import Text

FAILED_STEP = Text("Gescheitert beim Schritt „{step}“", "Failed at the step “{step}”")
RETRY_STEP = Text("Schritt wiederholen", "Retry the step")
LOOKED_OF = Text(
    "In den Dokumenten gesucht, Runde {round} von {most}",
    "Looked into the documents, round {round} of {most}",
)
GAPS_COUNT = Text("Lücken: {count}", "gaps: {count}")
STEP_TOKENS = Text("{tokens} Token", "{tokens} tokens")
ROUND_HITS = Text("{new} neu, {known} bekannt", "{new} new, {known} known")
ROUND_COVERAGE = Text(
    "**Runde {round}** · Abdeckung {share}", "**Round {round}** · coverage {share}"
)
ROUND_REPEATS = Text("Wiederholungen {share}", "Repeats {share}")
APPROVED_PLAN = Text("Freigegebener Plan", "Approved plan")
BY_TIER = Text("Stufe {tier}: {count}", "tier {tier}: {count}")
