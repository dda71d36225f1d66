"""The commands with a bot's replies. Ids are those of the kit in TypeScript: a group may change its language."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from .events import Event
from .replies import HandOver, Reply


def _command_id(event: Event, place: str, group: str) -> str:
    """The same event, place and group give the same id. So an event that is read twice gets one reply."""
    parts = (group, event.type, event.account_id, event.chat_id, event.id, place)
    return f"bot-{urlsafe_b64encode(sha256(chr(10).join(parts).encode()).digest()).decode()[:27]}"


def _command(event: Event, reply: Reply, id: str) -> dict[str, Any]:
    chat = {"id": id, "accountId": event.account_id, "chatId": event.chat_id, "clientId": event.client_id}
    if event.type == "ClientMessageReceived":
        chat["inReplyTo"] = event.id
    if isinstance(reply, HandOver):
        reason = {} if reply.reason is None else {"reason": reply.reason}
        return {"type": "InviteAgent", **chat, **reason}
    return {"type": "BotMessage", **chat, "message": dict(reply.message)}


def commands_of(event: Event, replies: Iterable[Reply], group: str) -> list[dict[str, Any]]:
    """The commands with a group's replies to an event, in their order. An event without a client cannot get a reply."""
    if event.client_id is None:
        return []
    return [_command(event, reply, _command_id(event, str(place), group)) for place, reply in enumerate(replies)]


def announcement_ids(first: Event, group: str, count: int) -> set[str]:
    """The ids of the first commands with what a turn says before its answer."""
    return {_command_id(first, f"say {place}", group) for place in range(count)}


def announcement_of(first: Event, newest: Event, reply: Reply, place: int, group: str) -> dict[str, Any]:
    """The command for what a bot says before its answer. It answers the newest message, and its id is that of the turn's
    first one: a turn that begins again with one more message does not say the same twice."""
    command = _command(newest, reply, _command_id(first, f"say {place}", group))
    return {**command, "expectsMore": True} if command["type"] == "BotMessage" else command
