import * as E from 'fp-ts/lib/Either.js'
import { AgentUnavailable, ClientMessageReceived } from '../../../contracts/events/index.ts'
import { type Command, decide } from '../../simulator/echo-bot.ts'
import type { Seen } from './seen.ts'

const shortType = (type: string) => type.split('.')[1]

/** What the example bot does about a record of the log: the commands that it answers with, none for most. */
export const reactTo = ({ topic, type, id, headers, data }: Seen): ReadonlyArray<Command> => {
  if (topic !== 'bot-conversations') return []
  const { ce_source: source, ce_subject: subject, ce_time: time } = headers
  const event = { type: shortType(type), id, source, subject, time, data }
  const message = ClientMessageReceived.decode(event)
  if (E.isRight(message)) return decide(message.right)
  const unavailable = AgentUnavailable.decode(event)
  return E.isRight(unavailable) ? decide(unavailable.right) : []
}
