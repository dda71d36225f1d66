import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
