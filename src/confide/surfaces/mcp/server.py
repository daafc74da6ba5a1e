"""The MCP server: which tools, resources and prompts there are, and what a caller sees of a problem."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Final, NoReturn

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from confide import __version__
from confide.errors import ConfideError
from confide.surfaces.mcp import own_memories
from confide.surfaces.mcp.profiles import COMMUNITY, Profile
from confide.surfaces.mcp.tool import Tool
from confide.surfaces.mcp.visit import Visit

PROMPT: Final = types.Prompt(
    name="what_you_know",
    title="What do you know about me?",
    description="Show what is remembered that helps here, and where it comes from.",
)
Visiting = Callable[[Any], Awaitable[Visit]]  # from the SDK's context of one request
log: Final = logging.getLogger("confide.mcp")


def build(visiting: Visiting, profile: Profile = COMMUNITY) -> Server[Any]:
    """A server that asks `visiting` who calls, anew for each request."""
    doors = _Doors(visiting, profile)
    # The SDK logs what was asked and answered; our own log names tools and kinds of problems.
    for talkative in ("mcp", "sse_starlette"):
        logging.getLogger(talkative).setLevel(logging.CRITICAL)
    server: Server[Any] = Server(
        "confide",
        version=__version__,
        title="confide",
        instructions=profile.instructions,
        on_list_tools=doors.list_tools,
        on_call_tool=doors.call_tool,
        on_list_resources=doors.list_resources,
        on_list_resource_templates=doors.list_templates,
        on_read_resource=doors.read_resource,
        on_list_prompts=doors.list_prompts,
        on_get_prompt=doors.get_prompt,
    )
    server.middleware.clear()  # traces would carry the text of errors
    return server


@cache  # the SDK asks for all of them at every call of one
def described(tool: Tool, shows_output: bool) -> types.Tool:
    effects = tool.effects
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.teaches,
        input_schema=tool.takes.model_json_schema(),
        output_schema=tool.gives.model_json_schema(mode="serialization") if shows_output else None,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=effects.reads_only,
            destructive_hint=effects.destroys,
            idempotent_hint=effects.is_repeatable,
            open_world_hint=False,
        ),
    )


class _Doors:
    """What the SDK calls. Only here does anything unexpected end."""

    def __init__(self, visiting: Visiting, profile: Profile = COMMUNITY) -> None:
        self._visiting, self._profile = visiting, profile
        self._tools = {tool.name: tool for tool in profile.tools}

    async def list_tools(self, context: Any, params: Any) -> types.ListToolsResult:
        shows = self._profile.shows_outputs
        return types.ListToolsResult(tools=[described(tool, shows) for tool in self._profile.tools])

    async def call_tool(
        self, context: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, "there is no such tool")
        try:
            given = tool.takes.model_validate(params.arguments or {})
            done = await tool.run(await self._visiting(context), given)
        except ValidationError as wrong:
            return _failed(_what_is_wrong(wrong))
        except ConfideError as problem:
            return _failed(tool.says(problem))
        except Exception as problem:  # noqa: BLE001 - its own text may quote what is stored
            log.error("%s ended in %s", tool.name, type(problem).__name__)
            return _failed("something unexpected went wrong")
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=done.in_words())],
            structured_content=done.model_dump(mode="json"),
        )

    async def list_resources(self, context: Any, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[own_memories.ALL])

    async def list_templates(self, context: Any, params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[own_memories.ONE])

    async def read_resource(
        self, context: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            found = await own_memories.read(await self._visiting(context), str(params.uri))
        except ConfideError as problem:
            _refuse(str(problem))
        except Exception as problem:  # noqa: BLE001 - its own text may quote what is stored
            log.error("a resource ended in %s", type(problem).__name__)
            _refuse("something unexpected went wrong")
        text = json.dumps(found, ensure_ascii=False)
        content = types.TextResourceContents(
            uri=params.uri, text=text, mime_type="application/json"
        )
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(self, context: Any, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[PROMPT])

    async def get_prompt(
        self, context: Any, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        if params.name != PROMPT.name:
            _refuse("there is no such prompt")
        said = types.PromptMessage(
            role="user", content=types.TextContent(type="text", text=self._profile.asks)
        )
        return types.GetPromptResult(description=PROMPT.description, messages=[said])


def _failed(why: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=why)], is_error=True)


def _refuse(why: str) -> NoReturn:
    raise MCPError(types.INVALID_PARAMS, why) from None


def _what_is_wrong(wrong: ValidationError) -> str:
    """Which fields and what to do, without what was in them."""
    return "; ".join(
        f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}"
        for one in wrong.errors(include_url=False, include_input=False, include_context=False)
    )
