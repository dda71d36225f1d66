import * as E from 'fp-ts/lib/Either.js'
import { eventTopics } from '../../../contracts/topics.ts'
import { agreedTime } from '../../domain/agreed-time.ts'
import type { Identity } from '../../domain/person.ts'
import type { Log } from '../../domain/ports.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import type { Parts, RetainState, SilentPersons } from '../../mongo/silent-persons.ts'
import { dayMs } from '../../shared/time.ts'
import { actionOn, type RecordAction } from '../audit.ts'
import { brake, limitOf } from './brake.ts'
import { type ErasePorts, receiptOf, resume } from './erase.ts'
import { type Kept, planOf, requestText } from './plan.ts'

/** An account whose persons are erased after `retainDays` without an event. */
export type Limited = { readonly id: string; readonly retainDays: number }

/** By topic and partition, the first offset whose record the broker has received at a time or later. */
export type AppendedSince = ReadonlyMap<string, ReadonlyMap<number, number>>

export type RetainDeps = ErasePorts & {
  readonly silentPersons: SilentPersons
  readonly recordAction: RecordAction
  /** True if the views are up to date with the log. Otherwise a person who has come back would count as inactive. */
  readonly viewsAreCurrent: () => Promise<boolean>
  readonly appendedSince: (time: number) => Promise<AppendedSince>
  readonly kept: Kept
  readonly log: Pick<Log, 'warn'>
}

/** Who requested the erasure, in receipts and on the topic `audit`. */
export const retainedBy = 'privacy.retainDays'

const entriesAtOnce = 200
const personsAtOnce = 50
/** After this time, a process that began an erasure is assumed dead. */
const abandonedAfterMs = 10 * 60_000

export const appendedSinceIn =
  ({ offsetsAt }: Pick<KafkaPorts, 'offsetsAt'>) =>
  async (time: number): Promise<AppendedSince> =>
    new Map(await Promise.all(eventTopics.map(async ({ name }) => [name, await offsetsAt(name, time)] as const)))

const identityOf = ({ chatId, clientId }: { readonly chatId?: string; readonly clientId?: string }) => {
  if (chatId !== undefined) return { kind: 'chat', value: chatId } as const
  return clientId === undefined ? undefined : ({ kind: 'client', value: clientId } as const)
}
const partsOf = ({ chats, clients }: Parts): ReadonlyArray<Identity> => [
  ...chats.map((value) => ({ kind: 'chat' as const, value })),
  ...clients.map((value) => ({ kind: 'client' as const, value })),
]

type Due = { readonly start: Identity; readonly last: Date; readonly isDisputed: boolean }

/** One look at all old entries of an account. `due`: the silent persons that were found, by their requests' HMAC. */
type Pass = { readonly began: number; readonly after?: Date; readonly due: Map<string, Due> }

/** Persons count as silent who have had no event since `before`, by the bridge's clock. */
type Silence = { readonly before: Date; readonly appended: AppendedSince }

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
  const { erasures, silentPersons, recordAction, clock, kept, log } = deps
  const passes = new Map<string, Pass>()

  const silent = async (accountId: string, start: Identity, { before, appended }: Silence) => {
    const isSilent = (last: Date | undefined): last is Date => last !== undefined && last < before
    const ids = [start.value]
    const alone = start.kind === 'chat' ? { chats: ids, clients: [] } : { chats: [], clients: ids }
    // For most active persons this one query is enough.
    if (!isSilent(await silentPersons.lastEventAt(accountId, alone))) return undefined
    const plan = await planOf(erasures, { accountId, start, also: [] })
    const last = await silentPersons.lastEventAt(accountId, plan.person)
    const [first] = partsOf(plan.person)
    if (!isSilent(last) || first === undefined) return undefined
    const isDisputed = (await silentPersons.lastPlaces(accountId, plan.person)).some(
      ({ topic, partition, offset }) => offset >= (appended.get(topic)?.get(partition) ?? Number.POSITIVE_INFINITY),
    )
    return { request: { accountId, start: first, also: [] }, plan, last, isDisputed }
  }

  /** Erases a person who is still silent. */
  const eraseOne = async (accountId: string, { start, isDisputed }: Due, silence: Silence) => {
    const found = await silent(accountId, start, silence)
    if (found === undefined || (found.isDisputed && !isDisputed)) return
    const { request, plan, last } = found
    const receipt = await receiptOf(deps, request, plan, { requestedBy: retainedBy, kept, since: last })
    if (!(await silentPersons.claim(receipt))) return
    if (E.isLeft(await recordAction(actionOn('erase', request)))) throw new Error('an erasure cannot be recorded')
    await resume(deps, [receipt])
  }

  const look = async (accountId: string, pass: Pass, silence: Silence) => {
    const hash = await erasures.hmac()
    const entries = await silentPersons.entries(accountId, { ...pass, before: silence.before }, entriesAtOnce)
    const looked = new Set<string>()
    for (const entry of entries) {
      const start = identityOf(entry)
      if (start === undefined || entry.erased || looked.has(`${start.kind} ${start.value}`)) continue
      looked.add(`${start.kind} ${start.value}`)
      const found = await silent(accountId, start, silence)
      if (found === undefined) continue
      const { request, last, isDisputed } = found
      pass.due.set(hash(requestText(request)), { start: request.start, last, isDisputed })
    }
    return { isMore: entries.length >= entriesAtOnce, after: entries.at(-1)?.time ?? pass.after }
  }

  const keepWaiting = async (
    accountId: string,
    before: Date,
    { waiting }: Partial<RetainState>,
    persons: number,
    limit: number,
  ) => {
    if ((waiting?.persons ?? 0) === persons) return
    if (persons === 0) return silentPersons.keepWaiting(accountId, undefined)
    await silentPersons.keepWaiting(accountId, { persons, limit, before, since: waiting?.since ?? clock() })
    log.warn(
      { account: accountId, persons, limit },
      'privacy.retainDays: persons wait for an operator, who looks at them with `livechat-bridge erase release`',
    )
  }

  /** Looks again at some whom the broker disputed: their records grow older, and the topics lose them. */
  const lookAgain = async (accountId: string, { due }: Pass, silence: Silence) => {
    for (const [name, each] of [...due].filter(([, { isDisputed }]) => isDisputed).slice(0, personsAtOnce)) {
      const found = await silent(accountId, each.start, silence)
      due.delete(name)
      // At the end of the list, so that the others are looked at in the next rounds.
      if (found !== undefined) due.set(name, { ...each, last: found.last, isDisputed: found.isDisputed })
    }
  }

  /** Erases some of those who are due. True if there are more whom an operator has released. */
  const settle = async (accountId: string, pass: Pass, now: number, silence: Silence): Promise<boolean> => {
    const { due } = pass
    const state = (await silentPersons.retainStates()).find(({ _id }) => _id === accountId) ?? {}
    const { released } = state as Partial<RetainState>
    const isOpen = released !== undefined && released.doneAt === undefined
    const covered = [...due].filter(([, { last }]) => isOpen && last < released.before)
    for (const [name, each] of covered.slice(0, personsAtOnce)) {
      await eraseOne(accountId, each, silence)
      due.delete(name)
    }
    if (covered.length > personsAtOnce) return true
    await lookAgain(accountId, pass, silence)
    if (isOpen) await silentPersons.keepRelease(accountId, { ...released, doneAt: new Date(now) })
    const since = Math.max(now - dayMs, isOpen ? now : (released?.doneAt?.getTime() ?? 0))
    const today = await silentPersons.requestsSince(accountId, retainedBy, new Date(since))
    const those = (wanted: boolean) => [...due].flatMap(([name, each]) => (each.isDisputed === wanted ? [name] : []))
    const isMany = due.size + today.length > limitOf(0)
    const persons = isMany ? await silentPersons.countPersons(accountId) : 0
    const { erase, wait } = brake({ due: those(false), disputed: those(true), today, persons })
    await keepWaiting(accountId, silence.before, state, wait.length, limitOf(persons))
    for (const name of erase) {
      const each = due.get(name)
      if (each !== undefined) await eraseOne(accountId, each, silence)
      due.delete(name)
    }
    return false
  }

  return {
    /** True if there is more to do. Throws while a server does not respond. The next round then continues there. */
    round: async ({ id, retainDays }: Limited): Promise<boolean> => {
      const agreed = agreedTime(clock().getTime(), await erasures.serverTime())
      if (E.isLeft(agreed)) throw new Error(agreed.left)
      if (!(await deps.viewsAreCurrent())) return false
      const now = agreed.right
      const before = new Date(now - retainDays * dayMs)
      const silence = { before, appended: await deps.appendedSince(before.getTime()) }
      const last = passes.get(id)
      const pass = last === undefined || now - last.began > dayMs ? { began: now, due: new Map() } : last
      const { isMore, after } = await look(id, pass, silence)
      passes.set(id, { ...pass, ...(after && { after }) })
      return isMore || settle(id, pass, now, silence)
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
