import * as E from 'fp-ts/lib/Either.js'
import type { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import { agreedTime } from '../../domain/agreed-time.ts'
import { uniqueIdentities } from '../../domain/person/ids.ts'
import { dayMs } from '../../shared/time.ts'
import { resume } from '../erase/erase.ts'
import { erasureRequestText } from '../erase/plan.ts'
import { type AllDue, retainedBy, type SettleDeps, settler } from './settle.ts'
import { type AppendedSince, chatOrClientOf, type Silence, silentPerson } from './silence.ts'

/** An account whose persons are erased after `retainDays` without an event. */
export type Limited = { readonly id: string; readonly retainDays: number }

export type RetainDeps = SettleDeps & {
  /** True if the views are up to date with the log. Otherwise a person who has come back would count as inactive. */
  readonly viewsAreCurrent: () => Promise<boolean>
  readonly appendedSince: (time: number) => Promise<AppendedSince>
}

const entriesAtOnce = 200
/** After this time, a process that began an erasure is assumed dead. */
const abandonedAfterMs = 10 * 60_000

type Named = { readonly chatId?: string; readonly clientId?: string; readonly erased?: true }

/** The chats and clients of these entries whose events are not erased, each once. */
export const identitiesOf = (entries: ReadonlyArray<Named>) =>
  uniqueIdentities(entries.flatMap((entry) => (entry.erased ? [] : (chatOrClientOf(entry) ?? []))))

/** One look at all old entries of an account. `after`: where the next round goes on. `isMore`: it has not seen all. */
type Pass = { readonly began: number; readonly isMore: boolean; readonly after?: Date; readonly due: AllDue }

/** What the servers say of a time, for all accounts. */
export type ServersNow = {
  readonly now: number
  readonly appendedSince: (retainDays: number) => Promise<AppendedSince>
}

/**
 * Scans old entries of timeline in order of time: some in each round, all of them once a day. The newest entry of a
 * person is found once it is too old. When all are scanned, `brake` decides who is erased, as `erase` would do it, and
 * who waits for an operator. Several processes may do this at the same time. The first one to save the receipt does the
 * erasure: the receipt's id depends on the person and the newest event.
 *
 * Three clocks must agree that a person is silent. An event's time is by the clock of ingress. Now is by this process
 * and by MongoDB's server, or nobody is erased. While Kafka still has the newest record of a person, the broker's time
 * of that record counts too, because the clock of ingress may have been wrong.
 */
export const retainer = (deps: RetainDeps) => {
  const { erasures, silentPersons, recordAction, clock } = deps
  const passes = new Map<string, Pass>()
  const settle = settler(deps)

  const look = async (accountId: string, pass: Omit<Pass, 'isMore'>, silence: Silence) => {
    const hash = await erasures.hmac()
    const entries = await silentPersons.entries(accountId, { ...pass, before: silence.before }, entriesAtOnce)
    for (const identity of identitiesOf(entries)) {
      const found = await silentPerson(deps, accountId, identity, silence)
      if (found === undefined) continue
      const { request, last, isDisputed } = found
      pass.due.set(hash(erasureRequestText(request)), { start: request.start, last, isDisputed })
    }
    return { isMore: entries.length >= entriesAtOnce, after: entries.at(-1)?.time ?? pass.after }
  }

  const goOn = async (receipt: ErasureDocument) => {
    const recorded = await recordAction({
      action: 'erase',
      detail: `erase, ${receipt._id} goes on`,
      accountId: receipt.accountId,
    })
    if (E.isRight(recorded)) await resume(deps, [receipt])
  }

  return {
    /** Undefined while the views are behind the log. Throws while a server does not respond or clocks do not agree. */
    servers: async (): Promise<ServersNow | undefined> => {
      const agreed = agreedTime(clock().getTime(), await erasures.serverTime())
      if (E.isLeft(agreed)) throw new Error(agreed.left)
      if (!(await deps.viewsAreCurrent())) return undefined
      const known = new Map<number, Promise<AppendedSince>>()
      const appendedSince = (retainDays: number) => {
        const asked = known.get(retainDays) ?? deps.appendedSince(agreed.right - retainDays * dayMs)
        known.set(retainDays, asked)
        return asked
      }
      return { now: agreed.right, appendedSince }
    },
    /** True if there is more to do. Throws while a server does not respond. The next round then continues there. */
    round: async ({ id, retainDays }: Limited, { now, appendedSince }: ServersNow): Promise<boolean> => {
      const silence = { before: new Date(now - retainDays * dayMs), appended: await appendedSince(retainDays) }
      const last = passes.get(id)
      // A pass that begins again before its end never decides who is erased.
      const goesOn = last !== undefined && (last.isMore || now - last.began <= dayMs)
      const pass = goesOn ? last : { began: now, due: new Map() }
      const { isMore, after } = await look(id, pass, silence)
      passes.set(id, { ...pass, isMore, ...(after && { after }) })
      return isMore || settle(id, pass.due, now, silence)
    },
    /** Finishes erasures of processes that have died since, each of which it can. Throws if it could not one of them. */
    finish: async (): Promise<void> => {
      const abandoned = clock().getTime() - abandonedAfterMs
      const failures: unknown[] = []
      for (const receipt of await erasures.find({ state: 'started' })) {
        if (receipt.requestedBy !== retainedBy || receipt.requestedAt.getTime() > abandoned) continue
        await goOn(receipt).catch((error: unknown) => failures.push(error))
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
