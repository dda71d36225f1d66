import type { Attempt, Because } from '../../../contracts/events/index.ts'
import { factOf } from '../../domain/conversation-facts.ts'
import { keyedQueue } from '../../shared/keyed-queue.ts'
import type { ConversationNow } from '../conversation/conversation-now.ts'
import type { Tail } from '../conversation/tail.ts'
import type { EgressPorts } from '../ports.ts'
import type { AccountGate } from './account-gate.ts'
import type { Announcer } from './announce.ts'
import type { TryOnce } from './attempt.ts'
import type { Addressed, BotOwner } from './check-command.ts'
import { deliver, type Reply } from './deliver.ts'
import { type Outcome, outcomeEvents, type ToldEvent } from './outcome.ts'

/** A command that is to be sent; `because` where the bridge itself made it. */
export type Order = Pick<
  Reply,
  'command' | 'account' | 'requestedAt' | 'takenAt' | 'work' | 'isLastResort' | 'decide'
> & {
  readonly partition: number
  readonly because?: Because
}
/** Sends a command and tells its outcome, unless a command of its id was finished before. */
export type SendCommand = (order: Order) => Promise<'done' | 'finished before' | 'left to the next owner'>

type Parts = {
  readonly ports: Pick<EgressPorts, 'monotonic' | 'random' | 'sleep' | 'now' | 'measure' | 'log'>
  readonly tail: Tail
  readonly announce: Announcer['announce']
  readonly barrier: (partition: number) => Promise<void>
  readonly nowOf: (partition: number, command: Addressed) => () => Promise<ConversationNow>
  readonly gateOf: (account: BotOwner) => AccountGate
  readonly tryOnce: TryOnce
}

export const commandSender = ({ ports, tail, announce, barrier, nowOf, gateOf, tryOnce }: Parts): SendCommand => {
  const { run: inTurn } = keyedQueue()

  const concluded = (order: Order, outcome: Outcome, attempts: ReadonlyArray<Attempt>): ReadonlyArray<ToldEvent> => {
    const { command, account, partition, requestedAt, because } = order
    // what was never sent and is needed no more is nobody's news where nobody asked for it
    if (because !== undefined && outcome.kind === 'suppressed' && attempts.length === 0) return []
    const events = outcomeEvents({ command, outcome, attempts, requestedAt, time: ports.now(), because })
    for (const fact of events.map(factOf))
      if (fact !== undefined) tail.remember(partition, `${command.accountId}/${command.chatId}`, fact)
    ports.measure.delivery(account.id, outcome.kind, because)
    const fields = { accountId: account.id, commandId: command.id, because, attempts: attempts.length, ...outcome }
    const level = outcome.kind === 'delivered' && because === undefined ? 'debug' : 'info'
    ports.log[level](fields, 'egress: a command is finished')
    return events
  }

  return async (order) => {
    const { command, account, partition, work } = order
    const now = nowOf(partition, command)
    // The views are read meanwhile: what the tail learns until it has caught up is added when it is asked again.
    await Promise.all([barrier(partition), now()])
    const delivery = await deliver(ports, {
      ...order,
      ...{ tryOnce, inTurn, now, gate: gateOf(account) },
      // what a former owner learns too late is the new owner's to find out, except that the service has the reply
      conclude: (outcome, attempts) =>
        outcome.kind !== 'delivered' && !work.isOwned() ? undefined : concluded(order, outcome, attempts),
    })
    if (delivery.kind !== 'concluded')
      return delivery.kind === 'finished before' ? delivery.kind : 'left to the next owner'
    // at the same time, so that they go into the log together
    const told = await Promise.all(delivery.events.map(announce))
    return told.every((isDurable) => isDurable) ? 'done' : 'left to the next owner'
  }
}
