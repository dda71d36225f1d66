import * as E from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import { ConversationEvent } from '../../../contracts/events/index.ts'
import { commandsOf } from '../../bot/commands.ts'
import { askingFor } from '../../bot/handlers.ts'
import { echoBot } from './echo-bot.ts'
import type { LoggedEvent } from './log.ts'

/** The commands with which the example bot reacts to a record of the log: none for most records. */
export const reactTo = async ({ topic, type, id, headers, data }: LoggedEvent): Promise<ReadonlyArray<BotReply>> => {
  if (topic !== 'bot-conversations') return []
  const { ce_source: source, ce_subject: subject, ce_time: time } = headers
  const event = ConversationEvent.decode({ type: type.split('.')[1], id, source, subject, time, data })
  return E.isRight(event)
    ? commandsOf(event.right, (await askingFor(echoBot, event.right, { history: async () => [] })?.()) ?? [], 'demo')
    : []
}
