"""A bot: its handlers, and its settings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar, Union

from .events import Event, HistoryMessage
from .replies import Reply

# One reply, several in their order, or none.
Answer = Union[Reply, Sequence[Reply], None]

# Below `reply_within_ms`: after a crash another instance takes the chats over before the bridge invites agents.
SESSION_TIMEOUT_MS = 6_000


@dataclass(frozen=True)
class Limits:
    ignore_older_than_ms: float = 60_000
    """The bot ignores events that are older when it reads them, for example those before its restart: the watchdog
    handles their chats."""
    reply_within_ms: float = 10_000
    """A slower handler is cancelled, and the client is handed over. The account's `bot.replyWithin`."""
    at_once: int = 500
    """How many handlers run at the same time, at most. Further chats wait."""
    markdown: str = "plain"
    """The account's `bot.markdown`: `refuse` if the bridge refuses Markdown that the service cannot show."""


@dataclass(frozen=True)
class Turns:
    """When a turn of the client is complete."""

    quiet_ms: float = 1_200
    """The client has written nothing for so long."""
    at_most_ms: float = 5_000
    """So long after the first message of a turn, a further message waits for the next turn."""


@dataclass(frozen=True)
class Chat:
    """What a handler may ask about the chat of its event."""

    history: Callable[..., Awaitable[list[HistoryMessage]]]
    """`await chat.history(20)`: what was said in the chat, oldest first, the newest messages (20, at most 100). It has
    all that this bot has seen, also after a restart. Needs the option `history`."""


@dataclass(frozen=True)
class Turn(Chat):
    """What a client has written in one go, and what a bot may do before its answer."""

    messages: Sequence[Event]
    """Oldest first. The answer is for the last one, and with it for all."""
    say: Callable[[Reply], Awaitable[None]]
    """Sends a message before the answer, such as `text("One moment, please.")`, once for a turn. The client still waits for
    the answer, so the handler must return one."""
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the answer is no longer wanted: the client has written more, which a new call gets together with these
    messages, an agent has joined or was invited, the chat was closed or erased, or the answer took too long. The handler's
    task is cancelled as well. What is said or returned then is ignored."""

    @property
    def text(self) -> str:
        """The words of all messages, one a line."""
        return "\n".join(message.text for message in self.messages)


@dataclass(frozen=True)
class NoAnswer:
    """Why there is no answer: the handler raised, was too slow, or returned replies that the bridge would not send."""

    reason: Literal["raised", "too slow", "mistakes"]
    error: BaseException | None = None
    mistakes: Sequence[str] = ()

    def kind(self) -> str:
        """The kind of failure, or the name of the error."""
        return type(self.error).__name__ if self.reason == "raised" else self.reason

    def words(self) -> str:
        """For people, without any text of the chat: the message of an error may quote it."""
        if self.reason == "raised":
            return f"The bot failed: {self.kind()}."
        if self.reason == "too slow":
            return "The bot had no answer in time."
        return f"The bridge would not send the bot's answer: {'; '.join(self.mistakes)}."


OnEvent = Callable[[Event, Chat], Answer | Awaitable[Answer]]
OnTurn = Callable[[Turn], Answer | Awaitable[Answer]]
OnFailure = Callable[[NoAnswer, Event], Answer | Awaitable[Answer]]
OnFact = Callable[[Event], Awaitable[None] | None]
E = TypeVar("E", bound=OnEvent)
T = TypeVar("T", bound=OnTurn)
F = TypeVar("F", bound=OnFailure)
O = TypeVar("O", bound=OnFact)


class Bot:
    """A bot's handlers, each set by its decorator. They are functions or coroutines, and share one event loop: what
    blocks belongs into `asyncio.to_thread`. An event without a handler gets no reply."""

    def __init__(self) -> None:
        self.by_type: dict[str, OnEvent] = {}
        self.of_turns: OnTurn | None = None
        self.of_failures: OnFailure | None = None
        self.of_outcomes: OnFact | None = None
        self.of_erasures: OnFact | None = None

    def on_message(self, handler: E) -> E:
        """A client has written: `def answer(event, chat)`."""
        self.by_type["ClientMessageReceived"] = handler
        return handler

    def on_turn(self, handler: T) -> T:
        """Instead of `on_message`: what a client writes in one go (the option `turns`) is one call."""
        self.of_turns = handler
        return handler

    def on_agent_invited(self, handler: E) -> E:
        self.by_type["AgentInvited"] = handler
        return handler

    def on_agent_joined(self, handler: E) -> E:
        self.by_type["AgentJoined"] = handler
        return handler

    def on_agent_unavailable(self, handler: E) -> E:
        self.by_type["AgentUnavailable"] = handler
        return handler

    def on_chat_closed(self, handler: E) -> E:
        self.by_type["ChatClosed"] = handler
        return handler

    def on_failure(self, handler: F) -> F:
        """The answer if a handler has failed twice or was too slow. Default: the client is handed over, with the reason."""
        self.of_failures = handler
        return handler

    def on_outcome(self, handler: O) -> O:
        """What became of a reply in this bot's chats. Outcomes of the bridge's own messages are left out."""
        self.of_outcomes = handler
        return handler

    def on_chat_erased(self, handler: O) -> O:
        """Delete your data about this chat: the person has a right to that. The kit confirms it unless this raises."""
        self.of_erasures = handler
        return handler


def problem_of(bot: Bot, limits: Limits, turns: Turns) -> str | None:
    """Why these settings cannot work. None if they can."""
    if limits.at_once < 1:
        return "limits.at_once: expected at least 1"
    if bot.of_turns is None:
        return None
    if not 0 <= turns.quiet_ms <= turns.at_most_ms:
        return "turns.quiet_ms: expected at most turns.at_most_ms"
    if not turns.at_most_ms < limits.reply_within_ms:
        return "turns.at_most_ms: expected less than limits.reply_within_ms, the time for the answer"
    return None
