"""Routes made from declared verbs: their request and answer, as OpenAPI shows them."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field, create_model
from starlette.responses import JSONResponse

from confide.declare import (
    UNSENT,
    Between,
    Group,
    Source,
    Verb,
    answer_of,
    answer_writer,
    fields_of,
)
from confide.declare import Field as Argument
from confide.privacy.acting import CallerKind, callers_of
from confide.privacy.leaves import Leaf
from confide.surfaces.admission import admitted, blank_for
from confide.surfaces.http.door import (
    ADMIN,
    AUDITOR,
    PERSONAL,
    PLATFORM,
    TOKEN,
    As,
    Here,
    Visit,
    for_callers,
    group,
)
from confide.surfaces.http.fields import Asking, Done, Fields, PlaceName, Plain
from confide.wire.codec import (
    answered_by,
    bare,
    form_of,
    is_flat,
    is_list,
    leaf_of,
    optional,
    shown_as,
    writer,
)
from confide.wire.codec import fields_of as parts_of

LONGEST: Final = 256
MANY: Final = 1000
ContextName = Annotated[
    str,
    Field(min_length=1, max_length=128, examples=["bella_health"], description="ID of ctx:ID."),
]
#: Who comes in over HTTP.
KEYS: Final = (PLATFORM, PERSONAL, TOKEN, AUDITOR, ADMIN)


@cache  # they hold nothing of a memory, and making them anew takes as long as many requests
def routes(of: type[Group]) -> APIRouter:
    """Every verb of a group, under its declared route."""
    router = group(of.called)
    for verb in of.verbs:
        router.add_api_route(
            verb.path.removeprefix("/v1"),
            _endpoint(of.called, verb),
            methods=[verb.method],
            name=verb.name,
            status_code=verb.status,
            response_model=answer_model(of.called, verb),
            description=verb.says,
            operation_id=f"{of.called}_{verb.name}",
            **for_callers(*callers(of, verb), once=verb.is_once),
        )
    return router


def callers(of: type[Group], verb: Verb) -> set[CallerKind]:
    """Which kinds of callers may do this at all: who else asks learns nothing about anything."""
    if verb.act is None:
        return set(verb.only)
    let_in = callers_of(verb.act) & frozenset(verb.only or KEYS)
    return {one for one in let_in if one in KEYS and one not in of.but}


def _endpoint(called: str, verb: Verb) -> Callable[..., Any]:
    sent = [one for one in fields_of(verb) if one.source not in (*UNSENT, Source.AUDIENCE)]
    named = [one for one in sent if verb.names(one)]
    rest = [one for one in sent if one not in named]
    has_audience = any(one.source is Source.AUDIENCE for one in fields_of(verb))
    has_body = verb.method in ("POST", "PUT", "PATCH") and bool(rest or has_audience)

    left_out = {one.shown: _default(one) for one in rest}

    async def answer(here: Visit, **given: Any) -> Any:
        body: BaseModel | None = given.pop("body", None)
        given |= body.model_dump(exclude_unset=True) if body is not None else {}
        found: Group = getattr(here.confide, called)
        sent = {name: one for name, one in given.items() if one != left_out.get(name, given)}
        done = await verb.do(found, admitted(verb, here.caller, sent))
        encode = answer_writer(verb, blank_for(here.caller))
        return JSONResponse(encode(done), verb.status)

    parameters = [_parameter("here", Here)]
    parameters += [_parameter(one.shown, Annotated[json_type(one), Path()]) for one in named]
    if has_body:
        parameters.append(_parameter("body", request_model(called, verb, tuple(rest))))
    else:
        parameters += [
            _parameter(one.shown, Annotated[json_type(one), Query()], _query_default(one))
            for one in rest
        ]
    if any(one.source in (Source.ACTOR, Source.ALONE, Source.SELF) for one in fields_of(verb)):
        parameters.append(_parameter("as_", As, None))
    answer.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]
    answer.__name__ = verb.name
    return answer


@cache
def request_model(called: str, verb: Verb, rest: tuple[Argument, ...]) -> type[BaseModel]:
    has_audience = any(one.source is Source.AUDIENCE for one in fields_of(verb))
    fields: dict[str, Any] = {one.shown: (json_type(one), _default(one)) for one in rest}
    name = f"{called.title().replace('_', '')}{verb.name.title().replace('_', '')}In"
    return create_model(name, __base__=Asking if has_audience else Fields, **fields)


def _default(field: Argument) -> Any:
    if field.source is Source.PLACE:
        return None
    return ... if field.is_needed else writer(field.hint)(field.default)


def _query_default(field: Argument) -> Any:
    found = _default(field)
    return inspect.Parameter.empty if found is ... else found


def answer_model(called: str, verb: Verb) -> Any:
    kind = answer_of(verb)
    if kind is type(None):
        return Done
    if verb.answers is None:
        return json_type_of(kind)
    name = f"{called.title().replace('_', '')}{verb.name.title().replace('_', '')}"
    fields: dict[str, Any] = {verb.answers: (_answered(kind), ...)}
    if is_list(kind):
        fields["count"] = (int, ...)
    return create_model(name, **fields)


def json_type(field: Argument) -> Any:
    """What is sent for an argument."""
    if field.source in (Source.PLACE, Source.CONTEXT):
        # A personal key is a place of its own, and leaves it out.
        place: Any = PlaceName
        return place | None if field.source is Source.PLACE else ContextName
    kind = json_type_of(field.hint, is_sent=True)
    return Annotated[kind, Field(description=field.note)] if field.note else kind


@cache
def json_type_of(hint: Any, is_sent: bool = False) -> Any:
    """The JSON that stands for a value, as pydantic checks and describes it."""
    if (form := form_of(hint)) is not None:
        shown: Any = {"format": form.format} if form.format else {}
        return Annotated[
            str,
            Plain,
            Field(
                max_length=form.longest,
                examples=[form.example],
                description=form.says,
                json_schema_extra=shown,
            ),
        ]
    if (inner := optional(hint)) is not None:
        return json_type_of(inner, is_sent) | None
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    hint = bare(hint)
    if hint is str:
        longest = next((one for one in marks if isinstance(one, int)), LONGEST)
        return Annotated[str, Plain, Field(min_length=1, max_length=longest)]
    origin, inside = get_origin(hint), get_args(hint)
    if (
        hint in (bool, int, float)
        or origin is Literal
        or (isinstance(hint, type) and issubclass(hint, Enum))
        or hint is Any
    ):
        between = next((one for one in marks if isinstance(one, Between)), None)
        return Annotated[hint, Field(ge=between.least, le=between.most)] if between else hint
    if origin in (Union, types.UnionType):
        return Union[tuple(json_type_of(one, is_sent) for one in inside)]  # noqa: UP007
    if origin in (dict, Mapping):
        return dict[str, json_type_of(inside[1], is_sent)]
    if inside:
        most = next((one for one in marks if isinstance(one, int)), MANY)
        return Annotated[list[json_type_of(inside[0], is_sent)], Field(max_length=most)]
    if is_sent:
        return create_model(f"{hint.__name__}In", __base__=Fields, **_sent_parts(hint))
    return create_model(hint.__name__, __doc__=hint.__doc__, **_parts(hint))


def _sent_parts(kind: Any) -> dict[str, Any]:
    """A part that has a default may be left out; one that nobody knows is refused."""
    found: dict[str, Any] = {}
    for name, hint in (parts_of(kind) or {}).items():
        default = kind.__dataclass_fields__[name].default
        needed = default is dataclasses.MISSING
        found[shown_as(name, hint)] = (
            json_type_of(hint, is_sent=True),
            ... if needed else writer(hint)(default),
        )
    return found


def _parts(kind: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, hint in (answered_by(kind) or {}).items():
        if leaf_of(hint) is Leaf.HERE:
            continue
        if is_flat(hint):
            inner = optional(hint)
            more = _parts(inner or bare(hint))
            found |= {one: (had | None, ...) for one, (had, _) in more.items()} if inner else more
        else:
            found[shown_as(name, hint)] = (_answered(hint), ...)
    return found


def _answered(hint: Any) -> Any:
    """In an answer text is as long as it is."""
    if bare(hint) is str:
        return str
    if optional(hint) is str:
        return str | None
    return json_type_of(hint)


def _parameter(name: str, hint: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)
