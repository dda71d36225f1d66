"""The defences that a bot in Python lacks as a negative control: the same as in bot.ts, in the kit in Python."""

from livechat_bot import Turns, kafka


def one_batch_at_a_time(options):
    class OneBatchAtATime(kafka.RunningBot):
        def __init__(self, settings, prefix, consumer, producer):
            getmany = consumer.getmany

            async def once_idle(**given):
                for part in self._parts.values():
                    for chat in list(part.chats.values()):
                        await chat.idle()
                return await getmany(**given)

            consumer.getmany = once_idle
            super().__init__(settings, prefix, consumer, producer)

    kafka.RunningBot = OneBatchAtATime
    return options


def without_turns(options):
    return {**options, "turns": Turns(quiet_ms=0, at_most_ms=0)}


def noticed_late(options):
    kafka.SESSION_TIMEOUT_MS = 12_000
    return options


WEAKENED = {
    "chats of a bot side by side": one_batch_at_a_time,
    "turns of a bot": without_turns,
    "a dead bot is noticed before its clients are handed over": noticed_late,
}
