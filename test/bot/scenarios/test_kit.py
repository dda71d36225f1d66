"""What the scenarios do not say of the kit in Python: its offsets, its history, its settings, and what its testing finds."""

import asyncio
import json
import logging
import random
import unittest
from dataclasses import replace
from datetime import datetime, timezone
from importlib.util import find_spec
from types import SimpleNamespace

from livechat_bot import Bot, HistorySource, Limits, Message, Turns, hand_over, start_bot, text, to_messages
from livechat_bot.bot import problem_of
from livechat_bot.commands import commands_of
from livechat_bot.conversation import Conversation, Heard, Settings
from livechat_bot.events import HistoryMessage, Undecodable, event_of, seconds_of
from livechat_bot.history import history_over, joined
from livechat_bot.offsets import PartitionWork
from livechat_bot.testing import (
    BEGAN_AT,
    client_writes,
    conversation_event,
    in_virtual_time,
    pause,
    replies_of,
    said_by,
)
from livechat_bot.tracing import has_api

logging.getLogger("livechat_bot").propagate = False
logging.getLogger("livechat_bot").addHandler(logging.NullHandler())


class OtherGroups(unittest.TestCase):
    def test_an_answer_of_another_group_to_the_same_message_is_logged_once(self):
        message = client_writes("Hello")

        def outcome(group, **more):
            command = commands_of(message, [text("Hi")], group)[0]
            return conversation_event("BotReplyDelivered", {"commandId": command["id"], "inReplyTo": "e1", **more})

        own, other = outcome("shop-bot"), outcome("copy")
        for outcomes, lines in [
            ([own, own], 0),
            ([own, other, own, other], 1),
            ([other, own], 1),
            ([other, other], 0),
            ([own, outcome("copy", expectsMore=True)], 0),
            ([own, outcome("bridge", because="no-reply-in-time")], 0),
            ([own, outcome("copy", inReplyTo="e2")], 0),
        ]:
            settings = Settings(Bot(), "shop-bot")
            with self.assertLogs("livechat_bot", "WARNING") as logged:
                logging.getLogger("livechat_bot").warning("the first line")
                for event in outcomes:
                    settings.notice(event)
            self.assertEqual(len(logged.records) - 1, lines, outcomes)

    def test_an_empty_group_is_refused_in_words(self):
        with self.assertRaisesRegex(ValueError, "group: expected the name of the consumer group"):
            asyncio.run(start_bot(Bot(), brokers=["127.0.0.1:1"], group=" "))


class Offsets(unittest.TestCase):
    def test_whatever_finishes_first_nothing_unfinished_is_committed(self):
        for seed in range(200):
            dice = random.Random(seed)
            work, left, newest = PartitionWork(), set(), 0
            for _ in range(100):
                if dice.random() < 0.6 or not left:
                    newest += dice.randint(1, 3)
                    self.assertTrue(work.take(newest, dice.choice("abc")))
                    self.assertFalse(work.take(newest, "a"))
                    left.add(newest)
                else:
                    done = dice.choice(sorted(left))
                    work.finish(done)
                    left.remove(done)
                self.assertEqual(work.next_offset(), min(left) if left else newest + 1)

    def test_a_slow_chat_does_not_stop_its_partition_and_many_chats_do(self):
        work = PartitionWork()
        for offset in range(4_000):
            work.take(offset, "slow")
        self.assertTrue(work.is_modest())
        for offset in range(4_000, 6_000):
            work.take(offset, str(offset))
        self.assertTrue(work.is_too_much())
        for offset in range(6_000):
            work.finish(offset)
        self.assertTrue(work.is_modest())
        self.assertEqual(work.next_offset(), 6_000)


class TurnsOfClients(unittest.TestCase):
    def test_whatever_interleaves_each_message_is_in_the_last_call_before_an_answer(self):
        for seed in range(200):
            dice = random.Random(seed)
            bot = Bot()

            @bot.on_turn
            async def answer(turn, dice=dice):
                await asyncio.sleep(dice.random() * 3)
                return text(turn.text)

            steps = []
            for place in range(dice.randint(1, 12)):
                steps += [client_writes(f"m{place}", id=f"m{place}"), pause(dice.random() * 2_000)]
            said = [reply.message["text"].split("\n") for reply in replies_of(bot, *steps)]
            # In their order, each once: nothing is dropped, and nothing is answered twice.
            self.assertEqual(sum(said, []), [f"m{place}" for place in range(len(steps) // 2)], f"seed {seed}")

    def test_a_handler_that_is_not_wanted_any_more_is_cancelled(self):
        bot, seen = Bot(), []

        @bot.on_turn
        async def answer(turn):
            try:
                await asyncio.sleep(3)
            except asyncio.CancelledError:
                seen.append((turn.text, turn.cancelled.is_set()))
                raise
            return text("Hi")

        said = replies_of(bot, client_writes("one"), pause(1_500), client_writes("two"))
        self.assertEqual((seen, said), ([("one", True)], [text("Hi")]))

    def test_a_handler_that_announces_an_answer_must_give_one_and_hands_over_by_its_answer_alone(self):
        for words, reply, expected in [
            (text("One moment."), None, [text("One moment."), "InviteAgent"]),
            (hand_over(), text("Hi"), ["InviteAgent"]),
            (text(" "), text("Hi"), ["InviteAgent"]),
        ]:
            bot = Bot()

            @bot.on_turn
            async def answer(turn, words=words, reply=reply):
                await turn.say(words)
                return reply

            said = said_by(bot, client_writes("Hello"), may_fail=True)
            found = [each.command["type"] if each.command["type"] == "InviteAgent" else each.reply for each in said]
            self.assertEqual(found, expected)

    def test_what_is_said_after_the_answer_is_not_sent(self):
        bot, turns = Bot(), []

        @bot.on_turn
        def answer(turn):
            turns.append(turn)
            return text("Done")

        @bot.on_outcome
        async def late(event):
            await turns[0].say(text("One moment."))

        self.assertEqual(replies_of(bot, client_writes("Hello")), [text("Done")])

    def test_what_a_call_that_has_failed_says_later_is_not_sent(self):
        bot, late = Bot(), []

        @bot.on_turn
        async def answer(turn):
            if late:
                await asyncio.sleep(2)
                return text("Done")

            async def say():
                await asyncio.sleep(1)
                await turn.say(text("One moment."))

            late.append(asyncio.ensure_future(say()))
            raise RuntimeError("the model is busy")

        self.assertEqual(replies_of(bot, client_writes("Hello"), may_fail=True), [text("Done")])

    def test_without_turns_an_erasure_drops_the_messages_before_it_and_their_answers(self):
        bot, handled = Bot(), []

        @bot.on_message
        async def answer(event, chat):
            handled.append(event.text)
            await asyncio.sleep(1)
            return text(event.text)

        erased = conversation_event("ChatErased", {"erasureId": "x1"})
        said = replies_of(bot, client_writes("m1"), client_writes("m2"), pause(500), erased, client_writes("m3"))
        self.assertEqual((handled, said), (["m1", "m3"], [text("m3")]))

    def test_an_erasure_ends_the_turn_and_what_comes_later_waits_until_the_chat_is_forgotten(self):
        bot, order = Bot(), []

        @bot.on_turn
        async def answer(turn):
            order.append(turn.text)
            if turn.text == "secret":
                await asyncio.sleep(3)
            return text(" ".join(each.text for each in await turn.history()))

        @bot.on_chat_erased
        async def forget(event):
            order.append("erased")
            await asyncio.sleep(1)
            order.append("forgotten")

        erased = conversation_event("ChatErased", {"erasureId": "x1"})
        said = replies_of(bot, client_writes("secret"), pause(2_000), erased, client_writes("again"))
        self.assertEqual(order, ["secret", "erased", "forgotten", "again"])
        self.assertEqual(said, [text("again")])

    def test_settings_that_leave_no_time_for_the_answer_are_refused(self):
        bot = Bot()
        bot.on_turn(lambda turn: None)
        for limits, turns, where in [
            (Limits(reply_within_ms=5_000), Turns(), "turns.at_most_ms"),
            (Limits(), Turns(6_000, 5_000), "turns.quiet_ms"),
            (Limits(at_once=0), Turns(), "limits.at_once"),
        ]:
            self.assertIn(where, problem_of(bot, limits, turns) or "")
            with self.assertRaises(ValueError):
                replies_of(bot, client_writes("Hello"), limits=limits, turns=turns)
        self.assertIsNone(problem_of(bot, Limits(), Turns()))


class Unreadable(dict):
    def get(self, *_):
        raise OSError("secret")


class Testing(unittest.TestCase):
    def test_it_finds_a_handler_that_fails_is_too_slow_or_says_what_would_be_refused(self):
        async def slow(event, chat):
            await asyncio.sleep(60)

        for handler, why in [
            (lambda event, chat: 1 / 0, "raised"),
            (slow, "too slow"),
            (lambda event, chat: text(" "), "found none"),
            (lambda event, chat: [hand_over(), text("Bye")], "comes after hand_over"),
            (lambda event, chat: Message({"type": ["TEXT"], "text": "Hi"}), "message.type"),
            (lambda event, chat: Message({"type": "TEXT", "text": "Hi", "timestamp": datetime.now()}), "JSON"),
            (lambda event, chat: Message(Unreadable(type="TEXT")), "asked once more"),
        ]:
            bot = Bot()
            bot.on_message(handler)
            with self.assertRaisesRegex(AssertionError, why):
                replies_of(bot, client_writes("Hello"))

    def test_it_finds_a_reply_to_a_chat_that_an_agent_has(self):
        bot = Bot()
        bot.on_message(lambda event, chat: hand_over() if event.text == "agent" else text("Hi"))
        with self.assertRaisesRegex(AssertionError, "would suppress"):
            replies_of(bot, client_writes("agent"), client_writes("Hello?"))
        again = replies_of(bot, client_writes("agent"), pause(1), conversation_event("ChatClosed"), client_writes("Hi"))
        self.assertEqual(again, [hand_over(), text("Hi")])

    def test_outcomes_come_in_order_and_do_not_part_a_turn(self):
        bot, seen = Bot(), []
        bot.on_turn(lambda turn: text(turn.text))
        bot.on_outcome(lambda event: seen.append(event.data["commandId"]))
        outcome = conversation_event("BotReplyDelivered", {"commandId": "r1"})
        said = said_by(bot, client_writes("one"), outcome, client_writes("two"))
        self.assertEqual([each.reply for each in said], [text("one\ntwo")])
        self.assertEqual(seen, ["r1", said[0].command["id"]])


def said(id, from_="client", words="Hello"):
    return HistoryMessage(id, from_, "TEXT", words, "2026-01-31T12:00:00.000Z")


class History(unittest.TestCase):
    def read(self, *answers, tokens=None):
        asked, left = [], list(answers)

        def get(url, token):
            asked.append(url.split("?")[1])
            answer = left.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        source = HistorySource("http://127.0.0.1:1/", {"acme": "secret"} if tokens is None else tokens)
        read = history_over(source, get)

        async def ask():
            return await read("acme", "2037", 20, "e9")

        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(ask()), asked
        finally:
            loop.close()

    def test_it_asks_again_and_the_last_time_without_the_newest_event(self):
        message = {
            "id": "e1",
            "from": "client",
            "type": "TEXT",
            "text": "Hi",
            "at": "2026-01-31T12:00:00.000Z",
            "new": 1,
        }
        body = json.dumps({"messages": [message], "upTo": "e1"}).encode()
        messages, asked = self.read((425, b""), OSError("gone"), (200, body))
        self.assertEqual([each.text for each in messages], ["Hi"])
        self.assertEqual(asked, ["last=20&after=e9", "last=20&after=e9", "last=20"])

    def test_an_unknown_chat_has_no_history_and_a_wrong_token_is_an_error_that_does_not_name_it(self):
        self.assertEqual(self.read((404, b""))[0], [])
        with self.assertRaisesRegex(PermissionError, "^the bridge refuses the history token of account acme$"):
            self.read((401, b""))
        with self.assertRaisesRegex(TypeError, "a token of account acme"):
            self.read(tokens={})
        with self.assertRaisesRegex(ConnectionError, "503"):
            self.read((503, b""), (503, b""), (503, b""))

    def test_it_adds_what_the_bot_has_seen_since(self):
        self.assertEqual([each.id for each in joined([said("a"), said("b")], [said("b"), said("c")], 2)], ["b", "c"])

    def test_messages_for_a_model_are_in_turns_and_begin_with_the_client(self):
        agent = HistoryMessage("j", "agent", "AGENT_JOINED", "", "2026-01-31T12:00:00.000Z")
        history = [said("0", "bot", "Good day"), said("1"), said("2", words="there"), agent, said("3", "bot", "Hi")]
        expected = [{"role": "user", "content": "Hello\nthere"}, {"role": "assistant", "content": "Hi"}]
        self.assertEqual(to_messages(history), expected)


class Records(unittest.TestCase):
    headers = {
        "ce_type": b"livechat.ClientMessageReceived.v1",
        "ce_id": b"e1",
        "ce_source": b"/accounts/acme/bot",
        "ce_subject": b"2037",
        "ce_time": b"2026-01-31T12:00:00.000Z",
    }

    def test_a_record_that_breaks_the_contract_is_undecodable_and_its_words_are_not_told(self):
        for headers, value in [
            (self.headers, b"secret"),
            (self.headers, b'{"accountId":"acme","chatId":"2037","message":{"text":"secret"}}'),
            ({**self.headers, "ce_time": b"secret"}, b'{"accountId":"acme","chatId":"2037"}'),
            ({"ce_type": self.headers["ce_type"]}, b"{}"),
            (
                {**self.headers, "ce_type": b"livechat.BotReplyDelivered.v1"},
                b'{"accountId":"acme","chatId":"2037","message":"secret"}',
            ),
        ]:
            with self.assertRaises(Undecodable) as raised:
                event_of(headers, value)
            self.assertNotIn("secret", str(raised.exception))

    def test_an_event_of_another_type_is_nothing_to_the_bot(self):
        self.assertIsNone(event_of({**self.headers, "ce_type": b"livechat.Later.v1"}, b"{}"))


@unittest.skipUnless(find_spec("aiokafka"), "no client of Kafka")
class AtTheBroker(unittest.TestCase):
    """The group and the broker are played: what happens in between is what matters."""

    def play(self, work, errors=()):
        from aiokafka import TopicPartition

        from livechat_bot.kafka import RunningBot

        class Consumer:
            place = TopicPartition("bot-conversations", 0)

            def __init__(self):
                self.batches, self.commits = asyncio.Queue(), []

            async def getmany(self, **_):
                return {self.place: await self.batches.get()}

            async def commit(self, offsets):
                self.commits.append(offsets[self.place])

            async def committed(self, _):
                return self.commits[-1] if self.commits else None

            async def stop(self):
                pass

        class Producer:
            def __init__(self):
                self.sent, self.errors = [], list(errors)

            async def send_and_wait(self, topic, value, **_):
                if self.errors:
                    raise self.errors.pop(0)
                command = json.loads(value)
                self.sent.append((topic, command["message"]["text"] if "message" in command else command["reason"]))

            async def stop(self):
                pass

        async def play():
            bot = Bot()

            @bot.on_message
            async def answer(event, chat):
                await asyncio.sleep(2)
                return text(event.text)

            consumer, producer = Consumer(), Producer()
            settings = Settings(bot, "my-bot", now=lambda: seconds_of(BEGAN_AT))
            running = RunningBot(settings, "", consumer, producer)
            await running.on_partitions_assigned([consumer.place])
            await work(running, consumer, producer)
            await running.stop()
            return producer.sent, consumer.commits, running.ended

        return in_virtual_time(play)

    @staticmethod
    def record(offset, chat="1"):
        data = {"accountId": "acme", "chatId": chat, "clientId": "7", "message": {"text": f"m{offset}"}}
        headers = [(name, value) for name, value in Records.headers.items()] + [("ce_id", f"e{offset}".encode())]
        return SimpleNamespace(
            offset=offset, key=f"acme/{chat}".encode(), headers=headers, value=json.dumps(data).encode()
        )

    def test_replies_are_published_and_what_is_finished_is_committed(self):
        async def work(running, consumer, producer):
            await consumer.batches.put([self.record(5), self.record(6, "2")])
            await asyncio.sleep(10)

        sent, commits, _ = self.play(work)
        self.assertEqual(sent, [("bot-replies", "m5"), ("bot-replies", "m6")])
        self.assertEqual(commits, [7])

    def test_nothing_is_published_while_nobody_knows_the_owner_nor_after_another_one_has_the_partition(self):
        async def lost(running, consumer, producer):
            await consumer.batches.put([self.record(5)])
            await asyncio.sleep(1)
            await running.on_partitions_revoked([consumer.place])
            await asyncio.sleep(5)
            self.assertEqual(producer.sent, [])
            await running.on_partitions_assigned([])

        self.assertEqual(self.play(lost)[:2], ([], []))

    def test_what_stays_here_goes_on_and_is_not_answered_twice(self):
        async def stays(running, consumer, producer):
            await consumer.batches.put([self.record(5)])
            await asyncio.sleep(1)
            await running.on_partitions_revoked([consumer.place])
            await running.on_partitions_assigned([consumer.place])
            # Nothing is committed, so it is read again.
            await consumer.batches.put([self.record(5)])
            await asyncio.sleep(10)

        self.assertEqual(self.play(stays)[:2], ([("bot-replies", "m5")], [6]))

    def test_what_another_instance_has_finished_meanwhile_is_not_answered_here(self):
        async def overtaken(running, consumer, producer):
            await consumer.batches.put([self.record(5)])
            await asyncio.sleep(1)
            await running.on_partitions_revoked([consumer.place])
            consumer.commits.append(6)
            await running.on_partitions_assigned([consumer.place])
            await asyncio.sleep(10)

        self.assertEqual(self.play(overtaken)[0], [])

    def test_it_publishes_again_after_a_transient_error_and_ends_if_it_cannot_publish_any_more(self):
        from aiokafka.errors import KafkaTimeoutError, NotLeaderForPartitionError, ProducerFenced

        async def work(running, consumer, producer):
            await consumer.batches.put([self.record(5)])
            await asyncio.sleep(10)

        transient = [KafkaTimeoutError(), NotLeaderForPartitionError()]
        self.assertEqual(self.play(work, transient)[:2], ([("bot-replies", "m5")], [6]))
        sent, commits, ended = self.play(work, [ProducerFenced()])
        self.assertEqual((sent, commits, type(ended.exception())), ([], [], ProducerFenced))

    def test_an_error_that_is_not_of_kafka_is_one_chats_trouble_and_the_client_is_handed_over(self):
        async def work(running, consumer, producer):
            await consumer.batches.put([self.record(5), self.record(6, "2")])
            await asyncio.sleep(10)

        with self.assertLogs("livechat_bot", "ERROR") as logged:
            sent, commits, ended = self.play(work, [IndexError("list index out of range")])
        self.assertEqual(sorted(sent), [("bot-replies", "The bot failed: IndexError."), ("bot-replies", "m6")])
        self.assertEqual((commits, ended.exception(), len(logged.output)), ([7], None, 1))


@unittest.skipUnless(has_api, "no OpenTelemetry")
class Spans(unittest.TestCase):
    def test_each_call_of_a_handler_is_a_span_with_the_chat_and_without_words_and_the_reply_continues_it(self):
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        exporter, provider = InMemorySpanExporter(), TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        trace.set_tracer_provider(provider)
        bot, sent, calls = Bot(), [], []

        @bot.on_message
        def answer(event, chat):
            calls.append(trace.get_current_span().get_span_context().span_id)
            if len(calls) == 1:
                raise ValueError(event.text)
            return text(event.text)

        async def publish(command, traceparent):
            sent.append(traceparent)

        async def play():
            event = replace(client_writes("secret"), time=datetime.now(timezone.utc).isoformat())
            conversation = Conversation(Settings(bot, "my-bot"))
            conversation.hear(Heard(event, publish, publish, lambda: None, f"00-{'a' * 32}-{'b' * 16}-01"))
            await conversation.idle()

        in_virtual_time(play)
        spans = exporter.get_finished_spans()
        self.assertEqual([span.name for span in spans], ["invoke_agent", "invoke_agent"])
        self.assertEqual([span.status.description for span in spans], ["ValueError", None])
        self.assertEqual([span.context.span_id for span in spans], calls)
        self.assertEqual({format(span.context.trace_id, "x") for span in spans}, {"a" * 32})
        self.assertEqual(spans[0].attributes["gen_ai.conversation.id"], "acme/2037")
        self.assertNotIn("secret", "".join(span.to_json() for span in spans))
        self.assertEqual(sent, [f"00-{'a' * 32}-{calls[1]:016x}-01"])


class Time(unittest.TestCase):
    def test_waiting_takes_no_time_and_is_in_order(self):
        order = []

        async def wait(seconds):
            await asyncio.sleep(seconds)
            order.append(seconds)

        async def both():
            await asyncio.gather(wait(3_600), wait(60))

        in_virtual_time(both)
        self.assertEqual(order, [60, 3_600])


unittest.main()
