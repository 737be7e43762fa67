"""The doors for programs: HTTP API, OpenAI's shapes and MCP, thin adapters of the engine."""
