import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { DomainEvent } from '../../../../contracts/events/index.ts'
import type { ConversationDocument } from '../../../../contracts/views/conversation.ts'
import type { DeliveryDocument } from '../../../../contracts/views/delivery.ts'
import type { BotAccount } from '../../../../src/bridge/domain/accounts.ts'
import type { Undecodable } from '../../../../src/bridge/domain/decode-json.ts'
import type { HandleSlice, OwnedPartition } from '../../../../src/bridge/domain/log/consumer.ts'
import type { Entrant } from '../../../../src/bridge/egress/delivery/gate.ts'
import type { EgressPorts, ReadDocument } from '../../../../src/bridge/egress/ports.ts'
import { instead } from './instead.ts'

const withPorts = (weaken: (ports: EgressPorts) => EgressPorts) =>
  instead(
    () => import('../../../../src/bridge/egress/egress.ts'),
    (original) => ({ egress: (ports) => original.egress(weaken(ports)) }),
  )

const withBots = (weaken: (bot: BotAccount) => BotAccount) =>
  withPorts((ports) => ({
    ...ports,
    accounts: ports.accounts.map(({ bot, ...account }) => ({ ...account, ...(bot && { bot: weaken(bot) }) })),
  }))

type Stored = ConversationDocument | DeliveryDocument
const reading = (
  { readDocument }: Pick<EgressPorts, 'readDocument'>,
  weaken: (document: Stored | undefined) => Stored | undefined,
): ReadDocument => (async (view: never, id: string) => weaken(await readDocument(view, id))) as ReadDocument

const isNoOutcome = ({ type }: DomainEvent) =>
  type !== 'BotReplyDelivered' && type !== 'BotReplyFailed' && type !== 'BotReplySuppressed'
const unread = (): Undecodable => ({ cause: 'contract', detail: 'left out by the control' })
const withoutMessage = <A extends object>(content: A): A => ({ ...content, message: undefined })

const asAnyOther = (entrant: Entrant): Entrant => ({ ...entrant, isLastResort: false })

export const egress = {
  'the order of a chat': [
    instead(
      () => import('../../../../src/bridge/shared/keyed-queue.ts'),
      ({ keyedQueue }) => ({
        keyedQueue: () => {
          const queue = keyedQueue()
          let calls = 0
          return {
            ...queue,
            add: (key, work) => queue.add(`${key} ${calls++}`, work),
            run: (key, work) => queue.run(`${key} ${calls++}`, work),
          }
        },
      }),
    ),
  ],
  'what was delivered is known after a crash': [
    withPorts((ports) => ({
      ...ports,
      decodeEvent: (record) => pipe(ports.decodeEvent(record), E.filterOrElse(isNoOutcome, unread)),
      readDocument: reading(ports, (document) =>
        document === undefined || 'unanswered' in document ? document && { ...document, seen: [] } : undefined,
      ),
    })),
  ],
  'the low-water mark': [
    instead(
      () => import('../../../../src/bridge/egress/egress.ts'),
      (original) => ({
        egress: (ports) => {
          const worker = original.egress(ports)
          // Each end of a command commits everything that was read.
          const newest = new Map<number, number>()
          const owners = new WeakMap<OwnedPartition, OwnedPartition>()
          const handle: HandleSlice = (slice, owner) => {
            if (slice.topic !== 'bot-replies') return worker.spec.handle(slice, owner)
            const { partition, records } = slice
            newest.set(partition, Math.max(newest.get(partition) ?? -1, records.at(-1)?.offset ?? -1))
            const weak = owners.get(owner) ?? {
              ...owner,
              done: (offset: number) => owner.done(newest.get(partition) ?? offset),
            }
            owners.set(owner, weak)
            return worker.spec.handle(slice, weak)
          }
          return { ...worker, spec: { ...worker.spec, handle } }
        },
      }),
    ),
  ],
  'each account has its own bound': [
    instead(
      () => import('../../../../src/bridge/egress/delivery/partition-commands.ts'),
      ({ commandsOfPartition }) => ({
        commandsOfPartition: (deps) => commandsOfPartition({ ...deps, accountOf: () => 'all accounts' }),
      }),
    ),
  ],
  'waiting for Retry-After': [
    withPorts((ports) => ({
      ...ports,
      post: async (...request) =>
        pipe(
          await ports.post(...request),
          E.map((answer) => ({ ...answer, headers: {} })),
        ),
    })),
  ],
  'invitations during a pause': [
    instead(
      () => import('../../../../src/bridge/egress/delivery/account-gate.ts'),
      ({ accountGate }) => ({
        accountGate: (...given) => {
          const gate = accountGate(...given)
          return {
            ...gate,
            enter: (entrant, withinMs, signal) => gate.enter(asAnyOther(entrant), withinMs, signal),
          }
        },
      }),
    ),
  ],
  'a command id with other content is told': [
    // The content of the first command is unknown.
    withPorts((ports) => ({
      ...ports,
      decodeEvent: (record) =>
        pipe(
          ports.decodeEvent(record),
          E.map((event) =>
            isNoOutcome(event) ? event : ({ ...event, data: withoutMessage(event.data) } as typeof event),
          ),
        ),
      readDocument: reading(ports, (document) => document && withoutMessage(document)),
    })),
  ],
  'the breaker and the budget for retries': [
    instead(
      () => import('../../../../src/bridge/egress/delivery/circuit-breaker.ts'),
      () => ({ afterFailure: (breaker) => breaker }),
    ),
    instead(
      () => import('../../../../src/bridge/egress/delivery/retry-budget.ts'),
      () => ({ mayRetry: () => true }),
    ),
  ],
  'an invitation has no last attempt': [
    instead(
      () => import('../../../../src/bridge/egress/delivery/send-command.ts'),
      ({ commandSender }) => ({
        // Each command has three attempts within 10 s, also those of the bridge itself.
        commandSender: (parts) => {
          const send = commandSender(parts)
          return (order) => {
            const { account } = order
            return send({ ...order, account: { ...account, bot: { ...account.bot, attempts: 3, deadlineMs: 10_000 } } })
          }
        },
      }),
    ),
  ],
  'the message after AGENT_UNAVAILABLE has no last attempt': [
    instead(
      () => import('../../../../src/bridge/egress/delivery/send-command.ts'),
      ({ commandSender }) => ({
        // It has the limits of an ordinary reply.
        commandSender: (parts) => {
          const send = commandSender(parts)
          return (order) => {
            const { account, because } = order
            if (because !== 'agent-unavailable') return send(order)
            const bot = { ...account.bot, attempts: 3, deadlineMs: 10_000 }
            return send({ ...order, isLastResort: false, account: { ...account, bot } })
          }
        },
      }),
    ),
  ],
  'a refused token is no answer about a reply': [
    instead(
      () => import('../../../../src/bridge/egress/delivery/retry-policy.ts'),
      ({ nextStep }) => ({
        // 401 ends a command, also one of the bridge itself.
        nextStep: (history, ...others) => {
          const last = history.at(-1)
          const isRefused = last?.kind === 'unauthorized' || (last?.kind === 'retry' && last.isOfAccount)
          return isRefused ? { kind: 'failed', reason: 'rejected' } : nextStep(history, ...others)
        },
      }),
    ),
  ],
  'chats that the service refuses say nothing about the service': [
    instead(
      () => import('../../../../src/bridge/egress/delivery/gate.ts'),
      ({ enterGate, gateWaitMs }) => ({
        // Each failure counts, as if it were the first attempt of a chat that nobody has tried before.
        enterGate: (gate, entrant, now) => {
          const [entered, attempt] = enterGate(gate, entrant, now)
          return [entered, { ...attempt, isRepeated: false, isSlower: false }]
        },
        nextOf: (gate, line, now) => {
          // Who was in line first is next.
          const [next] = line
          return next !== undefined && gateWaitMs(gate, next, now) <= 0 ? next : undefined
        },
      }),
    ),
    instead(
      () => import('../../../../src/bridge/egress/delivery/retry-budget.ts'),
      () => ({ mayRetry: () => true }),
    ),
  ],
  'a hand-over that failed is made good': [
    instead(
      () => import('../../../../src/bridge/egress/watchdog/escalations.ts'),
      ({ escalationsOf }) => ({
        escalationsOf: ({ handOverFailed: _, ...waiting }, ...others) => escalationsOf(waiting, ...others),
      }),
    ),
  ],
  'a question to the bot after a join is answered': [withBots((bot) => ({ ...bot, whileAgent: 'suppress' }))],
  'the watchdog': [
    // A client waits for a week before the bridge invites an agent.
    withBots((bot) => ({ ...bot, replyWithin: 7 * 24 * 60 * 60_000 })),
  ],
}
