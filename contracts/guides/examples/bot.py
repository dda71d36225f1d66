"""The shop's bot on plain Kafka: reads bot-conversations, writes bot-replies."""

import json
import os
import signal
import uuid
from datetime import datetime, timedelta, timezone

from confluent_kafka import Consumer, KafkaException, Message, Producer

prefix = os.environ.get("TOPIC_PREFIX", "livechat.")
brokers = os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092")
group = os.environ.get("GROUP", "shop-bot")


def text(words: str) -> dict:
    return {"type": "TEXT", "text": words}


def buttons(title: str, answers: list[tuple[str, str]]) -> dict:
    return {"type": "BUTTONS", "title": title, "buttons": [{"id": id, "text": text} for id, text in answers]}


HAND_OVER = None


def answer(type: str, data: dict) -> list:
    """What the bot says to an event: messages, or HAND_OVER."""
    if type == "livechat.AgentUnavailable.v1":
        return [text("Nobody is free now. Leave us your phone number, and we will call you back.")]
    if type != "livechat.ClientMessageReceived.v1":
        return []
    match data["message"].get("buttonId") or data["message"]["text"].strip().lower():
        case "hours" | "opening hours":
            content = "We are **open** from 9 to 20, [find us](https://shop.example.com/map)."
            return [{"type": "MARKDOWN", "content": content}]
        case "agent" | "talk to a person":
            return [text("One moment, please."), HAND_OVER]
        case _:
            return [buttons("How can we help?", [("hours", "Opening hours"), ("agent", "Talk to a person")])]


def commands(event: Message) -> list:
    headers = {name: value.decode() for name, value in event.headers() or []}
    age = datetime.now(timezone.utc) - datetime.fromisoformat(headers["ce_time"])
    if age > timedelta(minutes=1):  # a bot that starts anew leaves last week's messages to the watchdog
        return []
    data = json.loads(event.value())
    chat = {name: data[name] for name in ("accountId", "chatId", "clientId") if name in data}
    if headers["ce_type"] == "livechat.ClientMessageReceived.v1":
        chat["inReplyTo"] = headers["ce_id"]
    made = []
    for place, message in enumerate(answer(headers["ce_type"], data)):
        # The same event, place and group give the same id: an event that is read twice is answered once.
        id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{group}/{headers['ce_source']}/{headers['ce_id']}/{place}"))
        what = {"type": "InviteAgent"} if message is HAND_OVER else {"type": "BotMessage", "message": message}
        made.append({"id": id, **chat, **what})
    return made


def forget(data: dict) -> dict:
    """A person was erased: what a bot keeps of the chat must go. This one keeps nothing, so it only says so."""
    confirmation = {name: data[name] for name in ("accountId", "erasureId", "clientId", "chatId") if name in data}
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")[:19] + "Z"
    return {**confirmation, "group": group, "erasedAt": now}


def delivered(error: object, _: Message) -> None:
    if error:
        raise KafkaException(error)


running = True


def stop(*_: object) -> None:
    global running
    running = False


signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)

consumer = Consumer(
    {
        "bootstrap.servers": brokers,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
)
# A chat's replies must stand in the partition that its events stand in: murmur2 of the key, not librdkafka's default.
producer = Producer({"bootstrap.servers": brokers, "partitioner": "murmur2_random", "enable.idempotence": True})
consumer.subscribe([f"{prefix}bot-conversations"], on_assign=lambda *_: print("the bot runs", flush=True))
while running:
    event = consumer.poll(1)
    if event is None or event.error():
        continue
    if ("ce_type", b"livechat.ChatErased.v1") in (event.headers() or []):
        data = json.loads(event.value())
        key = f"{data['accountId']}/{data.get('clientId', data['chatId'])}"
        producer.produce(f"{prefix}erasure-confirmations", key=key, value=json.dumps(forget(data)), on_delivery=delivered)
    # The replies belong to the same trace.
    trace = [header for header in event.headers() or [] if header[0] == "traceparent"]
    for command in commands(event):
        value = json.dumps(command)
        producer.produce(f"{prefix}bot-replies", key=event.key(), value=value, headers=trace, on_delivery=delivered)
    producer.flush()
    consumer.commit(event, asynchronous=False)
consumer.close()
