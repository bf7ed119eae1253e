"""The server as the protocol's library wants it: handlers that pass on what is asked, and nothing else."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from vaultmem import __version__
from vaultmem.server.mcp.calls import Calls, Pace, actor
from vaultmem.server.mcp.desk import Desk
from vaultmem.server.mcp.tools import INSTRUCTIONS, ToolSpec

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

NAME = "vaultmem"

AFTER_HANDSHAKE_S = 0.05
"""How long the first answer has the machine to itself before the vault is got ready."""


def make_server(calls: Calls, desk: Desk) -> Server[Any]:
    """The server. The vault is got ready once the first request has been answered."""
    paces: WeakKeyDictionary[object, Pace] = WeakKeyDictionary()

    async def list_tools(
        _: ServerRequestContext[Any, Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(spec) for spec in calls.tools])

    async def call_tool(
        context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        pace = paces.setdefault(context.session, Pace())
        try:
            reply = await calls.call(
                params.name, params.arguments or {}, by=_client(context), pace=pace
            )
        except KeyError:
            known = ", ".join(spec.name for spec in calls.tools)
            raise MCPError(
                types.INVALID_PARAMS, f"There is no tool {params.name[:60]!r}. Tools: {known}."
            ) from None
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=reply.text)], is_error=reply.is_error
        )

    server: Server[Any] = Server(
        NAME,
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )

    async def begin_after_answer(
        ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        answer = await call_next(ctx)
        asyncio.get_running_loop().call_later(AFTER_HANDSHAKE_S, desk.begin)
        return answer

    # Telemetry of the library's own is not wanted: it costs time and nobody reads it.
    server.middleware = [begin_after_answer]
    return server


def _client(context: ServerRequestContext[Any, Any]) -> str:
    known = context.session.client_params
    return actor(known.client_info.name if known is not None else "")


def _tool(spec: ToolSpec) -> types.Tool:
    return types.Tool(
        name=spec.name,
        description=spec.description,
        input_schema=spec.input_schema(),
        annotations=types.ToolAnnotations(
            title=spec.title,
            read_only_hint=spec.reads_only,
            destructive_hint=False,
            open_world_hint=False,
        ),
    )
