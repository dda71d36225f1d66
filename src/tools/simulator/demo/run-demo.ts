import { randomInt } from 'node:crypto'
import type { IncomingRecord } from '../../../bridge/domain/log/record.ts'
import type { ReadView } from '../../../bridge/views/index.ts'
import { bridgeOf } from '../account.ts'
import { oddly } from '../odd-forms.ts'
import type { Service } from '../service.ts'
import { reactTo } from './bot.ts'
import { playFigures } from './figures.ts'
import { createEventLog } from './log.ts'
import { playOddForms } from './odd.ts'
import { playOutcomes } from './outcomes.ts'
import { type Paint, paintFor } from './paint.ts'
import { playAgentJoins, playAgentUnavailable, playAnsweredByBot } from './sequences.ts'
import { playSilence } from './silence.ts'
import { createStage } from './stage.ts'
import type { DemoAccount, Story } from './story.ts'
import { playWebhooks } from './webhooks.ts'

export type DemoDeps = Pick<Story, 'produceReply' | 'produceNote'> & {
  /** The bridge's URL, without a slash at its end. */
  readonly bridgeUrl: string
  readonly account: DemoAccount
  /** Reads every topic from its present end. Resolves once it misses no later record, with a function that stops it. */
  readonly consumeAll: (onRecord: (record: IncomingRecord) => void) => Promise<() => Promise<void>>
  readonly findView: ReadView
  readonly out: (line: string) => void
  /** The chat service to which the account's replies go. The demo connects it to the bridge. */
  readonly service: Service
  readonly paint?: Paint
  readonly now?: () => number
  readonly withinMs?: number
  readonly budgetMs?: number
}

/**
 * Plays both interfaces against a running bridge as a story, line by line. Resolves with the number of steps and of
 * failed steps. Rejects only if the log cannot be read at all.
 */
export const runDemo = async (deps: DemoDeps): Promise<{ readonly steps: number; readonly failed: number }> => {
  const { bridgeUrl, account, consumeAll, produceReply, produceNote, findView, out, service } = deps
  const { paint = paintFor(process.stdout), now = Date.now, withinMs = 8000, budgetMs = 50_000 } = deps
  service.connect(account.id, bridgeOf(bridgeUrl, account))
  const log = createEventLog()
  const stage = createStage({ log, findView, out, paint, now, withinMs, budgetMs })

  let lastChatId = randomInt(10 ** 8, 10 ** 9) * 100
  const chatIds = new Set<string>()
  const newChatId = () => {
    lastChatId += 1
    chatIds.add(String(lastChatId)).add(oddly(String(lastChatId)))
    return lastChatId
  }

  const stopConsuming = await consumeAll((record) => {
    const seen = log.add(record)
    if (seen === undefined || !chatIds.has(String(seen.data.chatId))) return
    reactTo(seen)
      .then(async ({ commands, note }) => {
        if (note !== undefined) await produceNote(note)
        await Promise.all(commands.map(produceReply))
      })
      .catch((error: unknown) => stage.mishap(`could not publish its reply: ${error}`))
  })
  const story: Story = { stage, service, account, bridgeUrl, newChatId, log, produceReply, produceNote }
  try {
    stage.intro(
      `The bridge is at ${bridgeUrl}. A simulated chat service at ${service.baseUrl} plays account ${account.id}, an example bot answers.`,
    )
    const closedChat = await playWebhooks(story)
    await playAnsweredByBot(story)
    await playAgentJoins(story)
    await playAgentUnavailable(story)
    await playSilence(story)
    await playOutcomes(story, closedChat)
    await playFigures(story)
    await playOddForms(story)
  } finally {
    await stopConsuming()
  }
  return stage.close()
}
