"""Events of bot-conversations, and what the kit knows of their types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

# After these events the chat belongs to agents or is closed. The bridge suppresses replies to them.
ENDS = frozenset({"AgentInvited", "AgentJoined", "ChatClosed"})
OUTCOMES = frozenset({"BotReplyDelivered", "BotReplyFailed", "BotReplySuppressed"})
ERASED = "ChatErased"
TYPES = ENDS | OUTCOMES | {"ClientMessageReceived", "AgentUnavailable", ERASED}


class Undecodable(Exception):
    """A record is not an event as the contract has it. The reason quotes nothing of it."""


@dataclass(frozen=True)
class Event:
    """An event. `data` is as in its published schema, for example `event.data["message"]["text"]`."""

    type: str
    id: str
    source: str
    subject: str
    time: str
    data: Mapping[str, Any]
    received_time: str | None = None
    """Only if the event came so late that agents have its chat."""

    @property
    def account_id(self) -> str:
        return str(self.data["accountId"])

    @property
    def chat_id(self) -> str:
        return str(self.data["chatId"])

    @property
    def client_id(self) -> str | None:
        """None if the chat has no known client. Then nobody could get a reply."""
        return self.data.get("clientId")

    @property
    def key(self) -> str:
        return f"{self.account_id}/{self.chat_id}"

    @property
    def text(self) -> str:
        """What the client wrote, as plain text. Empty for an event without words."""
        words = self.data.get("message", {}).get("text")
        return words if isinstance(words, str) else ""

    @property
    def button_id(self) -> str | None:
        """The id of the button that the client clicked, if the channel says so."""
        id = self.data.get("message", {}).get("buttonId")
        return id if isinstance(id, str) else None


@dataclass(frozen=True)
class HistoryMessage:
    """What was said in a chat. `from_` is `client`, `bot` or `agent`; of an agent only the time is known."""

    id: str
    from_: str
    type: str
    text: str
    at: str
    until: str | None = None


def seconds_of(time: str) -> float:
    """In seconds since 1970."""
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


def _require(condition: object, what: str) -> None:
    if not condition:
        raise Undecodable(what)


def event_of(headers: Mapping[str, bytes | None], value: bytes | None) -> Event | None:
    """The event of a record (CloudEvents, binary mode). None if it is of a type that the kit does not know."""
    read = {name: (text or b"").decode("utf-8", "replace") for name, text in headers.items()}
    name = read.get("ce_type", "").split(".")
    if len(name) != 3 or name[1] not in TYPES:
        return None
    missing = [part for part in ("id", "source", "subject", "time") if not read.get(f"ce_{part}")]
    _require(not missing, f"expected the headers {', '.join(missing)}")
    try:
        data = json.loads(value or b"")
        seconds_of(read["ce_time"])
    except ValueError as wrong:
        raise Undecodable("expected JSON, and a time in ce_time") from wrong
    _require(isinstance(data, dict), "expected an object")
    needed = ["accountId", "chatId"]
    if name[1] == "ClientMessageReceived":
        needed.append("clientId")
    if name[1] == "ClientMessageReceived" or "message" in data:
        _require(isinstance(data.get("message"), dict), "message: expected an object")
    for field in needed:
        _require(isinstance(data.get(field), str) and data[field], f"{field}: expected text")
    id, source, subject, time = (read[f"ce_{part}"] for part in ("id", "source", "subject", "time"))
    return Event(name[1], id, source, subject, time, data, read.get("ce_receivedtime"))


def message_of(event: Event) -> HistoryMessage | None:
    """What an event adds to the history of its chat."""
    if event.type == "AgentJoined":
        return HistoryMessage(event.id, "agent", "AGENT_JOINED", "", event.time)
    from_ = {"ClientMessageReceived": "client", "BotReplyDelivered": "bot"}.get(event.type)
    message = event.data.get("message")
    if from_ is None or message is None:
        return None
    return HistoryMessage(event.id, from_, message.get("type") or "TEXT", message.get("text") or "", event.time)
