import * as E from 'fp-ts/lib/Either.js'
import type { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import { agreedTime } from '../../domain/agreed-time.ts'
import type { CheckHealth, Health } from '../../domain/checks.ts'
import { uniqueIdentities } from '../../domain/person/ids.ts'
import { optionsOf } from '../../operations/audit.ts'
import { repeat } from '../../shared/repeat.ts'
import { dayMs, type Sleep } from '../../shared/time.ts'
import { resume } from '../erase/erase.ts'
import { erasureRequestText } from '../erase/plan.ts'
import { type AllDue, eraseDueOf, retainedBy } from './erase-due.ts'
import { type AppendedSince, chatOrClientOf, type Silence, silentPerson } from './silent-person.ts'

/** An account whose persons are erased after `retainDays` without an event. */
export type Limited = { readonly id: string; readonly retainDays: number }

type Ports = Parameters<typeof eraseDueOf>[0] & {
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

/** A scan of all old entries of an account. `after`: where the next round goes on. `isMore`: it has not seen all. */
type Pass = { readonly began: number; readonly isMore: boolean; readonly after?: Date; readonly due: AllDue }

/** What the servers say of a time, for all accounts. */
type ServersNow = {
  readonly now: number
  readonly appendedSince: (retainDays: number) => Promise<AppendedSince>
}

/**
 * Scans old entries of timeline in order of time: some in each round, all of them once a day. The newest entry of a
 * person is found once it is too old. When all are scanned, `limitDailyErasures` decides who is erased, as `erase` would do it, and
 * who waits for an operator. Several processes may do this at the same time. The first one to save the receipt does the
 * erasure: the receipt's id depends on the person and the newest event.
 *
 * Three clocks must agree that a person is silent. An event's time is by the clock of ingress. Now is by this process
 * and by MongoDB's server, or nobody is erased. While Kafka still has the newest record of a person, the broker's time
 * of that record counts too, because the clock of ingress may have been wrong.
 */
export const retainer = (ports: Ports) => {
  const { erasures, silentPersons, recordAction, clock } = ports
  const passes = new Map<string, Pass>()
  const eraseDue = eraseDueOf(ports)

  const scan = async (accountId: string, pass: Omit<Pass, 'isMore'>, silence: Silence) => {
    const hash = await erasures.hmac()
    const entries = await silentPersons.entries(accountId, { ...pass, before: silence.before }, entriesAtOnce)
    for (const identity of identitiesOf(entries)) {
      const found = await silentPerson(ports, accountId, identity, silence)
      if (found === undefined) continue
      const { request, last, isDisputed } = found
      pass.due.set(hash(erasureRequestText(request)), { start: request.start, last, isDisputed })
    }
    return { isMore: entries.length >= entriesAtOnce, after: entries.at(-1)?.time ?? pass.after }
  }

  const finishOne = async (receipt: ErasureDocument) => {
    const recorded = await recordAction({
      action: 'erase',
      command: 'erase',
      options: optionsOf({ 'goes-on': receipt._id }),
      accountId: receipt.accountId,
    })
    if (E.isRight(recorded)) await resume(ports, [receipt])
  }

  return {
    /** Undefined while the views are behind the log. Throws while a server does not respond or clocks do not agree. */
    servers: async (): Promise<ServersNow | undefined> => {
      const agreed = agreedTime(clock().getTime(), await erasures.serverTime())
      if (E.isLeft(agreed)) throw new Error(agreed.left)
      if (!(await ports.viewsAreCurrent())) return undefined
      const known = new Map<number, Promise<AppendedSince>>()
      const appendedSince = (retainDays: number) => {
        const asked = known.get(retainDays) ?? ports.appendedSince(agreed.right - retainDays * dayMs)
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
      const { isMore, after } = await scan(id, pass, silence)
      passes.set(id, { ...pass, isMore, ...(after && { after }) })
      return isMore || eraseDue(id, pass.due, now, silence)
    },
    /** Finishes erasures of processes that have died since, each of which it can. Throws if it could not one of them. */
    finish: async (): Promise<void> => {
      const abandoned = clock().getTime() - abandonedAfterMs
      const failures: unknown[] = []
      for (const receipt of await erasures.find({ state: 'started' })) {
        if (receipt.requestedBy !== retainedBy || receipt.requestedAt.getTime() > abandoned) continue
        await finishOne(receipt).catch((error: unknown) => failures.push(error))
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}

const idleMs = 60_000
const busyMs = 1_000
/** What the servers said counts for this long. Each account asking them would be most of the work. */
const serversMs = 10_000

/** A late erasure delays no event, so the process is still ready. */
export const retainHealth = (trouble: string | undefined): Health =>
  trouble === undefined ? { ok: true, reason: 'up to date' } : { ok: true, isLimited: true, reason: trouble }

/**
 * Runs round after round, for at most a twentieth of the time. Accounts that have more than one round reads go on alone
 * for as long as the last visit of all accounts took. An account that fails does not delay the others.
 */
export const startRetaining = (
  accounts: ReadonlyArray<Limited>,
  ports: Ports & { readonly sleep: Sleep; readonly reasonOf: (error: unknown) => string },
) => {
  const { sleep, log, reasonOf } = ports
  const { servers, round, finish } = retainer(ports)
  let trouble: string | undefined
  let unfinished: ReadonlyArray<Limited> = []
  let msForUnfinished = 0

  const failed = (error: unknown, of?: Limited): string => {
    const reason = reasonOf(error)
    log.warn({ ...(of && { accountId: of.id }), reason }, 'privacy.retainDays: persons cannot be erased; tried again')
    return of === undefined ? reason : `${of.id}: ${reason}`
  }
  const visit = async (those: ReadonlyArray<Limited>, signal: AbortSignal) => {
    const more: Limited[] = []
    let first: string | undefined
    let known: ServersNow | undefined
    let knownAt = Number.NEGATIVE_INFINITY
    for (const account of those) {
      if (signal.aborted) break
      if (performance.now() - knownAt > serversMs) {
        known = await servers()
        knownAt = performance.now()
      }
      if (known === undefined) break
      try {
        if (await round(account, known)) more.push(account)
      } catch (error) {
        first ??= failed(error, account)
      }
    }
    return { more, failure: first }
  }
  const stop = repeat(async (signal) => {
    const began = performance.now()
    const isForAll = unfinished.length === 0 || msForUnfinished <= 0
    const those = isForAll ? accounts : unfinished
    unfinished = []
    try {
      const ofOthers = await finish().then(() => undefined, failed)
      const { more, failure } = await visit(those, signal)
      unfinished = more
      trouble = failure ?? ofOthers ?? (isForAll ? undefined : trouble)
    } catch (error) {
      trouble = failed(error)
    }
    const took = performance.now() - began
    msForUnfinished = isForAll ? took : msForUnfinished - took
    return Math.max(unfinished.length > 0 ? busyMs : idleMs, 19 * took)
  }, sleep)
  const health: CheckHealth = () => retainHealth(trouble)
  return { health, stop }
}
