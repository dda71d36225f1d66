"""What a bot can say: a message, or the hand-over of the client to an agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Union


@dataclass(frozen=True)
class Message:
    """A message for the client, as a BotMessage has it."""

    message: Mapping[str, Any]


@dataclass(frozen=True)
class HandOver:
    """The client is handed over to an agent. All fields but `reason` are the note that the agent sees."""

    reason: str | None = None
    summary: str | None = None
    fields: Mapping[str, str] | None = None
    crm_link: str | None = None


Reply = Union[Message, HandOver]


def text(words: str) -> Reply:
    """Plain text."""
    return Message({"type": "TEXT", "text": words})


def markdown(content: str) -> Reply:
    """Markdown with links, bold and italic (the protocol's first version). Of other Markdown, clients see the plain text,
    unless the account has `bot.markdown: refuse`."""
    return Message({"type": "MARKDOWN", "content": content})


def buttons(title: str, answers: Iterable[tuple[str, str]], *, force_reply: bool | None = None) -> Reply:
    """One to three buttons under a title, each an id and a text. A click arrives as a client's message, often as plain
    text. With `force_reply` the client must choose a button."""
    listed = [{"id": id, "text": words} for id, words in answers]
    forced = {} if force_reply is None else {"forceReply": force_reply}
    return Message({"type": "BUTTONS", "title": title, "buttons": listed, **forced})


def hand_over(
    *,
    reason: str | None = None,
    summary: str | None = None,
    fields: Mapping[str, str] | None = None,
    crm_link: str | None = None,
) -> Reply:
    """Asks the service to invite an agent. `reason` says why, for people: operators read it in `deliveries`. The agent
    sees `summary`, `fields` and `crm_link` when accepting the chat."""
    return HandOver(reason, summary, fields, crm_link)


def enrichment_in(replies: Iterable[Reply]) -> dict[str, Any] | None:
    """The note of the first hand-over, as the enrichment of its chat. None if there is none."""
    handed = next((reply for reply in replies if isinstance(reply, HandOver)), None)
    if handed is None or (handed.summary, handed.fields, handed.crm_link) == (None, None, None):
        return None
    summary = [] if handed.summary is None else [{"title": "Summary", "content": handed.summary}]
    fields = [{"title": title, "content": content} for title, content in (handed.fields or {}).items()]
    link = {} if handed.crm_link is None else {"crmLink": handed.crm_link}
    return {"customData": [*summary, *fields], **link}
