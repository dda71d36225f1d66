import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Account } from '../accounts.ts'
import type { IncomingRecord } from '../ports.ts'
import type { Announcer } from './announce.ts'
import { type Checked, checkCommand } from './check-command.ts'
import type { ConversationNow } from './conversation/conversation-now.ts'
import { factOf } from './conversation/facts.ts'
import type { Tail } from './conversation/tail.ts'
import { deliver } from './deliver.ts'
import { outcomeEvent } from './outcome.ts'
import type { PartitionWork } from './partition-work.ts'
import type { EgressPorts } from './ports.ts'
import type { Addressed } from './readable.ts'
import { recordTime } from './record-time.ts'
import type { Refuse } from './refuse.ts'
import type { AccountGate } from './service/account-gate.ts'
import type { TryOnce } from './service/attempt.ts'

type Parts = {
  readonly ports: EgressPorts
  readonly accounts: ReadonlyMap<string, Account>
  readonly tail: Tail
  readonly announce: Announcer['announce']
  readonly refuse: Refuse
  readonly barrier: (partition: number) => Promise<void>
  readonly nowOf: (partition: number, command: Addressed) => () => Promise<ConversationNow>
  readonly gateOf: (accountId: string) => AccountGate
  readonly tryOnce: TryOnce
}

/** A record as it was taken off bot-replies, `takenAt` on the monotonic clock. */
export type Taken = { readonly record: IncomingRecord; readonly work: PartitionWork; readonly takenAt: number }

/** Handles a command to its end; false where it is left to whoever reads it next. */
export type HandleCommand = (taken: Taken) => Promise<boolean>

export const commandHandler = (parts: Parts): HandleCommand => {
  const { ports, accounts, tail, announce, refuse, barrier, nowOf, gateOf, tryOnce } = parts

  const send = async ({ command, account }: Checked, { record, work, takenAt }: Taken): Promise<boolean> => {
    const { partition } = work
    const requestedAt = recordTime(record, ports.now())
    await barrier(partition)
    const delivery = await deliver(ports, {
      ...{ command, account, requestedAt, takenAt, work, tryOnce },
      now: nowOf(partition, command),
      gate: gateOf(account.id),
    })
    if (delivery.kind !== 'outcome') return delivery.kind === 'finished before'
    const { outcome, attempts } = delivery
    // what a former owner learns too late is the new owner's to find out, except that the service has the reply
    if (outcome.kind !== 'delivered' && !work.isOwned()) return false
    const event = outcomeEvent(command, outcome, attempts, requestedAt, ports.now())
    const fact = factOf(event)
    if (fact !== undefined) tail.remember(partition, `${command.accountId}/${command.chatId}`, fact)
    ports.measure.delivery(account.id, outcome.kind)
    const fields = { accountId: account.id, commandId: command.id, attempts: attempts.length, ...outcome }
    ports.log[outcome.kind === 'delivered' ? 'debug' : 'info'](fields, 'egress: a command is finished')
    return announce(event)
  }

  return async (taken) => {
    const { record } = taken
    const checked = pipe(
      ports.decodeCommand(record),
      E.chain((command) => checkCommand(command, String(record.key ?? ''), accounts)),
    )
    return E.isLeft(checked) ? refuse(record, checked.left) : send(checked.right, taken)
  }
}
