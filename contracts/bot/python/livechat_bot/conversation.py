"""The events of one chat: turns, the time for an answer, and what is said instead. It knows no broker: all waiting is
by the event loop, so its time can be virtual."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeGuard

from .bot import Answer, Bot, Chat, Limits, NoAnswer, OnFact, Turn, Turns
from .commands import OtherAnswers, announcement_ids, announcement_of, commands_of
from .events import ENDS, ERASED, OUTCOMES, Event, HistoryMessage, message_of, seconds_of
from .history import LARGEST, MOST_ANNOUNCED, ReadHistory, for_answer, joined, no_history
from .mistakes import can_be_answered, mistakes_in, mistakes_in_announcement
from .replies import Reply, enrichment_in, hand_over
from .tracing import Trace

FAILURE_WITHIN_S = 1.0
# Later events of an erased chat wait for its handler.
FORGET_WITHIN_S = 60.0
# How many messages a chat remembers that is not idle.
MOST_SEEN = 100
TAKES = ENDS | {ERASED}

log = logging.getLogger("livechat_bot")


@dataclass
class Heard:
    """An event of a chat that this bot reads."""

    event: Event
    publish: Callable[[dict[str, Any], str | None], Awaitable[None]]
    """Publishes a command in a trace. Returns when Kafka has it, or when it no longer counts."""
    attach: Callable[[dict[str, Any]], Awaitable[None]]
    """Shows the agent who accepts the chat a note. Returns when Kafka has it, or soon: an agent must not wait for it."""
    finish: Callable[[], None]
    """The event needs nothing more."""
    traceparent: str | None = None
    """The event's trace."""
    heard_at: float = 0.0
    is_too_old: bool = False
    """Decided once, when it is heard: what waits for its turn or for a permit does not become too old."""


@dataclass
class HeardErasure:
    """An erasure of this chat that this bot reads."""

    event: Event
    forget: Callable[[], Awaitable[None]]
    """Forgets the chat and confirms it."""
    finish: Callable[[], None]


@dataclass
class Settings:
    """What the chats of a bot share."""

    bot: Bot
    group: str
    limits: Limits = field(default_factory=Limits)
    turns: Turns = field(default_factory=Turns)
    read_history: ReadHistory = no_history
    now: Callable[[], float] = time.time
    """In seconds since 1970."""
    fail: Callable[[BaseException], None] = lambda error: None
    """Gets an error after which the bot cannot go on."""
    ends: tuple[type[BaseException], ...] = ()
    """Such errors. Any other error is one chat's trouble: it is logged, and the client is handed over."""
    is_stopping: bool = False
    """Turns that wait for silence begin at once."""

    def __post_init__(self) -> None:
        self.permits = asyncio.Semaphore(self.limits.at_once)
        self._has_ignored = False
        self._others = OtherAnswers(self.group)
        self._has_noticed = False

    def notice(self, outcome: Event) -> None:
        """An outcome of a reply in a chat, also of another bot's. If two groups answer the same message, it is logged
        once."""
        if self._others.shown_by(outcome) and not self._has_noticed:
            log.warning(
                "another command answers the same message (%s, %s): does a bot with a group other than %s run? Each group "
                "answers all chats; this is logged once",
                outcome.key,
                outcome.data.get("commandId"),
                self.group,
            )
            self._has_noticed = True

    def ignore(self, event: Event) -> None:
        """An event is too old to be handled. This is logged once."""
        if not self._has_ignored:
            log.info("events older than limits.ignore_older_than_ms are ignored, such as one of %s", event.time)
        self._has_ignored = True


async def told(handler: OnFact, event: Event, within_s: float, name: str) -> bool:
    """Tells a handler something that needs no answer. False if it has failed or was too slow."""
    try:
        await asyncio.wait_for(_called(lambda: handler(event)), within_s)
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        log.error("%s of the bot has failed (%s, %s)", name, event.type, event.key, exc_info=error)
        return False
    return True


class _Failed(Exception):
    def __init__(self, why: NoAnswer) -> None:
        self.why = why


def _replies_in(answer: Answer) -> list[Reply]:
    if answer is None:
        return []
    return list(answer) if isinstance(answer, (list, tuple)) else [answer]  # type: ignore[list-item]


async def _called(call: Callable[[], Any]) -> Any:
    answer = call()
    return await answer if inspect.isawaitable(answer) else answer


def _read(task: asyncio.Task[Any]) -> None:
    """So that nothing is printed about the error of a task that nobody waits for."""
    if not task.cancelled():
        task.exception()


async def _replies(
    call: Callable[[], Any], event: Event, time_left: Callable[[], float], markdown: str
) -> list[Reply]:
    """The bot's replies to an event, if the bridge would send all of them. The time may become more while it runs."""
    task = asyncio.ensure_future(_called(call))
    task.add_done_callback(_read)
    try:
        while not task.done():
            left = time_left()
            if left <= 0:
                raise _Failed(NoAnswer("too slow"))
            await asyncio.wait({task}, timeout=left)
    finally:
        task.cancel()
    if task.cancelled():
        raise _Failed(NoAnswer("raised", asyncio.CancelledError()))
    error = task.exception()
    if error is not None:
        raise _Failed(NoAnswer("raised", error))
    try:
        replies = _replies_in(task.result())
        mistakes = mistakes_in(event, replies, markdown)
    except Exception as odd:
        raise _Failed(NoAnswer("raised", odd)) from odd
    if mistakes:
        raise _Failed(NoAnswer("mistakes", mistakes=mistakes))
    return replies


def _log(level: int, what: str, event: Event, why: NoAnswer) -> None:
    details = [event.type, event.key, why.reason, *why.mistakes]
    log.log(level, "%s (%s)", what, "; ".join(details), exc_info=why.error)


async def _traced(
    trace: Trace, call: Callable[[], Any], event: Event, time_left: Callable[[], float], markdown: str
) -> list[Reply]:
    with trace.call() as failed:
        try:
            return await _replies(call, event, time_left, markdown)
        except _Failed as error:
            failed(error.why.kind())
            raise


async def _respond(
    bot: Bot,
    markdown: str,
    trace: Trace,
    event: Event,
    call: Callable[[], Any],
    time_left: Callable[[], float],
    is_over: Callable[[], bool] = lambda: False,
) -> list[Reply]:
    """The replies to an event. A handler that fails is tried once more, unless it was too slow. Then the client is
    handed over at once: an agent after ten seconds is worse than an agent now. Nothing of an incomplete answer is sent."""
    try:
        try:
            return await _traced(trace, call, event, time_left, markdown)
        except _Failed as first:
            if first.why.reason == "too slow":
                raise
            if is_over():
                return []
            _log(logging.WARNING, "the bot is asked once more about an event", event, first.why)
            return await _traced(trace, call, event, time_left, markdown)
    except _Failed as failed:
        why = failed.why
    if is_over():
        return []
    _log(logging.ERROR, "the bot gave no reply to an event", event, why)
    if not can_be_answered(event):
        return []
    of_failures = bot.of_failures
    if of_failures is not None:
        until = asyncio.get_running_loop().time() + FAILURE_WITHIN_S
        try:
            return await _replies(
                lambda: of_failures(why, event), event, lambda: until - asyncio.get_running_loop().time(), markdown
            )
        except _Failed as failed:
            _log(logging.ERROR, "on_failure of the bot has failed", event, failed.why)
    return [hand_over(reason=why.words())]


class Conversation:
    """Handles the events of a chat in their order, and finishes each exactly once."""

    def __init__(self, settings: Settings, on_idle: Callable[[], None] = lambda: None) -> None:
        self._settings = settings
        self._on_idle = on_idle
        self._queue: list[Heard | HeardErasure] = []
        self._outcomes: list[Heard] = []
        self._seen: list[HistoryMessage] = []
        # Set by each new event: a turn that waits for silence, or a handler that runs, learns of it at once.
        self._wake = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None

    def hear(self, heard: Heard) -> None:
        message = message_of(heard.event)
        if message is not None:
            self._seen = [*self._seen, message][-MOST_SEEN:]
        # An outcome may come between two messages of a turn and must not part them.
        if heard.event.type in OUTCOMES:
            self._settings.notice(heard.event)
            self._outcomes.append(heard)
            if self._telling is None:
                self._telling = self._task(self._tell())
            return
        heard.heard_at = self._time()
        heard.is_too_old = self._is_too_old(heard.event)
        self._add(heard)

    def erase(self, heard: HeardErasure) -> None:
        """Nothing that came before is handled any more. What comes later waits until the chat is forgotten."""
        self._seen = []
        self._add(heard)

    def _add(self, heard: Heard | HeardErasure) -> None:
        self._queue.append(heard)
        self._wake.set()
        if self._running is None:
            self._running = self._task(self._run())

    def is_idle(self) -> bool:
        return self._running is None and self._telling is None

    async def idle(self) -> None:
        """Returns when every event is finished."""
        while not self.is_idle():
            await asyncio.wait({task for task in (self._running, self._telling) if task is not None})

    def stop_waiting(self) -> None:
        """The bot stops: a turn that waits for silence begins."""
        self._wake.set()

    def cancel(self) -> None:
        """Another instance has the chat: what runs here is of no use."""
        for task in (self._running, self._telling):
            if task is not None:
                task.cancel()

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        def ended(task: asyncio.Task[None]) -> None:
            error = None if task.cancelled() else task.exception()
            if error is not None:
                self._settings.fail(error)
            elif self.is_idle():
                self._on_idle()

        task = asyncio.ensure_future(work)
        task.add_done_callback(ended)
        return task

    @staticmethod
    def _time() -> float:
        return asyncio.get_running_loop().time()

    def _is_too_old(self, event: Event) -> bool:
        return self._settings.now() - seconds_of(event.time) > self._settings.limits.ignore_older_than_ms / 1000

    def _is_turn(self, heard: Heard | HeardErasure) -> TypeGuard[Heard]:
        event = heard.event
        return (
            isinstance(heard, Heard)
            and self._settings.bot.of_turns is not None
            and event.type == "ClientMessageReceived"
            and event.received_time is None
            and not heard.is_too_old
        )

    def _gathered(self) -> list[Heard]:
        """The messages at the head of the queue."""
        messages = []
        for heard in self._queue:
            if not self._is_turn(heard):
                break
            messages.append(heard)
        return messages

    def _is_taken(self) -> bool:
        """True if an event takes the chat away from the bot."""
        return any(heard.event.type in TAKES and heard.event.received_time is None for heard in self._queue)

    def _is_erased(self) -> bool:
        return any(isinstance(heard, HeardErasure) for heard in self._queue)

    async def _history(self, first: Event, last: int = 20) -> list[HistoryMessage]:
        """`first`: the first of the events that are answered."""
        newest = self._seen[-1].id if self._seen else None
        most = max(last, min(LARGEST, last + MOST_ANNOUNCED))
        read = await self._settings.read_history(first.account_id, first.chat_id, most, newest)
        announced = announcement_ids(first, self._settings.group, MOST_ANNOUNCED)
        return for_answer(joined(read, self._seen, most), first.id, announced)[-last:]

    async def _run(self) -> None:
        try:
            while self._queue:
                head = self._queue[0]
                if isinstance(head, HeardErasure):
                    while self._telling is not None:
                        await asyncio.wait({self._telling})
                    await head.forget()
                elif head.is_too_old:
                    self._settings.ignore(head.event)
                elif not self._is_erased():
                    self._finish(await self._handled(head))
                    continue
                self._finish(1)
        finally:
            self._running = None

    def _finish(self, count: int) -> None:
        for heard in self._queue[:count]:
            heard.finish()
        del self._queue[:count]

    async def _handled(self, head: Heard) -> int:
        """Handles what is at the head of the queue, and says how many events that were."""
        try:
            if self._is_turn(head):
                return await self._turn()
            await self._event(head)
            return 1
        except self._settings.ends:
            raise
        except Exception as error:
            events = self._gathered() or [head]
            await self._hand_over(events[-1], NoAnswer("raised", error))
            return len(events)

    async def _hand_over(self, heard: Heard, why: NoAnswer) -> None:
        """The kit itself has failed, not a handler. If this fails too, the bot ends."""
        _log(logging.ERROR, "the kit could not handle an event", heard.event, why)
        if can_be_answered(heard.event) and not self._is_taken():
            await self._publish(heard, [hand_over(reason=why.words())], self._trace(heard))

    async def _tell(self) -> None:
        try:
            while self._outcomes:
                heard = self._outcomes[0]
                handler = self._settings.bot.of_outcomes
                if handler is not None and "because" not in heard.event.data:
                    # Its offset waits for it, and with it all later ones of the partition.
                    await told(handler, heard.event, self._settings.limits.reply_within_ms / 1000, "on_outcome")
                heard.finish()
                self._outcomes.pop(0)
        finally:
            self._telling = None

    def _trace(self, heard: Heard) -> Trace:
        return Trace(heard.traceparent, heard.event.key, self._settings.group)

    async def _publish(self, heard: Heard, replies: Sequence[Reply], trace: Trace) -> None:
        """The note first, so that it is there when an agent accepts the chat."""
        note = enrichment_in(replies)
        if note is not None:
            await heard.attach(note)
        for command in commands_of(heard.event, replies, self._settings.group):
            await heard.publish(command, trace.traceparent)

    async def _event(self, heard: Heard) -> None:
        event = heard.event
        handler = self._settings.bot.by_type.get(event.type)
        # Handlers do not get late events: agents have these chats already.
        if handler is None or event.received_time is not None:
            return
        until = heard.heard_at + self._settings.limits.reply_within_ms / 1000
        chat = Chat(partial(self._history, event))
        trace = self._trace(heard)
        async with self._settings.permits:
            replies = await _respond(
                self._settings.bot,
                self._settings.limits.markdown,
                trace,
                event,
                lambda: handler(event, chat),
                lambda: until - self._time(),
                self._is_erased,
            )
            if not self._is_erased():
                await self._publish(heard, replies, trace)

    async def _until_quiet(self, started_at: float) -> None:
        """Waits until the client has been silent, or has written long enough."""
        turns = self._settings.turns
        while True:
            messages = self._gathered()
            due = min(messages[-1].heard_at + turns.quiet_ms / 1000, started_at + turns.at_most_ms / 1000)
            wait = due - self._time()
            if wait <= 0 or self._settings.is_stopping or len(messages) < len(self._queue):
                return
            await self._woken(wait)

    async def _woken(self, at_most: float) -> None:
        self._wake.clear()
        try:
            await asyncio.wait_for(self._wake.wait(), at_most)
        except asyncio.TimeoutError:
            pass

    async def _turn(self) -> int:
        """How many messages it had."""
        first = self._gathered()[0]
        announced = _Announced()
        while True:
            await self._until_quiet(first.heard_at)
            async with self._settings.permits:
                messages = self._gathered()
                trace = self._trace(messages[-1])
                replies = None if self._is_taken() else await self._answer(messages, first.heard_at, announced, trace)
                await announced.published()
                if replies is None and not self._is_taken():
                    continue
                if replies is not None:
                    await self._publish(messages[-1], replies, trace)
            return len(messages)

    async def _answer(
        self, messages: Sequence[Heard], started_at: float, announced: _Announced, trace: Trace
    ) -> list[Reply] | None:
        """The answer to a turn, or None if it is no longer wanted."""
        last, cancelled = messages[-1], asyncio.Event()
        within = self._settings.limits.reply_within_ms / 1000

        def time_left() -> float:
            return started_at + within * (2 if announced.count > 0 else 1) - self._time()

        async def announce(reply: Reply, place: int) -> None:
            """Publishes what is said, once, whichever call of the handler says it."""
            if announced.is_new(place):
                command = announcement_of(messages[0].event, last.event, reply, place, self._settings.group)
                announced.then(last.publish(command, trace.traceparent))
            await asyncio.shield(announced.published())

        async def call() -> list[Reply]:
            place, is_over = 0, False

            async def say(reply: Reply) -> None:
                nonlocal place
                if cancelled.is_set() or is_over or time_left() <= 0:
                    return
                mistakes = mistakes_in_announcement(last.event, reply, self._settings.limits.markdown)
                if mistakes:
                    why = NoAnswer("mistakes", mistakes=mistakes)
                    _log(logging.WARNING, "the bridge would not send what the bot says", last.event, why)
                    raise ValueError(f"say: {'; '.join(mistakes)}")
                place += 1
                await announce(reply, place - 1)

            history = partial(self._history, messages[0].event)
            turn = Turn(history, [each.event for each in messages], say, cancelled)
            handler = self._settings.bot.of_turns
            try:
                replies = _replies_in(await _called(lambda: handler(turn) if handler is not None else None))
                if place > 0 and not replies:
                    raise ValueError("say() announces an answer: expected a reply")
                return replies
            finally:
                is_over = True

        answering = asyncio.ensure_future(
            _respond(self._settings.bot, self._settings.limits.markdown, trace, last.event, call, time_left)
        )
        try:
            while not answering.done():
                is_open = self._time() < started_at + self._settings.turns.at_most_ms / 1000
                if self._is_taken() or (is_open and len(self._gathered()) > len(messages)):
                    return None
                self._wake.clear()
                waking = asyncio.ensure_future(self._wake.wait())
                try:
                    await asyncio.wait({answering, waking}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    waking.cancel()
            return answering.result()
        finally:
            cancelled.set()
            answering.cancel()


class _Announced:
    """What a turn has said before its answer. It counts on when the turn begins again: the client reads "one moment" once."""

    def __init__(self) -> None:
        self.count = 0
        self._last: asyncio.Future[None] | None = None

    def is_new(self, place: int) -> bool:
        """False if it was said before."""
        is_new = place >= self.count
        self.count = max(self.count, place + 1)
        return is_new

    def then(self, work: Awaitable[None]) -> None:
        before = self._last

        async def both() -> None:
            if before is not None:
                await before
            await work

        self._last = asyncio.ensure_future(both())

    async def published(self) -> None:
        if self._last is not None:
            await self._last
