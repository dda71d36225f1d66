"""A kit for bots of livechat-bridge: a bot is a set of functions of its clients' messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .bot import Answer, Bot, Chat, Limits, NoAnswer, Turn, Turns
from .events import Event, HistoryMessage
from .history import HistorySource, to_messages
from .mistakes import mistakes_in
from .personal import without_personal_data
from .replies import HandOver, Message, Reply, buttons, hand_over, markdown, text

if TYPE_CHECKING:
    from .kafka import RunningBot, run_bot, start_bot


def __getattr__(name: str) -> Any:
    """The client of Kafka is imported when a bot starts: tests of a bot need none."""
    if name in ("RunningBot", "run_bot", "start_bot"):
        from . import kafka

        return getattr(kafka, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Answer",
    "Bot",
    "Chat",
    "Event",
    "HandOver",
    "HistoryMessage",
    "HistorySource",
    "Limits",
    "Message",
    "NoAnswer",
    "Reply",
    "RunningBot",
    "Turn",
    "Turns",
    "buttons",
    "hand_over",
    "markdown",
    "mistakes_in",
    "run_bot",
    "start_bot",
    "text",
    "to_messages",
    "without_personal_data",
]
