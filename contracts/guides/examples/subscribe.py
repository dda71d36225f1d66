"""Keeps every event of the bridge once, in a table of SQLite, prints what is new, and forgets persons who were erased."""

import json
import os
import signal
import sqlite3
import sys
from datetime import datetime, timezone
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from jsonschema import Draft202012Validator, ValidationError

TOPICS = ["chats", "calls", "clients", "offline-messages", "bot-conversations"]
prefix = os.environ.get("TOPIC_PREFIX", "livechat.")
brokers = os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092")
group = os.environ.get("GROUP", "my-team")
# With REPLAY: read this topic to its end, as what was on TOPIC, and stop. With OFFSETS: continue on TOPIC there.
replay, offsets = os.environ.get("REPLAY"), os.environ.get("OFFSETS")
replayed = os.environ.get("TOPIC", f"{prefix}chats")
published = Path(os.environ.get("SCHEMAS") or Path(__file__).parent.parent.parent / "published" / "schemas")

# The header ce_dataschema of an event is the $id of its schema.
schemas = {
    schema["$id"]: Draft202012Validator(schema)
    for schema in map(json.loads, (file.read_text("utf-8") for file in published.glob("*.v1.json")))
}
if not schemas:
    sys.exit(f"No event schemas in {published}: set SCHEMAS to a copy of contracts/published/schemas.")

database = sqlite3.connect(os.environ.get("DATABASE", "events.sqlite"))
database.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten in the file
database.execute(
    "CREATE TABLE IF NOT EXISTS events (source, id, topic, type, subject, time, data, PRIMARY KEY (source, id)) WITHOUT ROWID"
)
# What this program does not understand, to look at and to read again later: Kafka deletes it after a while.
database.execute(
    "CREATE TABLE IF NOT EXISTS skipped (topic, read_from, partition, offset, reason, headers, value, "
    "PRIMARY KEY (read_from, partition, offset)) WITHOUT ROWID"
)


def topic_of(message: Message) -> str:
    """The records of a replay count as those of the topic that they were on: a later marker there erases them too."""
    return replayed if message.topic() == replay else message.topic()


def skip(message: Message, headers: dict, reason: str) -> None:
    """A record that is not understood is kept as it is, so that no offset is committed of a record that is nowhere."""
    topic, partition, offset = message.topic(), message.partition(), message.offset()
    row = (topic_of(message), topic, partition, offset, reason, json.dumps(headers), message.value())
    if database.execute("INSERT OR IGNORE INTO skipped VALUES (?, ?, ?, ?, ?, ?, ?)", row).rowcount == 1:
        print(f"skipped {topic}/{partition}@{offset}: {reason}", file=sys.stderr, flush=True)


def keep(message: Message) -> None:
    """The table knows each event by its source and id: what comes again changes nothing."""
    headers = {name: value.decode("utf-8", "replace") for name, value in message.headers() or [] if value is not None}
    schema = schemas.get(headers.get("ce_dataschema"))
    if schema is None:
        return skip(message, headers, "no schema for its ce_dataschema")
    try:
        data = json.loads(message.value())
        schema.validate(data)
        source, id, type, subject, time = (headers[f"ce_{name}"] for name in ("source", "id", "type", "subject", "time"))
    except (ValueError, TypeError, KeyError, ValidationError) as wrong:
        return skip(message, headers, f"{getattr(wrong, 'json_path', '')} {wrong.__class__.__name__}".strip())
    type = type.split(".")[1]
    row = (source, id, topic_of(message), type, subject, time, message.value().decode())
    if database.execute("INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", row).rowcount == 1:
        print(f"{time} {type} {data['accountId']}/{subject} {id}", flush=True)
    if type in ("ClientErased", "ChatErased"):
        forget(topic_of(message), subject, data)


def forget(topic: str, subject: str, data: dict) -> None:
    """Whoever was erased is forgotten, as far as this topic tells of them; then the bridge's operators are told so."""
    whose = (topic, subject, f"/accounts/{data['accountId']}/")
    # The rows stay without their data: an erased event that comes again must not be taken for a new one.
    database.execute(
        "UPDATE events SET data = '{}' WHERE topic = ? AND subject = ? AND instr(source, ?) = 1 AND type NOT LIKE '%Erased'",
        whose,
    )
    database.execute(
        "DELETE FROM skipped WHERE topic = ? AND json_extract(headers, '$.ce_subject') = ? "
        "AND instr(json_extract(headers, '$.ce_source'), ?) = 1",
        whose,
    )
    confirmation = {name: data[name] for name in ("accountId", "erasureId", "clientId", "chatId") if name in data}
    confirmation |= {"group": group, "erasedAt": datetime.now(timezone.utc).isoformat(timespec="seconds")[:19] + "Z"}
    confirmations.append((f"{data['accountId']}/{data.get('clientId', subject)}", json.dumps(confirmation)))


def confirmed(error: object, _: Message) -> None:
    if error:
        raise KafkaException(error)


def commit() -> bool:
    """
    Whether everything that the table has is committed. If not, it is tried again: after an outage by this member, after
    a rebalance by whoever has the partitions then, from their last commit on. The table knows what comes again.
    """
    try:
        consumer.commit(asynchronous=False)
    except KafkaException as problem:
        if problem.args[0].code() != KafkaError._NO_OFFSET:  # this member has read nothing since the rebalance
            print(f"not committed yet: {problem.args[0]}", file=sys.stderr, flush=True)
            return False
    return True


running = True


def stop(*_: object) -> None:
    global running
    running = False


signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)

consumer = Consumer(
    {
        "bootstrap.servers": brokers,
        "group.id": f"{group}-{replay}" if replay else group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "enable.partition.eof": replay is not None,
    }
)
producer = Producer(
    {
        "bootstrap.servers": brokers,
        "partitioner": "murmur2_random",
        "enable.idempotence": True,
        "message.timeout.ms": 0,  # an outage may last: nothing is given up
    }
)
confirmations: list[tuple[str, str]] = []
if offsets:  # as the command `archive replay` prints them: 0: 1502, 1: 1498
    places = [TopicPartition(replayed, *map(int, each.split(":"))) for each in offsets.split(",")]
    consumer.commit(offsets=places, asynchronous=False)
consumer.subscribe([replay] if replay else [f"{prefix}{topic}" for topic in TOPICS])
partitions = consumer.list_topics(replay).topics[replay].partitions if replay else {}
ended: set[int] = set()
committed = True
while running:
    messages = consumer.consume(500, timeout=1)
    with database:  # one transaction for all of them
        for message in messages:
            if message.error() and message.error().code() == KafkaError._PARTITION_EOF:
                ended.add(message.partition())
            elif message.error():
                print(message.error(), file=sys.stderr)
            else:
                keep(message)
    # Told after the table has forgotten: whoever confirms has erased.
    for key, value in confirmations:
        producer.produce(f"{prefix}erasure-confirmations", key=key, value=value, on_delivery=confirmed)
    confirmations.clear()
    while producer.flush(1) > 0 and running:
        pass
    # Committed after the table is and everything is told: a crash in between brings the events again, and never loses one.
    if len(producer) == 0 and not (committed and all(message.error() for message in messages)):
        committed = commit()
    if replay and committed and len(ended) == len(partitions):
        print(f"{replay} is read to its end", file=sys.stderr)
        break
consumer.close()
