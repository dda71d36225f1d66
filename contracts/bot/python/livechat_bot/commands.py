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


# More replies than this has no answer to a message.
MOST_REPLIES = 50
# How many messages are remembered until their outcomes have come.
MOST_REMEMBERED = 1_000


class OtherAnswers:
    """Finds messages that another command answers beside this group's: each group answers all chats."""

    def __init__(self, group: str) -> None:
        self._group = group
        # Whose answers to a message there are so far: this group's (True), another's (False), or both.
        self._answered: dict[tuple[str, str], set[bool]] = {}

    def shown_by(self, outcome: Event) -> bool:
        """Whether an outcome shows it. What a turn announces is left out: its ids are those of a message that the outcome
        does not name."""
        message = outcome.data.get("inReplyTo")
        if message is None or "because" in outcome.data or outcome.data.get("expectsMore"):
            return False
        asked = Event("ClientMessageReceived", message, "", "", outcome.time, outcome.data)
        command = outcome.data.get("commandId")
        is_own = any(command == _command_id(asked, str(place), self._group) for place in range(MOST_REPLIES))
        name = (outcome.key, message)
        before = self._answered.pop(name, set())
        self._answered[name] = before | {is_own}
        if len(self._answered) > MOST_REMEMBERED:
            del self._answered[next(iter(self._answered))]
        return (not is_own) in before


def _command(event: Event, reply: Reply, id: str, group: str) -> dict[str, Any]:
    chat = {"id": id, "accountId": event.account_id, "chatId": event.chat_id, "clientId": event.client_id}
    if event.type == "ClientMessageReceived":
        chat["inReplyTo"] = event.id
    chat["group"] = group
    if isinstance(reply, HandOver):
        reason = {} if reply.reason is None else {"reason": reply.reason}
        return {"type": "InviteAgent", **chat, **reason}
    return {"type": "BotMessage", **chat, "message": dict(reply.message)}


def commands_of(event: Event, replies: Iterable[Reply], group: str) -> list[dict[str, Any]]:
    """The commands with a group's replies to an event, in their order. An event without a client cannot get a reply."""
    if event.client_id is None:
        return []
    return [_command(event, reply, _command_id(event, str(place), group), group) for place, reply in enumerate(replies)]


def announcement_ids(first: Event, group: str, count: int) -> set[str]:
    """The ids of the first commands with what a turn says before its answer."""
    return {_command_id(first, f"say {place}", group) for place in range(count)}


def announcement_of(first: Event, newest: Event, reply: Reply, place: int, group: str) -> dict[str, Any]:
    """The command for what a bot says before its answer. It answers the newest message, and its id is that of the turn's
    first one: a turn that begins again with one more message does not say the same twice."""
    command = _command(newest, reply, _command_id(first, f"say {place}", group), group)
    return {**command, "expectsMore": True} if command["type"] == "BotMessage" else command
