"""Bot logic with a model that takes seconds, in its own process. The times are those of model-times.ts."""

import asyncio
import os

from livechat_bot import Bot, Limits, run_bot, text
from weakened.bot import WEAKENED

bot = Bot()


async def model(chat, words):
    await asyncio.sleep(9 if int(chat) % 8 == 0 else 2.5)
    return text(f"You said {words}")


if os.environ.get("BOT_TURNS"):
    bot.on_turn(lambda turn: model(turn.messages[0].chat_id, " ".join(each.text for each in turn.messages)))
else:
    bot.on_message(lambda event, chat: model(event.chat_id, event.text))

options = {
    "brokers": os.environ["KAFKA_BROKERS"].split(","),
    "topic_prefix": os.environ["TOPIC_PREFIX"],
    "group": "bot",
    "limits": Limits(reply_within_ms=float(os.environ["REPLY_WITHIN"])),
}
without = os.environ.get("FAULTS_WITHOUT")

run_bot(bot, **(options if without is None else WEAKENED[without](options)))
