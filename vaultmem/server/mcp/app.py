"""The server as the protocol's library wants it: handlers that pass on what is asked, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from vaultmem import __version__
from vaultmem.errors import VaultmemError
from vaultmem.server.mcp.calls import Calls, actor
from vaultmem.server.mcp.desk import Desk
from vaultmem.server.mcp.fence import NOTE_URI
from vaultmem.server.mcp.tools import INSTRUCTIONS, ToolSpec

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

_T = TypeVar("_T")

NAME = "vaultmem"
MARKDOWN = "text/markdown"
TEMPLATE = f"{NOTE_URI}{{+path}}"

AFTER_HANDSHAKE_S = 0.05
"""How long the first answer has the machine to itself before the vault is got ready."""


def make_server(calls: Calls, desk: Desk) -> Server[Any]:
    """The server. The vault is got ready once the first request has been answered."""

    async def list_tools(
        _: ServerRequestContext[Any, Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(spec) for spec in calls.tools])

    async def call_tool(
        context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            reply = await calls.call(params.name, params.arguments or {}, by=_client(context))
        except KeyError:
            known = ", ".join(spec.name for spec in calls.tools)
            raise MCPError(
                types.INVALID_PARAMS, f"There is no tool {params.name[:60]!r}. Tools: {known}."
            ) from None
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=reply.text)], is_error=reply.is_error
        )

    async def list_resources(
        _: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        page, following = await _or_error(
            calls, calls.notes_after(params.cursor if params else None)
        )
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=each.uri, name=each.name, mime_type=MARKDOWN) for each in page
            ],
            next_cursor=following,
        )

    async def list_templates(
        _: ServerRequestContext[Any, Any], __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        note = types.ResourceTemplate(
            uri_template=TEMPLATE,
            name="note",
            description="A note by its path.",
            mime_type=MARKDOWN,
        )
        return types.ListResourceTemplatesResult(resource_templates=[note])

    async def read_resource(
        _: ServerRequestContext[Any, Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        text = await _or_error(calls, calls.note_text(str(params.uri)))
        held = types.TextResourceContents(uri=params.uri, mime_type=MARKDOWN, text=text)
        return types.ReadResourceResult(contents=[held])

    server: Server[Any] = Server(
        NAME,
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
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


async def _or_error(calls: Calls, answer: Awaitable[_T]) -> _T:
    """The answer, or the protocol's error that says why there is none."""
    try:
        return await answer
    except VaultmemError as error:
        raise MCPError(types.INVALID_PARAMS, calls.said(error)) from error


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
