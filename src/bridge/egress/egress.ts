import { botConversations, botReplies } from '../../../contracts/topics.ts'
import type { CheckHealth } from '../domain/checks.ts'
import { egressGroup } from '../domain/consumer-groups.ts'
import type { ConsumerSpec } from '../domain/log/consumer.ts'
import { withDeadline } from '../shared/timeout.ts'
import { followConversations } from './conversation/follow-conversations.ts'
import { conversationReader, finishedBefore, viewsReader } from './conversation/known-conversation.ts'
import { catchUpWith, conversationTail } from './conversation/tail.ts'
import { type AccountGate, accountGate } from './delivery/account-gate.ts'
import { attempter } from './delivery/attempt.ts'
import type { BotOwner } from './delivery/check-command.ts'
import type { GateState } from './delivery/gate.ts'
import { commandHandler, refuser } from './delivery/handle-command.ts'
import { announcer } from './delivery/outcome.ts'
import { commandSender } from './delivery/send-command.ts'
import { commandTaker } from './delivery/take-commands.ts'
import type { EgressPorts } from './ports.ts'
import { createWatchdog } from './watchdog/watchdog.ts'

export type Egress = {
  /** For `consume`. Both topics' partitions must be assigned to the same worker (co-partitioned assignment). */
  readonly spec: ConsumerSpec
  readonly health: CheckHealth
  /**
   * The gate of each account to which something was sent. `deferred`: how many of its replies wait in the log until it
   * has room for them.
   */
  readonly gates: () => ReadonlyArray<GateState & { readonly account: string; readonly deferred?: number }>
  /**
   * Starts no new attempts. Resolves when running attempts have ended and their outcomes are published, after 10 s at
   * most. Call it before the consumer's own stop, so that finished commands are committed.
   */
  readonly stop: () => Promise<void>
}

const stopWithinMs = 10_000

/**
 * The worker that reads bot logic's commands from bot-replies and posts them to the service, in order per chat. It also
 * invites an agent itself if a client gets no reply.
 */
export const egress = (ports: EgressPorts): Egress => {
  const { log, sleep } = ports
  const stopping = new AbortController()
  const accounts = new Map(ports.accounts.map((account) => [account.id as string, account]))
  const tail = conversationTail((partition) =>
    log.warn(
      { partition },
      'egress: the views are far behind, so the oldest conversation facts were dropped from memory',
    ),
  )
  const gates = new Map<string, AccountGate>()
  const { announce, health } = announcer(ports, stopping.signal)
  const readViews = viewsReader(ports)
  const catchUp = catchUpWith(ports, tail)
  const readConversation = conversationReader(readViews, tail)
  const gateOf = ({ id, bot }: BotOwner) => {
    const gate = gates.get(id) ?? accountGate(ports, bot.requestsPerSecond)
    gates.set(id, gate)
    return gate
  }
  const send = commandSender({
    ports,
    tail,
    announce,
    catchUp,
    readConversation,
    gateOf,
    tryOnce: attempter(ports),
  })
  const refuse = refuser({ ports, stopping: stopping.signal, announce, readConversation })
  const handle = commandHandler({
    ports,
    accounts,
    refuse,
    send,
    readConversation,
    finishedBefore: finishedBefore(readViews, tail),
  })
  const watchdog = createWatchdog({ ports, accounts, tail, catchUp, readConversation, send })
  const follower = followConversations(ports, tail, watchdog)
  const commands = commandTaker({ ports, accounts, handle, refuse, stopping: stopping.signal })

  return {
    spec: {
      group: egressGroup,
      topics: [botReplies.name, botConversations.name],
      // Without commands the watchdog still invites agents. Without bot-conversations nothing is read: the state of a
      // chat would be stale, and a reply could be sent over an agent.
      leftOutIfDenied: [botReplies.name],
      commit: 'by-handler',
      handle: async (slice, owned) =>
        slice.topic === botConversations.name ? follower.read(slice, owned) : commands.take(slice, owned),
      onOwned: (topic, partition, owned) => {
        if (topic === botConversations.name) follower.own(partition, owned)
      },
      startAt: async (topic, partition) => (topic === botConversations.name ? follower.startAt(partition) : undefined),
    },
    health,
    gates: () =>
      [...gates].map(([account, gate]) => {
        const deferred = commands.deferred(account)
        return { account, ...gate.state(), ...(deferred > 0 && { deferred }) }
      }),
    stop: async () => {
      stopping.abort()
      watchdog.stop()
      const idle = await withDeadline(sleep, stopWithinMs, () => Promise.all([commands.idle(), watchdog.idle()]))
      if (idle === undefined)
        log.warn({ chats: commands.chats() }, 'egress: stopped while commands were still in progress')
    },
  }
}
