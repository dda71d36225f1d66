import { botConversations, botReplies } from '../../contracts/topics.ts'
import type { CheckHealth, ConsumerSpec, IncomingRecord, OwnedPartition, Slice } from '../domain/ports.ts'
import { faultOf } from '../shared/fault.ts'
import { keyedQueue } from '../shared/keyed-queue.ts'
import { bytesOf } from '../shared/slices.ts'
import { withDeadline } from '../shared/timeout.ts'
import { type ChatOrCommand, conversationNow, digestBefore, viewsReader } from './conversation/conversation-now.ts'
import { followConversations, readBarrier } from './conversation/follow-conversations.ts'
import { conversationTail } from './conversation/tail.ts'
import { type AccountGate, accountGate, type GateState } from './delivery/account-gate.ts'
import { tokenCache, tryOnce } from './delivery/attempt.ts'
import type { BotOwner } from './delivery/check-command.ts'
import { commandSender } from './delivery/deliver.ts'
import { commandHandler, refuser } from './delivery/handle-command.ts'
import { announcer } from './delivery/outcome.ts'
import { byteBudget, type PartitionWork, partitionWork } from './delivery/partition-work.ts'
import type { EgressPorts } from './ports.ts'
import { looker } from './watchdog/look.ts'
import { createWatchdog } from './watchdog/watchdog.ts'

export type Egress = {
  /** For `consume`. Both topics' partitions must be assigned to the same worker (co-partitioned assignment). */
  readonly spec: ConsumerSpec
  readonly health: CheckHealth
  /** The gate of each account to which something was sent. */
  readonly gates: () => ReadonlyArray<GateState & { readonly account: string }>
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
  const { log, monotonic, sleep } = ports
  const stopping = new AbortController()
  const accounts = new Map(ports.accounts.map((account) => [account.id as string, account]))
  const tail = conversationTail((partition) =>
    log.warn(
      { partition },
      'egress: the views are far behind, so the oldest conversation facts were dropped from memory',
    ),
  )
  const queues = keyedQueue()
  const works = new Map<number, PartitionWork>()
  const budget = byteBudget()
  const gates = new Map<string, AccountGate>()
  const { announce, health } = announcer(ports, stopping.signal)
  const readViews = viewsReader(ports)
  const barrier = readBarrier(ports, tail)
  const nowOf = (partition: number, of: ChatOrCommand) => conversationNow(readViews, tail, partition, of)
  const gateOf = ({ id, bot }: BotOwner) => {
    const gate = gates.get(id) ?? accountGate({ monotonic, sleep, requestsPerSecond: bot.requestsPerSecond })
    gates.set(id, gate)
    return gate
  }
  const tried = tryOnce(ports, tokenCache(ports.issueToken, monotonic))
  const send = commandSender({ ports, tail, announce, barrier, nowOf, gateOf, tryOnce: tried })
  const refuse = refuser({ ports, stopping: stopping.signal, announce, nowOf })
  const handle = commandHandler({ ports, accounts, refuse, send, digestBefore: digestBefore(readViews, tail) })
  const watchdog = createWatchdog({ ports, accounts, tail, look: looker({ ports, barrier, nowOf, send }) })
  const follower = followConversations(ports, tail, watchdog)

  const workOf = (partition: number, owned: OwnedPartition) => {
    const known = works.get(partition)
    if (known?.isOwned()) return known
    known?.end()
    const work = partitionWork(partition, owned, stopping.signal, budget)
    works.set(partition, work)
    return work
  }
  const chatOf = ({ key }: IncomingRecord) => String(key ?? '')
  const run = async (record: IncomingRecord, work: PartitionWork, takenAt: number) => {
    if (work.signal.aborted || !work.isOwned()) return
    const unforeseen = (error: unknown) => {
      const detail = faultOf(error)
      log.error({ partition: record.partition, offset: record.offset, detail }, 'egress: a command was not handled')
      return refuse.invalid(record, { cause: 'unforeseen', detail })
    }
    if (await handle({ record, work, takenAt }).catch(unforeseen)) work.finish(record.offset, chatOf(record))
  }
  const takeCommands = ({ partition, records }: Slice, owned: OwnedPartition) => {
    if (stopping.signal.aborted || !owned.isCurrent()) return
    const work = workOf(partition, owned)
    const takenAt = monotonic()
    for (const record of records) {
      budget.take(bytesOf(record))
      const release = () => budget.giveBack(bytesOf(record))
      if (!work.take(record.offset, chatOf(record))) release()
      else queues.add(chatOf(record), () => run(record, work, takenAt).finally(release))
    }
  }

  return {
    spec: {
      group: 'egress',
      topics: [botReplies.name, botConversations.name],
      commit: 'by-handler',
      handle: async (slice, owned) =>
        slice.topic === botConversations.name ? follower.read(slice, owned) : takeCommands(slice, owned),
      startAt: async (topic, partition) => (topic === botConversations.name ? follower.startAt(partition) : undefined),
    },
    health,
    gates: () => [...gates].map(([account, gate]) => ({ account, ...gate.state() })),
    stop: async () => {
      stopping.abort()
      watchdog.stop()
      const idle = await withDeadline(sleep, stopWithinMs, () => Promise.all([queues.idle(), watchdog.idle()]))
      if (idle === undefined)
        log.warn({ chats: queues.size() }, 'egress: stopped while commands were still in progress')
    },
  }
}
