import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'uvu'
import * as assert from 'uvu/assert'
import { startBot } from '../../../../src/bot/index.ts'
import { runCommand } from '../../../support/command.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { readTopics } from '../../../support/plain-consumer.ts'
import { silent } from '../../../support/silent-log.ts'
import { world } from '../../../support/world.ts'
import { bot } from '../bots/day.ts'
import { expected, type Rule } from './expected.ts'
import { canary, playDay } from './play.ts'

type Line = { readonly chatId: string; readonly turn: number; readonly verdict: string }
const isDivergence = ({ verdict }: Line) =>
  ['act', 'words', 'silent', 'answered', 'slow', 'threw', 'refused'].includes(verdict)

const hours: Rule = ({ text, buttonId }) => (buttonId === 'hours' || text === 'hours' ? 'act' : undefined)
const broken: Rule = ({ text, buttonId }) => {
  if (buttonId === 'hours') return 'refused'
  if (text === 'hours') return 'threw'
  return text === 'agent' ? 'slow' : undefined
}

/** A day of so many conversations that a real bridge and bot have had, and what-if on it. */
export const realDay = async (chats: number) => {
  const here = await world({ bot: { replyWithin: 30_000 } })
  const folder = temporaryFolder()
  const from = new Date(Date.now() - 60_000).toISOString()
  await here.start()
  const day = await startBot(bot, {
    brokers: here.brokers,
    topicPrefix: here.prefix,
    group: `${here.prefix}day`,
    log: silent,
  })
  await playDay(here, chats, 7)
  await day.stop()
  const to = new Date(Date.now() + 60_000).toISOString()
  const { records } = await readTopics(here.brokers, here.prefix, ['bot-conversations'])

  let runs = 0
  const whatIf = async (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) => {
    const out = join(folder, `report-${++runs}`)
    const all = ['what-if', '--account', 'acme', '--from', from, '--to', to, '--out', out, '--json', ...args]
    const { code, err, out: json } = await runCommand(all, { ...here.env, ...env }, folder)
    assert.not.equal(code, 2, err)
    const lines = readFileSync(join(out, 'report.jsonl'), 'utf8')
    for (const name of ['report.jsonl', 'junit.xml', 'report.html'])
      assert.not(readFileSync(join(out, name), 'utf8').includes(canary), name)
    return { code, lines, summary: JSON.parse(json) }
  }
  const found = (text: string) => {
    const lines: ReadonlyArray<Line> = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const compared = [...new Set(lines.map(({ chatId }) => chatId))]
    const diverging = lines.filter(isDivergence)
    assert.is(new Set(diverging.map(({ chatId }) => chatId)).size, diverging.length)
    return {
      compared: compared.sort((a, b) => Number(a) - Number(b)),
      diverging: Object.fromEntries(
        diverging
          .map(({ chatId, turn, verdict }) => [chatId, `${turn} ${verdict}`] as const)
          .sort(([a], [b]) => Number(a) - Number(b)),
      ),
    }
  }
  const botPath = (name: string) => fileURLToPath(new URL(`../bots/${name}`, import.meta.url))
  /** The account with another time in which the bot must answer. */
  const replyingWithin = (ms: number): NodeJS.ProcessEnv => {
    const accounts = JSON.parse(readFileSync(here.env.BRIDGE_CONFIG, 'utf8'))
    for (const { bot: settings } of accounts.accounts) settings.replyWithin = ms
    const path = join(folder, `accounts-${ms}.json`)
    writeFileSync(path, JSON.stringify(accounts))
    return { BRIDGE_CONFIG: path }
  }
  return { here, whatIf, found, botPath, replyingWithin, expected: (rule: Rule) => expected(records, rule), records }
}
export type RealDay = Awaited<ReturnType<typeof realDay>>

/** What must be found in a day, whatever its size. */
export const addDayTests = (test: Test, { whatIf, found, botPath, replyingWithin, expected, records }: RealDay) => {
  test('the day has conversations of every kind', () => {
    const types = new Set(records.map(({ headers }) => `${headers.ce_type}`.split('.')[1]))
    for (const type of ['AgentJoined', 'AgentUnavailable', 'BotReplyFailed', 'BotReplySuppressed', 'ChatErased'])
      assert.ok(types.has(type), type)
    assert.ok(records.some(({ headers }) => headers.ce_receivedtime !== undefined))
  })

  test('the same bot diverges nowhere, also in its words', async () => {
    const { code, lines, summary } = await whatIf(['--bot', botPath('day.ts'), '--words', 'exact'])
    assert.equal(found(lines), { ...expected(() => undefined), diverging: {} })
    assert.is(code, 0)
    for (const why of ['erased', 'late-events', 'agent-first']) assert.ok(summary.chats.skipped[why] > 0, why)
    assert.ok(summary.turns['not-comparable'] > 0)
  })

  test('a changed rule is found in every chat where it applies first, in that turn, and nowhere else', async () => {
    const { code, lines } = await whatIf(['--bot', botPath('day-changed.ts')])
    assert.equal(found(lines), expected(hours))
    assert.is(code, 1)
  })

  test('a bot that throws, sleeps and shows four buttons fails in each of these chats in its way', async () => {
    const { code, lines } = await whatIf(['--bot', botPath('day-broken.ts')], replyingWithin(1_000))
    assert.equal(found(lines), expected(broken))
    assert.is(code, 1)
  })
}
