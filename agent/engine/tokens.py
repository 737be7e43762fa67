"""The part of an engine that keeps the tokens of programs."""

from agent.engine.part import Part, via
from services.build import Services
from services.catalog.tokens import Tokens
from services.domain.tokens import TokenInfo


def _tokens(services: Services) -> Tokens:
    return services.catalog.tokens


class TokensPart(Part):
    """One's own tokens; ``holder`` says whose one is, for whoever opens a door."""

    create = via(_tokens, Tokens.create)
    list = via(_tokens, Tokens.list)
    revoke = via(_tokens, Tokens.revoke)

    def holder(self, token: str) -> TokenInfo:
        """The token that a program shows; raises Unauthorized unless it holds today."""
        return self._catalog.tokens.holder(token)
