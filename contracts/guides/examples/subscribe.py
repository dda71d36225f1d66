"""Keeps every event of the bridge once, in a table of SQLite, and prints what is new."""

import json
import os
import signal
import sqlite3
import sys
from pathlib import Path

from confluent_kafka import Consumer, Message
from jsonschema import Draft202012Validator, ValidationError

TOPICS = ["chats", "calls", "clients", "offline-messages", "bot-conversations"]
prefix = os.environ.get("TOPIC_PREFIX", "livechat.")
published = Path(__file__).parent.parent.parent / "published" / "schemas"

# The header ce_dataschema of an event is the $id of its schema.
schemas = {
    schema["$id"]: Draft202012Validator(schema)
    for schema in map(json.loads, (file.read_text("utf-8") for file in published.glob("*.v1.json")))
}

database = sqlite3.connect(os.environ.get("DATABASE", "events.sqlite"))
database.execute(
    "CREATE TABLE IF NOT EXISTS events (source, id, type, subject, time, data, PRIMARY KEY (source, id)) WITHOUT ROWID"
)


def keep(message: Message) -> None:
    """The table knows each event by its source and id: what comes again changes nothing."""
    headers = {name: value.decode() for name, value in message.headers() or [] if value is not None}
    schema = schemas.get(headers.get("ce_dataschema"))
    if schema is None:  # another event, or another version of one, than this program knows
        return
    try:
        data = json.loads(message.value())
        schema.validate(data)
        source, id, type, subject, time = (headers[f"ce_{name}"] for name in ("source", "id", "type", "subject", "time"))
    except (ValueError, TypeError, KeyError, ValidationError) as wrong:
        place = f"{message.topic()}/{message.partition()}@{message.offset()}"
        print(f"passed over {place}: {getattr(wrong, 'json_path', '')} {wrong.__class__.__name__}", file=sys.stderr)
        return
    type = type.split(".")[1]
    row = (source, id, type, subject, time, message.value().decode())
    if database.execute("INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?)", row).rowcount == 1:
        print(f"{time} {type} {data['accountId']}/{subject} {id}", flush=True)


running = True


def stop(*_: object) -> None:
    global running
    running = False


signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)

consumer = Consumer(
    {
        "bootstrap.servers": os.environ.get("KAFKA_BROKERS", "localhost:9092"),
        "group.id": os.environ.get("GROUP", "my-team"),
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
)
consumer.subscribe([f"{prefix}{topic}" for topic in TOPICS])
while running:
    messages = consumer.consume(500, timeout=1)
    with database:  # one transaction for all of them
        for message in messages:
            if message.error():
                print(message.error(), file=sys.stderr)
            else:
                keep(message)
    # Committed after the table is: a crash in between brings the events again, and never loses one.
    if messages:
        consumer.commit(asynchronous=False)
consumer.close()
