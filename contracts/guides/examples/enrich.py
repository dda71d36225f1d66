"""Tells agents something of a visitor, or takes it back:
`python enrich.py acme email john.smith@example.com '{"customData":[{"title":"Plan","content":"Gold"}]}'`, or no JSON."""

import json
import os
import sys
from pathlib import Path

from confluent_kafka import KafkaException, Message, Producer
from jsonschema import Draft202012Validator, ValidationError

published = Path(os.environ.get("SCHEMAS") or Path(__file__).parent.parent.parent / "published" / "schemas")
schema = published / "Enrichment.json"
if not schema.exists():
    sys.exit(f"No Enrichment.json in {published}: set SCHEMAS to a copy of contracts/published/schemas.")
account, field, value, *text = sys.argv[1:]
if text:
    try:
        Draft202012Validator(json.loads(schema.read_text("utf-8"))).validate(json.loads(text[0]))
    except (ValueError, ValidationError) as wrong:
        sys.exit(f"{getattr(wrong, 'json_path', 'not JSON')}: {getattr(wrong, 'message', wrong)}")


def delivered(error: object, _: Message) -> None:
    if error:
        raise KafkaException(error)


producer = Producer(
    {
        "bootstrap.servers": os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092"),
        # As the Java and JavaScript clients do it: whatever program writes a key, its records stand in one partition.
        "partitioner": "murmur2_random",
    }
)
topic = f"{os.environ.get('TOPIC_PREFIX', 'livechat.')}enrichments"
producer.produce(topic, key=f"{account}/{field}:{value}", value=text[0] if text else None, on_delivery=delivered)
producer.flush()
