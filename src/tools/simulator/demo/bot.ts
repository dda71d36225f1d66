import * as E from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import { type Enrichment, enrichmentKey } from '../../../../contracts/commands/enrichment.ts'
import { ConversationEvent } from '../../../../contracts/events/index.ts'
import { commandsOf } from '../../../bot/commands.ts'
import { askingFor } from '../../../bot/handlers.ts'
import { enrichmentOf, handOverNoteOf } from '../../../bot/note.ts'
import { echoBot, linkOfDemo } from './echo-bot.ts'
import type { LoggedEvent } from './log.ts'

/** What the example bot publishes: commands, and the note of a hand-over with its key. */
export type Reaction = {
  readonly commands: ReadonlyArray<BotReply>
  readonly note?: { readonly key: string; readonly value: Enrichment }
}

const nothing: Reaction = { commands: [] }

/** How the example bot reacts to a record of the log: to most records not at all. */
export const reactTo = async ({ topic, type, id, headers, data }: LoggedEvent): Promise<Reaction> => {
  if (topic !== 'bot-conversations') return nothing
  const { ce_source: source, ce_subject: subject, ce_time: time } = headers
  const event = ConversationEvent.decode({ type: type.split('.')[1], id, source, subject, time, data })
  if (E.isLeft(event)) return nothing
  const replies = (await askingFor(echoBot, event.right, { history: async () => [] })?.()) ?? []
  const note = handOverNoteOf(replies)
  const { accountId, chatId } = event.right.data
  const key = enrichmentKey(accountId, 'chatId', chatId)
  const commands = commandsOf(event.right, replies, 'demo')
  if (note === undefined) return { commands }
  const { customData = [], ...rest } = enrichmentOf(note)
  return { commands, note: { key, value: { ...rest, customData: [...customData, linkOfDemo] } } }
}
