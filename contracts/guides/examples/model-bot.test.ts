/** Tests the bot in memory: `node --test model-bot.test.ts`. No model, no servers, and no waiting. */
import { test } from 'node:test'
import { clientWrites, given, pause } from 'livechat-bridge-contracts/bot/harness'
import { modelBot } from './model-bot.ts'

test('what a client writes in one go gets one answer', () =>
  given(modelBot)
    .virtualTime()
    .when(clientWrites('Where is'), pause(900), clientWrites('my parcel?'))
    .saysSomethingLike(/Where is\nmy parcel/))

test('a client who wants a person is handed over', () =>
  given(modelBot).when(clientWrites('I want a person')).handsOver())
