"""An assistant that speaks MCP to a served desk."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2

from tests.support.api_server import Served

if TYPE_CHECKING:  # slow to load, and few tests need it
    from mcp import Client


async def said(client: "Client", tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool says; it must not fail."""
    result = await client.call_tool(tool, arguments, read_timeout_seconds=120)
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


@asynccontextmanager
async def over_http(desk: Served, scope: Any, **options: Any) -> AsyncIterator["Client"]:
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {desk.token(scope)}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120) as http,
        Client(streamable_http_client(f"{desk.url}/mcp", http_client=http), **options) as client,
    ):
        yield client
