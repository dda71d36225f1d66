import type { Entrant } from '../../../../src/bridge/egress/delivery/gate.ts'
import { instead } from './instead.ts'

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
    instead(
      () => import('../../../../src/bridge/egress/conversation/known-conversation.ts'),
      ({ conversationReader }) => ({
        conversationReader: (...views) => {
          const readConversation = conversationReader(...views)
          return (...about) => {
            const read = readConversation(...about)
            return async () => ({ ...(await read()), isFinished: false })
          }
        },
      }),
    ),
  ],
  'the low-water mark': [
    instead(
      () => import('../../../../src/bridge/shared/offset-tracker.ts'),
      ({ offsetTracker }) => ({
        offsetTracker: () => {
          const tracker = offsetTracker()
          let newest = -1
          return {
            take: (offset) => {
              newest = Math.max(newest, offset)
              return tracker.take(offset)
            },
            finish: (offset) => {
              tracker.finish(offset)
              return newest
            },
          }
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
    instead(
      () => import('../../../../src/bridge/egress/delivery/classify.ts'),
      ({ classify }) => ({
        classify: (...answer) => {
          const verdict = classify(...answer)
          return verdict.kind === 'retry' ? { ...verdict, retryAfterMs: 0 } : verdict
        },
      }),
    ),
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
    instead(
      () => import('../../../../src/bridge/egress/delivery/handle-command.ts'),
      ({ commandHandler }) => ({
        commandHandler: (parts) => commandHandler({ ...parts, finishedBefore: async () => undefined }),
      }),
    ),
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
  'a question to the bot after a join is answered': [
    instead(
      () => import('../../../../src/bridge/domain/conversation.ts'),
      ({ decideReply }) => ({
        decideReply: (conversation, command, writtenAt, rules) =>
          decideReply(conversation, command, writtenAt, { ...rules, whileAgent: 'suppress' }),
      }),
    ),
  ],
  'the watchdog': [
    instead(
      () => import('../../../../src/bridge/egress/watchdog/escalations.ts'),
      () => ({ escalationsOf: () => [] }),
    ),
  ],
}
