import * as E from 'fp-ts/lib/Either.js'
import { eventTopics } from '../../../contracts/topics.ts'
import type { Identity, Person } from '../../domain/person.ts'
import type { Log, Sleep } from '../../domain/ports.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import type { Erasures, SilentPersons } from '../../mongo/erasures.ts'
import { actionOn, type RecordAction } from '../audit.ts'
import { type ErasePorts, receiptOf, resume } from './erase.ts'
import { type Kept, planOf } from './plan.ts'

/** An account whose persons are erased after `retainDays` without an event. */
export type Limited = { readonly id: string; readonly retainDays: number }

type Deps = ErasePorts & {
  readonly erasures: Erasures & SilentPersons
  readonly recordAction: RecordAction
  /** True if the views are up to date with the log. Otherwise a person who has come back would count as inactive. */
  readonly viewsAreCurrent: () => Promise<boolean>
  readonly kept: Kept
}

/** Who requested the erasure, in receipts and on the topic `audit`. */
export const retainedBy = 'privacy.retainDays'

const dayMs = 24 * 60 * 60 * 1000
const entriesAtOnce = 200
/** After this time, a process that began an erasure is assumed dead. */
const abandonedAfterMs = 10 * 60_000
const currentWithinMs = 60_000

/** True if the projector has processed everything that was in the event topics a minute ago. */
export const viewsAreCurrentIn =
  (
    { ranges, offsetsAt, committedOffsets }: Pick<KafkaRoom, 'ranges' | 'offsetsAt' | 'committedOffsets'>,
    now: () => number,
  ) =>
  async (): Promise<boolean> => {
    const all = eventTopics.map(async ({ name }) => {
      const [known, wanted, done] = await Promise.all([
        ranges(name),
        offsetsAt(name, now() - currentWithinMs),
        committedOffsets('projector', name),
      ])
      return [...known].every(([partition, { low }]) => (done.get(partition) ?? low) >= (wanted.get(partition) ?? low))
    })
    return (await Promise.all(all)).every(Boolean)
  }

const identityOf = ({ chatId, clientId }: { readonly chatId?: string; readonly clientId?: string }) => {
  if (chatId !== undefined) return { kind: 'chat', value: chatId } as const
  return clientId === undefined ? undefined : ({ kind: 'client', value: clientId } as const)
}
const partsOf = ({ chats, clients }: Pick<Person, 'chats' | 'clients'>): ReadonlyArray<Identity> => [
  ...chats.map((value) => ({ kind: 'chat' as const, value })),
  ...clients.map((value) => ({ kind: 'client' as const, value })),
]

/**
 * Scans old entries of timeline in order of time: some in each round, all of them once a day. The newest entry of a
 * person is found once it is too old. Then the person is erased, as `erase` would do it. Several processes may do this
 * at the same time. The first one to save the receipt does the erasure: the receipt's id depends on the person and the
 * newest event.
 */
export const retainer = (deps: Deps) => {
  const { erasures, recordAction, clock, kept } = deps
  const passes = new Map<string, { readonly began: number; readonly after?: Date }>()

  const eraseIfSilent = async (accountId: string, start: Identity, before: Date) => {
    const isSilent = (last: Date | undefined): last is Date => last !== undefined && last < before
    const alone = { chats: [], clients: [], [start.kind === 'chat' ? 'chats' : 'clients']: [start.value] }
    // For most active persons this one query is enough.
    if (!isSilent(await erasures.lastEventAt(accountId, alone))) return
    const plan = await planOf(erasures, { accountId, start, also: [] })
    const last = await erasures.lastEventAt(accountId, plan.person)
    const [first] = partsOf(plan.person)
    if (!isSilent(last) || first === undefined) return
    const request = { accountId, start: first, also: [] }
    const receipt = await receiptOf(deps, request, plan, { requestedBy: retainedBy, kept, since: last })
    if (!(await erasures.claim(receipt))) return
    if (E.isLeft(await recordAction(actionOn('erase', request)))) throw new Error('an erasure cannot be recorded')
    await resume(deps, [receipt])
  }

  return {
    /** True if there are more entries. Throws while a server does not respond. The next round then continues there. */
    round: async ({ id, retainDays }: Limited): Promise<boolean> => {
      if (!(await deps.viewsAreCurrent())) return false
      const now = clock().getTime()
      const before = new Date(now - retainDays * dayMs)
      const last = passes.get(id)
      const pass = last === undefined || now - last.began > dayMs ? { began: now } : last
      const entries = await erasures.entries(id, { ...pass, before }, entriesAtOnce)
      const looked = new Set<string>()
      for (const entry of entries) {
        const start = identityOf(entry)
        if (start === undefined || entry.erased || looked.has(`${start.kind} ${start.value}`)) continue
        looked.add(`${start.kind} ${start.value}`)
        await eraseIfSilent(id, start, before)
      }
      const after = entries.at(-1)?.time ?? pass.after
      passes.set(id, { began: pass.began, ...(after && { after }) })
      return entries.length >= entriesAtOnce
    },
    /** Finishes erasures of processes that have died since. */
    finish: async (): Promise<void> => {
      const abandoned = clock().getTime() - abandonedAfterMs
      for (const receipt of await erasures.find({ state: 'started' })) {
        if (receipt.requestedBy !== retainedBy || receipt.requestedAt.getTime() > abandoned) continue
        const recorded = await recordAction({
          action: 'erase',
          detail: `erase, ${receipt._id} goes on`,
          accountId: receipt.accountId,
        })
        if (E.isRight(recorded)) await resume(deps, [receipt])
      }
    },
  }
}

type Running = Deps & {
  readonly sleep: Sleep
  readonly log: Pick<Log, 'warn'>
  readonly reasonOf: (error: unknown) => string
}

const idleMs = 60_000
const busyMs = 1_000

/** Runs round after round, for at most a twentieth of the time. */
export const startRetaining = (accounts: ReadonlyArray<Limited>, deps: Running) => {
  const { sleep, log, reasonOf } = deps
  const { round, finish } = retainer(deps)
  const stopping = new AbortController()
  const run = async () => {
    while (!stopping.signal.aborted) {
      const began = performance.now()
      let isMore = false
      try {
        await finish()
        for (const account of accounts) isMore = (!stopping.signal.aborted && (await round(account))) || isMore
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, 'privacy.retainDays: persons cannot be erased; tried again')
      }
      const spent = performance.now() - began
      await sleep(isMore ? Math.max(busyMs, 19 * spent) : Math.max(idleMs, 19 * spent), stopping.signal)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
