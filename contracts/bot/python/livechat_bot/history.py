"""What was said in a chat: from the bridge, and what the bot has seen since."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from .events import HistoryMessage

REQUEST_S = 4.0
AGAIN_S = 0.2
# The last attempt does not name the newest event: the kit adds what it has seen itself.
ATTEMPTS = 3
# The bridge gives no more messages.
LARGEST = 100
# How many messages of a turn that were said before its answer are looked for, and left out of its history.
MOST_ANNOUNCED = 10

# An account, a chat, the most messages, and the newest event of the chat that the bot knows: the answer has it too.
ReadHistory = Callable[[str, str, int, str | None], Awaitable[Sequence[HistoryMessage]]]


@dataclass(frozen=True)
class HistorySource:
    """Where a bot reads what was said: the bridge's public address, and `bot.historyToken` of each account by its id."""

    url: str
    tokens: Mapping[str, str]


async def no_history(account: str, chat: str, last: int, after: str | None) -> Sequence[HistoryMessage]:
    """For a bot that was started without a source."""
    raise TypeError("history: expected the option `history`, with the address and tokens of the bridge")


def _get(url: str, token: str) -> tuple[int, bytes]:
    try:
        with urlopen(Request(url, headers={"authorization": f"Bearer {token}"}), timeout=REQUEST_S) as answer:
            return answer.status, answer.read()
    except HTTPError as refused:
        return refused.code, b""


def _message(said: Mapping[str, Any]) -> HistoryMessage:
    return HistoryMessage(said["id"], said["from"], said["type"], said["text"], said["at"], said.get("until"))


def history_over(source: HistorySource, get: Callable[[str, str], tuple[int, bytes]] = _get) -> ReadHistory:
    """Reads histories from the bridge. Raises if it refuses the token, or does not answer in several attempts."""
    # Its own threads: a bridge that hangs takes none of those that the bot's code uses.
    threads = ThreadPoolExecutor(64, "livechat-history")

    async def read(account: str, chat: str, last: int, after: str | None) -> Sequence[HistoryMessage]:
        token = source.tokens.get(account)
        if token is None:
            raise TypeError(f"history: expected a token of account {account}")
        path = f"{source.url.rstrip('/')}/history/{quote(account, '')}/{quote(chat, '')}"
        reason = ""
        for attempt in range(1, ATTEMPTS + 1):
            query = {"last": str(last), **({"after": after} if after and attempt < ATTEMPTS else {})}
            try:
                asked = asyncio.get_running_loop().run_in_executor(threads, get, f"{path}?{urlencode(query)}", token)
                status, body = await asyncio.wait_for(asked, REQUEST_S)
            except (OSError, asyncio.TimeoutError) as failed:
                status, body, reason = 0, b"", type(failed).__name__
            else:
                reason = str(status)
            if status == 200:
                return [_message(each) for each in json.loads(body)["messages"]]
            if status == 404:
                return []
            if status == 401:
                raise PermissionError(f"the bridge refuses the history token of account {account}")
            if attempt < ATTEMPTS:
                await asyncio.sleep(AGAIN_S)
        raise ConnectionError(f"the bridge did not give the history of a chat: {reason}")

    return read


def joined(read: Sequence[HistoryMessage], seen: Sequence[HistoryMessage], last: int) -> list[HistoryMessage]:
    """The newest messages: those of the bridge, and those that the bot itself has seen since."""
    known = {message.id for message in read}
    return [*read, *(message for message in seen if message.id not in known)][-last:]


def for_answer(history: Iterable[HistoryMessage], first: str, announced: Collection[str]) -> list[HistoryMessage]:
    """The history for the answer to the messages from `first` on: those of the client are last. What the bot said
    meanwhile answers earlier messages, so it is before them. What it announced in this turn (`announced` are the ids of
    the commands) is left out: the turn is not answered yet."""

    def is_announced(message: HistoryMessage) -> bool:
        command = message.id.removesuffix(":delivered").rsplit("/", 1)[-1]
        return message.from_ == "bot" and command in announced

    said = [message for message in history if not is_announced(message)]
    begin = next((place for place, message in enumerate(said) if message.id == first), len(said))
    since = said[begin:]
    of_bot = [message for message in since if message.from_ == "bot"]
    return [*said[:begin], *of_bot, *(message for message in since if message.from_ != "bot")]


def to_messages(history: Iterable[HistoryMessage]) -> list[dict[str, str]]:
    """The history as APIs of models take it: `role` (`user`, `assistant`) and `content` in turns, beginning with the
    client. What one of them said in a row is one message. The parts of agents are left out."""
    messages: list[dict[str, str]] = []
    for message in history:
        if message.from_ == "agent" or message.text == "":
            continue
        role = "user" if message.from_ == "client" else "assistant"
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += f"\n{message.text}"
        elif messages or role == "user":
            messages.append({"role": role, "content": message.text})
    return messages
