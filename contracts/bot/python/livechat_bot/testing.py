"""Tests a bot in memory, without servers and without waiting:
`assert replies_of(bot, client_writes("Hello")) == [text("You said Hello")]`."""

from __future__ import annotations

import asyncio
import logging
import selectors
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, TypeVar

from .bot import Bot, Limits, Turns, problem_of
from .conversation import FORGET_WITHIN_S, Conversation, Heard, HeardErasure, Settings, told
from .events import ENDS, ERASED, Event, HistoryMessage, message_of, seconds_of
from .mistakes import rendered_as
from .replies import HandOver, Message, Reply

A = TypeVar("A")
BEGAN_AT = "2026-01-31T12:00:00.000Z"


class _VirtualLoop(asyncio.SelectorEventLoop):
    """Its time stands still while there is something to do, and then jumps to the next timer. Ten seconds of waiting
    take none. This holds for what waits on the loop alone: a real request takes no time, but a timer may overtake it."""

    def __init__(self) -> None:
        loop = self
        self._elapsed = 0.0

        class Selector(selectors.DefaultSelector):
            def select(self, timeout: float | None = None) -> Any:
                ready = super().select(None if timeout is None else 0)
                if not ready and timeout:
                    loop._elapsed += timeout
                return ready

        super().__init__(Selector())

    def time(self) -> float:
        return self._elapsed


def in_virtual_time(work: Callable[[], Coroutine[Any, Any, A]]) -> A:
    """Runs work while the time of its event loop is virtual."""
    loop = _VirtualLoop()
    try:
        return loop.run_until_complete(work())
    finally:
        loop.close()


@dataclass(frozen=True)
class Pause:
    ms: float


@dataclass(frozen=True)
class ClockSet:
    """Somebody sets the computer's clock by so many ms. Waiting does not notice it."""

    by_ms: float


def pause(ms: float) -> Pause:
    """Lets this many ms pass between two events."""
    return Pause(ms)


def conversation_event(
    type: str, data: Mapping[str, Any] | None = None, *, chat: str = "2037", id: str = "e1", time: str = BEGAN_AT
) -> Event:
    """Any event of bot-conversations, in the account `acme`: `conversation_event("AgentInvited", {"invitedBy": "bridge"})`."""
    ids = {"accountId": "acme", "chatId": chat, "clientId": f"client-of-{chat}"}
    source = f"/accounts/acme/{'egress' if type.startswith('BotReply') else 'bot'}"
    return Event(type, id, source, chat, time, {**ids, **(data or {})})


def client_writes(words: str, *, chat: str = "2037", button: str | None = None, id: str = "e1") -> Event:
    """A client's text message. `button` is the id of the button that the client clicked."""
    clicked = {} if button is None else {"buttonId": button}
    message = {"type": "TEXT", "text": words, "timestamp": BEGAN_AT, **clicked}
    return conversation_event("ClientMessageReceived", {"message": message}, chat=chat, id=id)


@dataclass(frozen=True)
class Said:
    """What a bot said in a chat: the command, and the note of a hand-over as the enrichment of the chat."""

    chat: str
    command: Mapping[str, Any]
    reply: Reply
    note: Mapping[str, Any] | None = None


class _Failures(logging.Handler):
    """A handler that fails, fails the test."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(record)


class _Chats:
    """The chats of a test, as the bridge sees them."""

    def __init__(self, bot: Bot, limits: Limits, turns: Turns, may_fail: bool) -> None:
        self.said: list[Said] = []
        self._may_fail = may_fail
        self._conversations: dict[str, Conversation] = {}
        self._history: dict[str, list[HistoryMessage]] = {}
        self._is_of_bot: dict[str, bool] = {}
        self._ids: set[str] = set()
        self._suppressed = ""
        self._clock_set_by_s = 0.0
        self._settings = Settings(bot, "scenario", limits, turns, self._read, self._now)

    def _now(self) -> float:
        return seconds_of(BEGAN_AT) + asyncio.get_running_loop().time() + self._clock_set_by_s

    def _time(self) -> str:
        now = datetime.fromtimestamp(self._now(), timezone.utc)
        return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    async def _read(self, account: str, chat: str, last: int, after: str | None) -> Sequence[HistoryMessage]:
        return self._history.get(chat, [])[-last:]

    def hear(self, event: Event) -> None:
        """The event now, with an id that no earlier one has."""
        id = f"{event.id}-{len(self._ids)}" if event.id in self._ids else event.id
        self._ids.add(id)
        event = replace(event, id=id, time=self._time() if event.time == BEGAN_AT else event.time)
        chat = event.chat_id
        if event.type in ENDS:
            self._is_of_bot[chat] = event.type == "ChatClosed"
        elif event.type == "AgentUnavailable":
            self._is_of_bot[chat] = True
        message = message_of(event)
        if message is not None:
            self._history.setdefault(chat, []).append(message)
        notes: list[Mapping[str, Any]] = []

        async def attach(note: Mapping[str, Any]) -> None:
            notes.append(note)

        async def publish(command: Mapping[str, Any], traceparent: str | None) -> None:
            self._publish(chat, command, notes[-1] if notes else None)

        async def forget() -> None:
            handler = self._settings.bot.of_erasures
            if handler is not None:
                await told(handler, event, FORGET_WITHIN_S, "on_chat_erased")

        conversation = self._conversations.setdefault(chat, Conversation(self._settings))
        if event.type == ERASED:
            self._history.pop(chat, None)
            conversation.erase(HeardErasure(event, forget, lambda: None))
        else:
            conversation.hear(Heard(event, publish, attach, lambda: None))

    def _publish(self, chat: str, command: Mapping[str, Any], note: Mapping[str, Any] | None) -> None:
        if not self._is_of_bot.get(chat, True):
            self._suppressed = f"the bridge would suppress {command['type']} in chat {chat}: an agent has it"
            return
        if command["type"] == "InviteAgent":
            self._is_of_bot[chat] = False
            self.said.append(Said(chat, command, _hand_over_of(command, note), note))
            return
        self.said.append(Said(chat, command, Message(command["message"])))
        data = {
            "commandId": command["id"],
            "commandType": command["type"],
            "attempts": [],
            "group": command["group"],
            "message": command["message"],
        }
        if (kind := rendered_as(command["message"])) is not None:
            data["renderedAs"] = kind
        self.hear(conversation_event("BotReplyDelivered", data, chat=chat, id=f"{command['id']}:delivered"))

    async def play(self, steps: Sequence[Event | Pause | ClockSet]) -> None:
        failures = _Failures()
        log = logging.getLogger("livechat_bot")
        log.addHandler(failures)
        try:
            for step in steps:
                if isinstance(step, Pause):
                    await asyncio.sleep(step.ms / 1000)
                elif isinstance(step, ClockSet):
                    self._clock_set_by_s += step.by_ms / 1000
                else:
                    self.hear(step)
            while not all(chat.is_idle() for chat in self._conversations.values()):
                for chat in list(self._conversations.values()):
                    await chat.idle()
        finally:
            log.removeHandler(failures)
        if failures.found and not self._may_fail:
            first = failures.found[0]
            raise AssertionError(first.getMessage()) from (first.exc_info[1] if first.exc_info else None)
        if self._suppressed:
            raise AssertionError(self._suppressed)


def _hand_over_of(command: Mapping[str, Any], note: Mapping[str, Any] | None) -> HandOver:
    if note is None:
        return HandOver(command.get("reason"))
    fields = {each["title"]: each["content"] for each in note["customData"]}
    return HandOver(command.get("reason"), fields.pop("Summary", None), fields or None, note.get("crmLink"))


def said_by(
    bot: Bot,
    *steps: Event | Pause | ClockSet,
    limits: Limits = Limits(),
    turns: Turns = Turns(),
    may_fail: bool = False,
) -> list[Said]:
    """What a bot says to these events, in which chats. Several messages come at once, as one turn, if no `pause` is
    between them. Raises if a handler fails or is too slow, unless it `may_fail`, or if the bridge would refuse or
    suppress a reply."""
    problem = problem_of(bot, limits, turns)
    if problem is not None:
        raise ValueError(problem)

    async def play() -> list[Said]:
        chats = _Chats(bot, limits, turns, may_fail)
        await chats.play(steps)
        return chats.said

    return in_virtual_time(play)


def replies_of(bot: Bot, *steps: Event | Pause | ClockSet, **settings: Any) -> list[Reply]:
    """The same, as replies alone."""
    return [said.reply for said in said_by(bot, *steps, **settings)]
