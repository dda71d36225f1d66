import { randomInt } from 'node:crypto'
import { ceType } from '../../../../contracts/topics.ts'
import { bridgeOf } from '../account.ts'
import type { Service } from '../service.ts'
import type { EventLog } from './log.ts'
import type { DemoAccount } from './story.ts'

type Deps = {
  readonly bridgeUrl: string
  readonly account: DemoAccount
  readonly service: Service
  readonly out: (line: string) => void
  readonly sleep: (ms: number) => Promise<void>
  readonly now: () => number
  /** True if the newest reply that was delivered to the chat says that its answer follows. */
  readonly isMoreExpected: (chatId: string) => boolean
}

/** In ms: how long the client waits for the first reply, and for more after each reply. */
const firstWithinMs = 30_000
const moreWithinMs = 4_000

/** True if the newest reply that was delivered to the chat says that its answer follows. */
export const isMoreToCome = (log: Pick<EventLog, 'filter'>, chatId: string): boolean =>
  log.filter(({ type, data }) => type === ceType('BotReplyDelivered') && data.chatId === chatId).at(-1)?.data
    .expectsMore === true

/** A client of a new chat writes, and reads what the bot answers. False if nobody answers. */
export const sayToBot = async (
  words: ReadonlyArray<string>,
  { bridgeUrl, account, service, out, sleep, now, isMoreExpected }: Deps,
): Promise<boolean> => {
  service.connect(account.id, bridgeOf(bridgeUrl, account))
  const chatId = String(randomInt(10 ** 8, 10 ** 9))
  for (const text of words) {
    out(`client: ${text}`)
    const { regular } = await service.clientWrites(chatId, text)
    if (!regular) {
      out(`The bridge at ${bridgeUrl} did not take the message.`)
      return false
    }
  }
  let read = 0
  let until = now() + firstWithinMs
  // The bridge gives the answer `replyWithin` once more, and then invites an agent.
  const answerWithinMs = () => (isMoreExpected(chatId) ? account.bot.replyWithin : 0)
  for (;;) {
    const { delivered = [], invitations = [] } = service.chat(chatId) ?? {}
    for (const { message } of delivered.slice(read)) out(`bot:    ${message.text}`)
    if (delivered.length > read) until = now() + moreWithinMs
    read = delivered.length
    if (invitations.length > 0) {
      out('bot:    (calls an agent)')
      return true
    }
    // After the look at the replies: the event of the answer may have come together with the answer.
    if (now() >= until + answerWithinMs()) break
    await sleep(100)
  }
  if (read === 0) out('Nobody answered. Does the bot run, with the same brokers and TOPIC_PREFIX?')
  return read > 0
}
