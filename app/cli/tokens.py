"""`rabbithole tokens`: by which programs act for somebody over HTTP and MCP."""

from typing import get_args

import click

from agent.engine.engine import Engine
from app.cli.client import of_engine
from app.cli.common import Shown, listed
from services.domain.tokens import TokenInfo, TokenScope


@click.group()
def tokens() -> None:
    """Create, list and revoke access tokens for programs."""


@tokens.command()
@click.argument("name")
@click.option(
    "--scope",
    type=click.Choice(get_args(TokenScope)),
    default="read",
    help="read: look, search, ask. write: also documents and research. admin: everybody's.",
)
@click.option("--days", type=click.IntRange(1, 3650), help="Days until it expires; without, never.")
@of_engine()
def create(engine: Engine, name: str, scope: TokenScope, days: int | None) -> Shown:
    """Make a token; it is shown once, and only a hash of it is kept."""
    made = engine.tokens.create(name, scope, days)
    return Shown(made, lambda: made.token)


@tokens.command("list")
@of_engine()
def list_(engine: Engine) -> Shown:
    """Your tokens, without their secrets."""
    nothing = "No tokens yet. Make one: rabbithole tokens create NAME"
    return listed("tokens", engine.tokens.list(), _line, nothing)


@tokens.command()
@click.argument("name")
@of_engine()
def revoke(engine: Engine, name: str) -> Shown:
    """Revoke a token at once."""
    gone = engine.tokens.revoke(name)
    return Shown(gone, lambda: f"{gone.name} revoked")


def _line(token: TokenInfo) -> str:
    until = f"until {token.expires_at[:16]}" if token.expires_at else "for good"
    return f"{token.name:<20} {token.scope:<6} {until}, made {token.created_at[:16]}"
