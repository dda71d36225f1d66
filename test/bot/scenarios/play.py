"""Plays the scenarios with the kit in Python, in virtual time, and prints what it publishes."""

import asyncio
import json
import logging
import sys
from dataclasses import replace
from datetime import datetime, timedelta

from livechat_bot import Bot, Limits, Turns, hand_over, text
from livechat_bot.testing import BEGAN_AT, ClockSet, client_writes, conversation_event, pause, said_by


def reply_of(said, words="", history=""):
    if "text" in said:
        return text(said["text"].replace("{words}", words, 1).replace("{history}", history, 1))
    note = said["handOver"]
    return hand_over(**{{"crmLink": "crm_link"}.get(name, name): value for name, value in note.items()})


def bot_of(described):
    """The bot that a scenario describes."""
    bot = Bot()
    calls = 0

    async def answer(words, chat, say=None):
        nonlocal calls
        calls += 1
        rule = next((each for each in described["rules"] if each.get("when", "") in words), {})
        if say is not None and "say" in rule:
            await say(text(rule["say"]))
        if "afterMs" in rule:
            await asyncio.sleep(rule["afterMs"] / 1000)
        if rule.get("throws") == "always" or (rule.get("throws") == "once" and calls == 1):
            raise RuntimeError("the model is busy")
        history = " | ".join(f"{each.from_}: {each.text}" for each in await chat.history())
        return [reply_of(each, words, history) for each in rule.get("replies", [])]

    if "turns" in described:
        bot.on_turn(lambda turn: answer(" ".join(each.text for each in turn.messages), turn, turn.say))
    else:
        bot.on_message(lambda event, chat: answer(event.text, chat))
    if "onAgentUnavailable" in described:
        bot.on_agent_unavailable(lambda event, chat: [reply_of(each) for each in described["onAgentUnavailable"]])
    if "onFailure" in described:
        bot.on_failure(lambda failure, event: [reply_of(each) for each in described["onFailure"]])
    return bot


def time_at(ms):
    began_at = datetime.fromisoformat(BEGAN_AT.replace("Z", "+00:00"))
    return (began_at + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def step_of(step):
    if "pauseMs" in step:
        return pause(step["pauseMs"])
    if "clockSetByMs" in step:
        return ClockSet(step["clockSetByMs"])
    if "writes" in step:
        event = client_writes(step["writes"], chat=step["chat"], id=step["id"])
        return replace(event, time=time_at(step["atMs"])) if "atMs" in step else event
    return conversation_event(step["event"], chat=step["chat"], id=step["id"])


def play(scenario):
    bot = scenario["bot"]
    turns = bot.get("turns", {})
    all_said = said_by(
        bot_of(bot),
        *map(step_of, scenario["steps"]),
        limits=Limits(
            reply_within_ms=bot.get("replyWithin", Limits.reply_within_ms), at_once=bot.get("atOnce", Limits.at_once)
        ),
        turns=Turns(turns["quietMs"], turns["atMostMs"]) if turns else Turns(),
        may_fail=True,
    )
    commands, notes = {}, {}
    for said in all_said:
        commands.setdefault(said.chat, []).append(said.command)
        if said.note is not None:
            notes[said.chat] = said.note
    return {"name": scenario["name"], "commands": commands, "order": list(commands), "notes": notes}


logging.disable(logging.NOTSET)
logging.getLogger("livechat_bot").propagate = False
with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([play(scenario) for scenario in json.load(file)]))
