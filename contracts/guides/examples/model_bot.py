"""A bot whose model takes seconds: turns, "one moment", the history, and a hand-over with a note."""

import asyncio
import os
import random
import re

from livechat_bot import Bot, Chat, Event, HistorySource, Reply, Turn, hand_over, run_bot, text, to_messages

PATIENCE_S = 2
# A model that is not one: seeded, so a run can be repeated. It takes one to nine seconds.
dice = random.Random(7)


async def model(messages: list[dict[str, str]]) -> str:
    await asyncio.sleep(dice.uniform(1, 9))
    return f'About "{messages[-1]["content"]}" I know this much.'


bot = Bot()


@bot.on_turn
async def answer(turn: Turn) -> Reply | list[Reply]:
    if re.search(r"\b(agent|person)\b", turn.text, re.IGNORECASE):
        return [text("I get somebody."), hand_over(reason="The client asks for a person.", summary=turn.text)]
    # When the client writes more, the kit cancels this function, and with it the model's request.
    thinking = asyncio.ensure_future(model(to_messages(await turn.history())))
    try:
        if not (await asyncio.wait({thinking}, timeout=PATIENCE_S))[0]:
            await turn.say(text("One moment, please."))
        return text(await thinking)
    finally:
        thinking.cancel()


@bot.on_agent_unavailable
def apologise(_: Event, __: Chat) -> Reply:
    return text("Nobody is free now. Leave us your phone number, and we will call you back.")


if __name__ == "__main__":
    token = {os.environ.get("ACCOUNT", "demo"): os.environ.get("HISTORY_TOKEN", "")}
    run_bot(
        bot,
        brokers=os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092").split(","),
        topic_prefix=os.environ.get("TOPIC_PREFIX", "livechat."),
        group=os.environ.get("GROUP", "model-bot"),
        history=HistorySource(os.environ.get("BRIDGE_URL", "http://127.0.0.1:8080"), token),
    )
