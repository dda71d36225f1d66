"""Why the bridge would refuse or suppress a reply. The reasons never quote a reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .events import ENDS, Event
from .replies import HandOver, Message, Reply

MAX_CHARACTERS = 65_536
MAX_MARKDOWN = 4_096
MAX_NOTE_CHARACTERS = 4_096
MAX_NOTE_FIELDS = 20
MAX_BUTTONS = 3
_ID = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,255}")
_FOOTNOTE = re.compile(r"^ {0,3}\[\^[^\]\s]+\]:", re.MULTILINE)
# One tilde on each side is strikethrough too.
_STRUCK = re.compile(r"(?<!~)~(?![\s~])[^~]*(?<![\s~])~(?!~)")
_SHOWN_LINK = re.compile("(https?|mailto|tel):", re.IGNORECASE)
_SUPPORTED = ("paragraph", "text", "inline", "softbreak", "hardbreak", "strong", "em", "link")

# The field with the words of each type of message, and its other fields. A message of an event can be sent unchanged.
_FIELDS: Mapping[str, tuple[str, frozenset[str]]] = {
    "TEXT": ("text", frozenset({"type", "text", "timestamp", "buttonId"})),
    "MARKDOWN": ("content", frozenset({"type", "text", "timestamp", "buttonId", "content"})),
    "BUTTONS": (
        "title",
        frozenset({"type", "text", "timestamp", "buttonId", "title", "buttons", "forceReply", "force_reply"}),
    ),
}


def can_be_answered(event: Event) -> bool:
    """True if the bridge may send a reply to events of this type."""
    return event.client_id is not None and event.type not in ENDS


def _length(words: str) -> int:
    """As the bridge counts characters: UTF-16 units."""
    return len(words.encode("utf-16-le", "surrogatepass")) // 2


def _in_words(path: str, words: object, at_most: int = MAX_CHARACTERS) -> Iterator[str]:
    if not isinstance(words, str):
        yield f"{path}: expected text"
    elif not words.strip("\ufeff").strip():
        yield f"{path}: expected words, found none"
    elif _length(words) > at_most:
        yield f"{path}: expected at most {at_most} characters"


def _unknown(known: Iterable[str], value: Mapping[str, Any], what: str, path: str = "") -> Iterator[str]:
    for key in value:
        if key not in known:
            yield f"{path}{str(key)[:64]}: expected no such key in {what}"


def _unsupported(content: str) -> tuple[list[str], bool]:
    """What the service cannot show of Markdown, and whether it has links that clients are not given."""
    if _length(content) > MAX_MARKDOWN:
        return [f"more than {MAX_MARKDOWN} characters"], False
    # Imported here: bots without Markdown do not wait for it.
    from markdown_it import MarkdownIt

    env: dict[str, Any] = {}
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    tokens = parser.parse(content, env)
    nodes = [inner for token in tokens for inner in [token, *(token.children or [])]]
    kinds = dict.fromkeys(re.sub("_(open|close)$", "", node.type) for node in nodes)
    other = [kind for kind in kinds if kind not in _SUPPORTED]
    if any(node.type == "text" and _STRUCK.search(node.content) for node in nodes):
        other.append("strikethrough")
    if env.get("references"):
        other.append("link reference definition")
    if _FOOTNOTE.search(content):
        other.append("footnote")
    links = [str(node.attrs.get("href", "")) for node in nodes if node.type == "link_open"]
    return other, any(not _SHOWN_LINK.match(link) for link in links)


def rendered_as(message: Mapping[str, Any]) -> str | None:
    """The type of message that the service gets if it could not show this one as it is written."""
    if message.get("type") != "MARKDOWN" or not isinstance(message.get("content"), str):
        return None
    other, has_other_links = _unsupported(message["content"])
    return "TEXT" if other else "MARKDOWN" if has_other_links else None


def _in_markdown(content: str) -> Iterator[str]:
    other, _ = _unsupported(content)
    if other:
        yield f"message.content: expected links, bold and italic only, found {', '.join(other)}"


def _in_buttons(message: Mapping[str, Any]) -> Iterator[str]:
    for name in ("forceReply", "force_reply"):
        if not (message.get(name) is None or isinstance(message[name], bool)):
            yield f"message.{name}: expected true or false"
    listed = message.get("buttons")
    if not isinstance(listed, Sequence) or isinstance(listed, str) or not 1 <= len(listed) <= MAX_BUTTONS:
        yield f"message.buttons: expected 1 to {MAX_BUTTONS} buttons"
        return
    for place, button in enumerate(listed):
        path = f"message.buttons.{place}"
        if not isinstance(button, Mapping):
            yield f"{path}: expected an id and a text"
            continue
        id = button.get("id")
        if not (type(id) is int or (isinstance(id, str) and id.strip() and _ID.fullmatch(id))):
            yield f"{path}.id: expected 1 to 255 characters, without control characters"
        yield from _in_words(f"{path}.text", button.get("text"))
        yield from _unknown(("id", "text"), button, "a button", f"{path}.")


def _in_message(message: object, rule: str) -> Iterator[str]:
    kind = message.get("type") if isinstance(message, Mapping) else None
    if not isinstance(message, Mapping) or not isinstance(kind, str) or kind not in _FIELDS:
        yield f"message.type: expected {', '.join(_FIELDS)}"
        return
    try:
        json.dumps(dict(message), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        yield "message: expected what JSON can have"
        return
    words, known = _FIELDS[kind]
    yield from _unknown(known, message, kind, "message.")
    wrong = list(_in_words(f"message.{words}", message.get(words)))
    yield from wrong
    plain = message.get("text", "") or ""
    if words != "text" and not (isinstance(plain, str) and _length(plain) <= MAX_CHARACTERS):
        yield f"message.text: expected text of at most {MAX_CHARACTERS} characters"
    if words == "content" and not wrong and rule == "refuse":
        yield from _in_markdown(message["content"])
    if words == "title":
        yield from _in_buttons(message)


def _in_hand_over(reply: HandOver) -> Iterator[str]:
    if reply.reason is not None:
        yield from _in_words("reason", reply.reason)
    for path, words in (("summary", reply.summary), ("crm_link", reply.crm_link)):
        if words is not None:
            yield from _in_words(path, words, MAX_NOTE_CHARACTERS)
    if reply.fields is None:
        return
    if not isinstance(reply.fields, Mapping):
        yield "fields: expected a mapping of texts"
    elif len(reply.fields) > MAX_NOTE_FIELDS:
        yield f"fields: expected at most {MAX_NOTE_FIELDS}"
    else:
        for place, (title, content) in enumerate(reply.fields.items()):
            yield from _in_words(f"fields.{place}.title", title, MAX_NOTE_CHARACTERS)
            yield from _in_words(f"fields.{place}.content", content, MAX_NOTE_CHARACTERS)


def _in_reply(reply: object, rule: str) -> Iterator[str]:
    if isinstance(reply, Message):
        yield from _in_message(reply.message, rule)
    elif isinstance(reply, HandOver):
        yield from _in_hand_over(reply)
    else:
        yield "expected text(), markdown(), buttons() or hand_over()"


def mistakes_in(event: Event, replies: Sequence[Reply], markdown: str = "plain") -> list[str]:
    """Why the bridge would refuse or suppress replies to an event, or why they cannot be meant. Empty if the bridge
    would send all replies. `markdown` is the account's `bot.markdown`."""
    if not replies:
        return []
    if event.client_id is None:
        return ["an event without a client cannot be answered"]
    if event.type in ENDS:
        return [f"the bridge suppresses replies to {event.type}"]
    found: list[str] = []
    is_handed_over = False
    for place, reply in enumerate(replies, 1):
        late = ["it comes after hand_over(), the bridge suppresses it"] if is_handed_over else []
        found += [f"reply {place}: {mistake}" for mistake in [*late, *_in_reply(reply, markdown)]]
        is_handed_over = is_handed_over or isinstance(reply, HandOver)
    return found


def mistakes_in_announcement(event: Event, reply: Reply, markdown: str = "plain") -> list[str]:
    """The same of a reply that is said before the answer."""
    if isinstance(reply, HandOver):
        return ["expected a message: return hand_over() as the answer"]
    return mistakes_in(event, [reply], markdown)
