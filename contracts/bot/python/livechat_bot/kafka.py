"""The bot at the broker: reads bot-conversations, publishes to bot-replies, and commits what is finished."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import signal
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from typing import Any

from aiokafka import (
    AIOKafkaConsumer,
    AIOKafkaProducer,
    ConsumerRebalanceListener,
    ConsumerRecord,
    TopicPartition,
)
from aiokafka.errors import KafkaError, KafkaTimeoutError, MessageSizeTooLargeError, TopicAuthorizationFailedError

from .bot import SESSION_TIMEOUT_MS, Bot, Limits, Turns, problem_of
from .conversation import FORGET_WITHIN_S, Conversation, Heard, HeardErasure, Settings, told
from .events import ERASED, Event, Undecodable, event_of
from .history import HistorySource, history_over, no_history
from .offsets import PartitionWork

REACHABLE_WITHIN_S = 15.0
FINISH_WITHIN_S = 8.0
# The hand-over does not wait longer for its note.
NOTE_WITHIN_S = 2.0
COMMIT_EVERY_S = 0.1
# The record is wrong, and another one may be accepted. After other errors nothing can be published: the bot ends.
REFUSED = (MessageSizeTooLargeError, TopicAuthorizationFailedError)
_TRACEPARENT = re.compile(rb"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")

log = logging.getLogger("livechat_bot")


class _Part:
    """What this bot reads of a partition while it owns it."""

    def __init__(self) -> None:
        self.work = PartitionWork()
        self.chats: dict[str, Conversation] = {}
        self.committed = -1
        self.is_paused = False
        self.is_lost = False

    def lose(self) -> None:
        """Another instance owns the partition: it answers what is not finished here."""
        self.is_lost = True
        for chat in list(self.chats.values()):
            chat.cancel()


class RunningBot(ConsumerRebalanceListener):  # type: ignore[misc]
    """A bot that runs until `stop`. `ended` has the error if it cannot go on."""

    def __init__(self, settings: Settings, prefix: str, consumer: AIOKafkaConsumer, producer: AIOKafkaProducer) -> None:
        self._settings = settings
        self._prefix = prefix
        self._consumer = consumer
        self._producer = producer
        self._parts: dict[TopicPartition, _Part] = {}
        # Not set while the group shares its partitions out: then nobody knows who may publish.
        self._is_settled = asyncio.Event()
        self._has_finished = asyncio.Event()
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        settings.fail = self._fail
        settings.ends = (KafkaError,)
        self._loops = [asyncio.ensure_future(self._reading()), asyncio.ensure_future(self._committing())]
        for task in self._loops:
            task.add_done_callback(lambda ended: None if ended.cancelled() else self._fail(ended.exception()))

    async def stop(self) -> None:
        """Finishes the replies in progress, and leaves the group."""
        self._settings.is_stopping = True
        self._loops[0].cancel()
        chats = [chat for part in self._parts.values() for chat in part.chats.values()]
        for chat in chats:
            chat.stop_waiting()
        if chats:
            await asyncio.wait([asyncio.ensure_future(chat.idle()) for chat in chats], timeout=FINISH_WITHIN_S)
        self._loops[1].cancel()
        await self._commit()
        await self._consumer.stop()
        for part in self._parts.values():
            part.lose()
        await self._producer.stop()
        if not self.ended.done():
            self.ended.set_result(None)

    async def on_partitions_revoked(self, revoked: Sequence[TopicPartition]) -> None:
        self._is_settled.clear()
        await self._commit()

    async def on_partitions_assigned(self, assigned: Sequence[TopicPartition]) -> None:
        """What stays here goes on, unless another instance has finished more of it in the meantime."""
        for partition in [each for each in self._parts if each not in assigned]:
            self._parts.pop(partition).lose()
        for partition in assigned:
            part = self._parts.get(partition)
            if part is not None and (await self._consumer.committed(partition) or 0) > (part.work.next_offset() or 0):
                part.lose()
                part = None
            self._parts[partition] = part or _Part()
            self._parts[partition].is_paused = False
        log.info("the bot has %d partitions", len(assigned))
        self._is_settled.set()

    def _fail(self, error: BaseException | None) -> None:
        if error is not None and not self.ended.done():
            self.ended.set_exception(error)

    async def _reading(self) -> None:
        while True:
            try:
                batches = await self._consumer.getmany(timeout_ms=1_000, max_records=500)
            except KafkaError as failed:
                if not _is_transient(failed):
                    raise
                log.warning("bot-conversations cannot be read now: %s", type(failed).__name__)
                await asyncio.sleep(0.5)
                continue
            for partition, records in batches.items():
                part = self._parts.get(partition)
                if part is not None:
                    for record in records:
                        self._take(part, partition, record)

    def _take(self, part: _Part, partition: TopicPartition, record: ConsumerRecord) -> None:
        key = (record.key or b"").decode("utf-8", "replace")
        if not part.work.take(record.offset, key):
            return
        if part.committed < 0:
            part.committed = record.offset
        if part.work.is_too_much() and not part.is_paused:
            part.is_paused = True
            self._consumer.pause(partition)

        def finish() -> None:
            part.work.finish(record.offset)
            self._has_finished.set()
            if part.is_paused and part.work.is_modest() and self._parts.get(partition) is part:
                part.is_paused = False
                self._consumer.resume(partition)

        try:
            event = event_of(dict(record.headers), record.value)
        except Undecodable as wrong:
            log.warning("an event cannot be decoded and is skipped: %s@%d: %s", partition, record.offset, wrong)
            event = None
        if event is None:
            finish()
        elif event.type == ERASED:
            self._chat(part, key).erase(HeardErasure(event, partial(self._forget, part, event), finish))
        else:
            self._hear(part, key, event, _traceparent_of(dict(record.headers)), finish)

    def _hear(self, part: _Part, key: str, event: Event, traceparent: str | None, finish: Any) -> None:
        async def publish(command: Mapping[str, Any], trace: str | None) -> None:
            await self._publish(part, "bot-replies", f"{command['accountId']}/{command['chatId']}", command, trace)

        async def attach(note: Mapping[str, Any]) -> None:
            key = f"{event.account_id}/chatId:{event.chat_id}"
            try:
                await asyncio.wait_for(self._publish(part, "enrichments", key, note), NOTE_WITHIN_S)
            except asyncio.TimeoutError:
                log.warning("a note is late: the client is handed over without it")

        self._chat(part, key).hear(Heard(event, publish, attach, finish, traceparent))

    def _chat(self, part: _Part, key: str) -> Conversation:
        """A chat without events is forgotten: a bot sees more chats than it has memory for."""
        known = part.chats.get(key)
        if known is not None:
            return known

        def forget() -> None:
            if part.chats.get(key) is chat:
                del part.chats[key]

        chat = part.chats[key] = Conversation(self._settings, forget)
        return chat

    async def _forget(self, part: _Part, event: Event) -> None:
        """A bot without the handler keeps no data, so there is nothing to confirm. If the handler fails, there is no
        confirmation, and the status of the erasure does not list the bot's group."""
        handler = self._settings.bot.of_erasures
        if handler is not None and await told(handler, event, FORGET_WITHIN_S, "on_chat_erased"):
            await self._confirm(part, event)

    async def _confirm(self, part: _Part, event: Event) -> None:
        whose = {name: event.data[name] for name in ("chatId", "clientId") if name in event.data}
        confirmation = {
            "accountId": event.account_id,
            "erasureId": event.data["erasureId"],
            "group": self._settings.group,
            "erasedAt": datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            **whose,
        }
        key = f"{event.account_id}/{event.client_id or event.chat_id}"
        await self._publish(part, "erasure-confirmations", key, confirmation)

    async def _publish(
        self, part: _Part, topic: str, key: str, value: Mapping[str, Any], trace: str | None = None
    ) -> None:
        headers = [("content-type", b"application/json"), *([("traceparent", trace.encode())] if trace else [])]
        while True:
            await self._is_settled.wait()
            if part.is_lost:
                return
            try:
                await self._producer.send_and_wait(
                    f"{self._prefix}{topic}", json.dumps(value).encode(), key=key.encode(), headers=headers
                )
                return
            except KafkaError as failed:
                if isinstance(failed, REFUSED):
                    log.error("a record of %s was refused and is not published: %s", topic, type(failed).__name__)
                    return
                if not _is_transient(failed):
                    raise
                log.warning("a record of %s could not be published yet: %s", topic, type(failed).__name__)
                await asyncio.sleep(0.2)

    async def _committing(self) -> None:
        while True:
            await self._has_finished.wait()
            await asyncio.sleep(COMMIT_EVERY_S)
            self._has_finished.clear()
            if self._is_settled.is_set():
                await self._commit()

    async def _commit(self) -> None:
        """What cannot be committed now is read again by the next owner, and its replies have the same ids."""
        offsets = {partition: part.work.next_offset() for partition, part in self._parts.items()}
        moved = {
            each: next for each, next in offsets.items() if next is not None and next > self._parts[each].committed
        }
        if not moved:
            return
        try:
            await self._consumer.commit(moved)
        except KafkaError as failed:
            log.warning("offsets cannot be committed now: %s", type(failed).__name__)
            return
        for partition, next in moved.items():
            if partition in self._parts:
                self._parts[partition].committed = next


def _is_transient(error: KafkaError) -> bool:
    return bool(error.retriable) or isinstance(error, KafkaTimeoutError)


def _traceparent_of(headers: Mapping[str, bytes | None]) -> str | None:
    """Any producer may write anything into a header."""
    header = headers.get("traceparent") or b""
    return header.decode() if _TRACEPARENT.fullmatch(header) else None


async def start_bot(
    bot: Bot,
    *,
    brokers: Sequence[str],
    group: str,
    topic_prefix: str = "livechat.",
    limits: Limits = Limits(),
    turns: Turns = Turns(),
    history: HistorySource | None = None,
    kafka: Mapping[str, Any] | None = None,
) -> RunningBot:
    """Runs a bot until `stop`. It sets keys, ids and `inReplyTo`, keeps the order per chat, and retries. Chats are
    handled side by side. A duplicate event gets no second reply. Raises if the settings cannot work, or if no broker can
    be reached. Bots of one group share the chats. `kafka` has further options of aiokafka's clients, such as
    `security_protocol`."""
    problem = problem_of(bot, limits, turns)
    if not group.strip():
        problem = "group: expected the name of the consumer group that your bots share"
    if problem is not None:
        raise ValueError(problem)
    client = {**(kafka or {}), "bootstrap_servers": list(brokers), "client_id": f"livechat-bot-{group}"}
    topic = f"{topic_prefix}bot-conversations"
    consumer = AIOKafkaConsumer(
        **client,
        group_id=group,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        session_timeout_ms=SESSION_TIMEOUT_MS,
        heartbeat_interval_ms=SESSION_TIMEOUT_MS // 3,
    )
    # Not idempotent: such a producer can publish nothing more once the broker has forgotten its sequence. A repeated
    # command has the same id, which the bridge sends once, and a chat's next command waits for the one before it.
    producer = AIOKafkaProducer(**client, acks="all")
    try:
        await asyncio.wait_for(producer.start(), REACHABLE_WITHIN_S)
        await asyncio.wait_for(producer.partitions_for(topic), REACHABLE_WITHIN_S)
        await asyncio.wait_for(consumer.start(), REACHABLE_WITHIN_S)
    except (KafkaError, asyncio.TimeoutError) as failed:
        await consumer.stop()
        await producer.stop()
        raise ConnectionError(f"{topic} cannot be read: is a broker at {', '.join(brokers)}?") from failed
    settings = Settings(bot, group, limits, turns, history_over(history) if history is not None else no_history)
    running = RunningBot(settings, topic_prefix, consumer, producer)
    consumer.subscribe([topic], listener=running)
    return running


def run_bot(bot: Bot, **options: Any) -> None:
    """`start_bot` as a whole program: it ends at SIGINT or SIGTERM, after the replies in progress."""

    async def run() -> None:
        try:
            running = await start_bot(bot, **options)
        except ConnectionError as unreachable:
            raise SystemExit(str(unreachable)) from None
        asked = asyncio.Event()
        for each in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(each, asked.set)
        running.ended.add_done_callback(lambda _: asked.set())
        await asked.wait()
        await running.stop()
        await running.ended

    logging.basicConfig(format="bot: %(message)s")
    log.setLevel(logging.INFO)
    asyncio.run(run())
