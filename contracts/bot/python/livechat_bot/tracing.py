"""Spans of OpenTelemetry, if the bot's process has it. They name the chat, and nothing that anybody wrote."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

try:
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError:
    has_api = False
else:
    has_api = True

# Other programs write keys too, so a key of another form may be a person's address.
_CHAT = re.compile(r"[A-Za-z0-9_.-]{1,64}/[A-Za-z0-9_.-]{1,64}")


class Trace:
    """The trace of an event. Each call of a handler is a span below it, and what the call sends continues the span."""

    def __init__(self, traceparent: str | None, chat: str, group: str) -> None:
        self._began = traceparent
        self._chat = chat
        self._group = group
        self.traceparent = traceparent

    @contextmanager
    def call(self) -> Iterator[Callable[[str], None]]:
        """Yields what marks the call as failed. Requests of the call, such as those to a model, are its children."""
        if not has_api:
            yield lambda kind: None
            return
        propagator = TraceContextTextMapPropagator()
        attributes = {"gen_ai.operation.name": "invoke_agent", "messaging.consumer.group.name": self._group}
        if _CHAT.fullmatch(self._chat):
            attributes["gen_ai.conversation.id"] = self._chat
        with trace.get_tracer("livechat-bot").start_as_current_span(
            "invoke_agent",
            context=propagator.extract({"traceparent": self._began} if self._began else {}),
            attributes=attributes,
            # The message of an error may quote the chat.
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            carrier: dict[str, str] = {}
            propagator.inject(carrier)
            self.traceparent = carrier.get("traceparent", self._began)
            yield lambda kind: span.set_status(trace.Status(trace.StatusCode.ERROR, kind))
