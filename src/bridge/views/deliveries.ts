import type { BotReplyDelivered, BotReplyFailed, BotReplySuppressed } from '../../../contracts/events/index.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { deliveries as contract, type DeliveryDocument } from '../../../contracts/views/delivery.ts'
import { deliveryId } from '../domain/delivery.ts'
import { advance, applyGuarded, type Guard } from './applied.ts'
import { unlessDuplicate } from './conversations.ts'
import type { Recorded } from './document.ts'
import { byMarks } from './erase.ts'
import { present } from './fields.ts'
import { by, where } from './indexes.ts'
import { each, folded, type RecordedReply, type Timeless, type TimelessEvent } from './view.ts'

export type Outcome = BotReplyDelivered | BotReplyFailed | BotReplySuppressed

/**
 * A command makes a document only if there is none: an outcome, or an earlier record of the same id, stays. The
 * document does not have the command's message. The marker of an erasure is in another topic, so nobody could decide
 * whether the marker comes before or after the command.
 */
export const evolvePending = (current: DeliveryDocument | undefined, recorded: RecordedReply): DeliveryDocument => {
  const { reply, requestedAt } = recorded
  const applied = advance(current?.applied, recorded)
  if (current !== undefined) return applied === undefined ? current : { ...current, applied }
  const { id: commandId, type: commandType, accountId, chatId, clientId, inReplyTo, group } = reply
  return {
    _id: deliveryId({ accountId, chatId, commandId, commandType }),
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
    ...(group && { group }),
  }
}

const reported = ({ time, data }: Dated<Outcome>, guard: Guard) => ({
  ...guard,
  _id: deliveryId(data),
  ...present(data, 'accountId', 'commandId', 'commandType', 'chatId', 'clientId', 'attempts', 'requestedAt'),
  ...present(data, 'inReplyTo', 'message', 'renderedAs', 'because', 'expectsMore', 'handOverReason', 'group'),
  finishedAt: time,
})

const fold = (event: Dated<Outcome>, guard: Guard): DeliveryDocument => {
  switch (event.type) {
    case 'BotReplyDelivered':
      return { ...reported(event, guard), state: 'delivered' }
    case 'BotReplyFailed':
      return { ...reported(event, guard), state: 'failed', ...present(event.data, 'reason', 'detail') }
    case 'BotReplySuppressed':
      return { ...reported(event, guard), state: 'suppressed', ...present(event.data, 'reason') }
  }
}

/**
 * An outcome has all data of its command, so it does not matter which of them is processed first. Delivered is final.
 * Guarded as contracts/views/applied.ts describes.
 */
export const evolveOutcome = (current: DeliveryDocument | undefined, recorded: Recorded<Outcome>): DeliveryDocument =>
  applyGuarded(current, recorded, (guard) =>
    current?.state === 'delivered' ? { ...current, ...guard } : fold(recorded.event, guard),
  )

const outcome = {
  at: unlessDuplicate<TimelessEvent<Dated<Outcome>>>(({ data }) => deliveryId(data)),
  next: (current: DeliveryDocument | undefined, recorded: Recorded<Outcome>) => [evolveOutcome(current, recorded)],
}
const command = {
  at: ({ reply: { accountId, chatId, id: commandId, type: commandType } }: Timeless<RecordedReply>) =>
    deliveryId({ accountId, chatId, commandId, commandType }),
  next: (current: DeliveryDocument | undefined, recorded: RecordedReply) => [evolvePending(current, recorded)],
}

export const deliveries = folded(contract, {
  folds: {
    ...each(['BotReplyDelivered', 'BotReplyFailed', 'BotReplySuppressed'], outcome),
    ...each(['BotMessage', 'InviteAgent'], command),
  },
  erasure: byMarks(),
  indexes: [
    by('requestedAt'),
    by('state', 'requestedAt'),
    by('chatId', 'requestedAt'),
    where('finishedAt', 'state'),
    // Few replies fail. This index has them in the order in which they were given up.
    { ...by('finishedAt'), partialFilterExpression: { state: 'failed' } },
  ],
  person: { documents: [{ field: 'chatId' }] },
})
