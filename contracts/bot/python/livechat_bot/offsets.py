"""Which events of a partition are finished, and how many are not. Pure: no clock and no broker."""

from __future__ import annotations

COUNTED_AT_MOST = 1_000
OF_EACH_CHAT = 20
HELD_AT_MOST = 10_000


class PartitionWork:
    """The events that were read of a partition, in rising order, and finish in any order.

    Only the first ones of a chat count as too many: a slow chat with many waiting events does not block the other chats
    of its partition. A second limit bounds the memory.
    """

    def __init__(self) -> None:
        self._unfinished: dict[int, str] = {}
        self._of_chat: dict[str, int] = {}
        self._counted = 0
        self._newest = -1

    def take(self, offset: int, chat: str) -> bool:
        """False for an offset that was taken before."""
        if offset <= self._newest:
            return False
        self._newest = offset
        self._unfinished[offset] = chat
        before = self._of_chat.get(chat, 0)
        self._of_chat[chat] = before + 1
        self._counted += before < OF_EACH_CHAT
        return True

    def finish(self, offset: int) -> None:
        chat = self._unfinished.pop(offset, None)
        if chat is None:
            return
        left = self._of_chat.pop(chat) - 1
        if left > 0:
            self._of_chat[chat] = left
        self._counted -= left < OF_EACH_CHAT

    def next_offset(self) -> int | None:
        """The first offset that is not finished: what a group commits. None if nothing was taken."""
        if self._newest < 0:
            return None
        return next(iter(self._unfinished), self._newest + 1)

    def is_too_much(self) -> bool:
        return self._counted > COUNTED_AT_MOST or len(self._unfinished) > HELD_AT_MOST

    def is_modest(self) -> bool:
        """True at less than half of the limits."""
        return self._counted < COUNTED_AT_MOST / 2 and len(self._unfinished) < HELD_AT_MOST / 2
