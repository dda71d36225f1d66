"""A bot that answers with what it knows of the chat, as its own process."""

import asyncio
import os

from livechat_bot import Bot, HistorySource, Limits, hand_over, run_bot, text, to_messages

bot = Bot()


@bot.on_message
async def answer(message, chat):
    if message.text == "silence":
        return None
    if message.text == "refund":
        return [text("One moment."), hand_over(summary="Wants a refund", fields={"Order": "7"})]
    if message.text == "slow":
        await asyncio.sleep(2)
    said = to_messages(await chat.history(10))
    return text(" | ".join(f"{each['role']}: {each['content']}" for each in said))


@bot.on_chat_erased
def forget(event):
    pass


run_bot(
    bot,
    brokers=os.environ["KAFKA_BROKERS"].split(","),
    topic_prefix=os.environ["TOPIC_PREFIX"],
    group=os.environ["GROUP"],
    limits=Limits(reply_within_ms=30_000),
    history=HistorySource(os.environ["BRIDGE_URL"], {"acme": os.environ["HISTORY_TOKEN"]}),
)
