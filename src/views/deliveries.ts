import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { BotReplyDelivered, BotReplyFailed, BotReplySuppressed } from '../../contracts/events/index.ts'
import type { Instant } from '../../contracts/primitives.ts'
import type { Dated } from '../../contracts/views/dated.ts'
import type { DeliveryDocument } from '../../contracts/views/delivery.ts'
import { deliveryId } from '../domain/delivery.ts'
import type { Recorded } from '../domain/ports.ts'
import { advance, type Guard, once } from './applied.ts'
import { present } from './fields.ts'

export type Outcome = BotReplyDelivered | BotReplyFailed | BotReplySuppressed

/** A command as it is recorded in bot-replies. */
export type RecordedReply = Omit<Recorded, 'event'> & { readonly reply: BotReply; readonly requestedAt: Instant }

/**
 * A command makes a document only if there is none: an outcome, or an earlier record of the same id, stays. The
 * document does not have the command's message. The marker of an erasure is in another topic, so nobody could decide
 * whether the marker comes before or after the command.
 */
export const evolvePending = (current: DeliveryDocument | undefined, recorded: RecordedReply): DeliveryDocument => {
  const { reply, requestedAt } = recorded
  const applied = advance(current?.applied, recorded)
  if (current !== undefined) return applied === undefined ? current : { ...current, applied }
  const { id: commandId, type: commandType, accountId, chatId, clientId, inReplyTo } = reply
  return {
    _id: deliveryId({ accountId, chatId, commandId }),
    accountId,
    applied: applied ?? {},
    seen: [],
    commandId,
    commandType,
    chatId,
    clientId,
    state: 'pending',
    attempts: [],
    requestedAt: new Date(requestedAt),
    ...(inReplyTo && { inReplyTo }),
  }
}

const told = ({ time, data }: Dated<Outcome>, guard: Guard) => ({
  ...guard,
  _id: deliveryId(data),
  ...present(data, 'accountId', 'commandId', 'commandType', 'chatId', 'clientId', 'attempts', 'requestedAt'),
  ...present(data, 'inReplyTo', 'message', 'because'),
  finishedAt: time,
})

const fold = (event: Dated<Outcome>, guard: Guard): DeliveryDocument => {
  switch (event.type) {
    case 'BotReplyDelivered':
      return { ...told(event, guard), state: 'delivered' }
    case 'BotReplyFailed':
      return { ...told(event, guard), state: 'failed', ...present(event.data, 'reason', 'detail') }
    case 'BotReplySuppressed':
      return { ...told(event, guard), state: 'suppressed', ...present(event.data, 'reason') }
  }
}

/**
 * An outcome has all data of its command, so it does not matter which of them is processed first. Delivered is final.
 * Guarded as contracts/views/applied.ts describes.
 */
export const evolveOutcome = (current: DeliveryDocument | undefined, recorded: Recorded<Outcome>): DeliveryDocument =>
  once(current, recorded, (guard) =>
    current?.state === 'delivered' ? { ...current, ...guard } : fold(recorded.event, guard),
  )
