"""A web app whose users have a memory each: uvicorn fastapi_app:app. Your sign-in says who asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, Header, Request

from confide import Confide


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with Confide.open() as app.state.memory:
        yield


app = FastAPI(lifespan=lifespan)


# Here a header, for trying it out. Who asks never comes from the model.
def signed_in(x_user: Annotated[str, Header()]) -> str:
    return f"human:{x_user}"


User = Annotated[str, Depends(signed_in)]


@app.post("/say")
async def say(request: Request, user: User, text: str) -> dict[str, int]:
    message = {"role": "user", "content": text}
    done = await request.app.state.memory.add([message], by=user, place="dm")
    return {"remembered": len(done.remembered)}


@app.get("/ask")
async def ask(request: Request, user: User, question: str) -> dict[str, str]:
    told = await request.app.state.memory.recall(question, asker=user, place="dm")
    return {"context": str(told)}
