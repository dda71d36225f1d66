"""What the kit in Python says of replies and events that are given on stdin: whether it finds mistakes in the replies,
the events without personal data, and which types of events it knows."""

import json
import sys

from livechat_bot import Event, HandOver, Message, mistakes_in, without_personal_data
from livechat_bot.events import TYPES
from livechat_bot.mistakes import rendered_as
from livechat_bot.testing import client_writes

given = json.load(sys.stdin)


def reply_of(reply):
    if not isinstance(reply, dict):
        return reply
    if reply["kind"] == "message":
        return Message(reply["message"])
    return HandOver(
        **{{"crmLink": "crm_link"}.get(name, name): value for name, value in reply.items() if name != "kind"}
    )


def open_data(event):
    read = Event(event["type"], event["id"], event["source"], event["subject"], event["time"], event["data"])
    return without_personal_data(read).data


event = client_writes("Hello")
print(
    json.dumps(
        {
            "mistakes": [mistakes_in(event, [reply_of(each) for each in replies], "refuse") for replies in given["replies"]],
            "kinds": [
                rendered_as(each["message"])
                for replies in given["replies"]
                for each in replies
                if isinstance(each, dict) and each["kind"] == "message" and isinstance(each["message"], dict)
                if each["message"]["type"] == "MARKDOWN"
            ],
            "open": [open_data(each) for each in given["events"]],
            "types": sorted(TYPES),
        }
    )
)
