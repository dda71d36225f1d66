"""The shop's bot, made with the kit. A click comes back with the button's id, or as its text alone, depending on the channel."""

import os

from livechat_bot import Bot, Chat, Event, Reply, buttons, hand_over, markdown, run_bot, text

bot = Bot()


@bot.on_message
def answer(message: Event, _: Chat) -> Reply | list[Reply]:
    match message.button_id or message.text.strip().lower():
        case "hours" | "opening hours":
            return markdown("We are **open** from 9 to 20, [find us](https://shop.example.com/map).")
        case "agent" | "talk to a person":
            return [text("One moment, please."), hand_over()]
        case _:
            return buttons("How can we help?", [("hours", "Opening hours"), ("agent", "Talk to a person")])


@bot.on_agent_unavailable
def apologise(_: Event, __: Chat) -> Reply:
    return text("Nobody is free now. Leave us your phone number, and we will call you back.")


if __name__ == "__main__":
    run_bot(
        bot,
        brokers=os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092").split(","),
        topic_prefix=os.environ.get("TOPIC_PREFIX", "livechat."),
        group=os.environ.get("GROUP", "shop-bot"),
    )
