import * as E from 'fp-ts/lib/Either.js'
import type { Identity } from '../../domain/person/ids.ts'
import type { Release, RetainState, SilentPersons } from '../../mongo/silent-persons.ts'
import { actionOn, type RecordAction } from '../../operations/audit.ts'
import type { Log } from '../../shared/log.ts'
import { dayMs } from '../../shared/time.ts'
import { type ErasePorts, receiptOf, resume } from '../erase/erase.ts'
import type { Retention } from '../remains.ts'
import { limitDailyErasures, limitOf } from './limit-daily-erasures.ts'
import { type Silence, silentPerson } from './silent-person.ts'

/** Who requested the erasure, in receipts and on the topic `audit`. */
export const retainedBy = 'privacy.retainDays'

/** A silent person. `start` finds the person again; `last` is the time of the newest event. */
export type Due = { readonly start: Identity; readonly last: Date; readonly isDisputed: boolean }

/** Silent persons, by their requests' HMAC. */
export type AllDue = Map<string, Due>

/** What an operator has allowed and is not done yet. */
export const openRelease = ({ released }: Partial<RetainState>): Release | undefined =>
  released?.doneAt === undefined ? released : undefined

export const coveredBy = (release: Release | undefined, due: ReadonlyMap<string, Pick<Due, 'last'>>) =>
  [...due].flatMap(([name, { last }]) => (release !== undefined && last < release.before ? [name] : []))

/** Erasures since then count for the limit of a day: not those that an operator has allowed. */
export const countedSince = (state: Partial<RetainState>, now: number): Date => {
  const allowedUntil = openRelease(state) ? now : (state.released?.doneAt?.getTime() ?? 0)
  return new Date(Math.max(now - dayMs, allowedUntil))
}

const personsAtOnce = 50

/** Decides which of the silent persons of an account are erased now, and who waits for an operator. */
export const eraseDueOf = (
  ports: ErasePorts & {
    readonly silentPersons: SilentPersons
    readonly recordAction: RecordAction
    readonly retention: Retention
    readonly log: Pick<Log, 'warn'>
  },
) => {
  const { silentPersons, recordAction, clock, retention, log } = ports

  /** Erases a person who is still silent. */
  const eraseOne = async (accountId: string, { start, isDisputed }: Due, silence: Silence) => {
    const found = await silentPerson(ports, accountId, start, silence)
    if (found === undefined || (found.isDisputed && !isDisputed)) return
    const { request, plan, last } = found
    const receipt = await receiptOf(ports, request, plan, { requestedBy: retainedBy, retention, since: last })
    if (!(await silentPersons.claim(receipt))) return
    if (E.isLeft(await recordAction(actionOn('erase', request)))) throw new Error('an erasure cannot be recorded')
    await resume(ports, [receipt])
  }
  const eraseAll = async (accountId: string, due: AllDue, names: ReadonlyArray<string>, silence: Silence) => {
    for (const name of names) {
      const each = due.get(name)
      if (each !== undefined) await eraseOne(accountId, each, silence)
      due.delete(name)
    }
  }
  /** Checks again some whom the broker disputed: their records grow older, and the topics lose them. */
  const recheckDisputed = async (accountId: string, due: AllDue, silence: Silence) => {
    for (const [name, each] of [...due].filter(([, { isDisputed }]) => isDisputed).slice(0, personsAtOnce)) {
      const found = await silentPerson(ports, accountId, each.start, silence)
      due.delete(name)
      // At the end of the list, so that the others are checked in the next rounds.
      if (found !== undefined) due.set(name, { ...each, last: found.last, isDisputed: found.isDisputed })
    }
  }
  const storeWaiting = async (
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
      { accountId, persons, limit },
      'privacy.retainDays: persons wait for an operator, who looks at them with `livechat-bridge erase release`',
    )
  }

  /** Erases some of those who are due. True if there are more whom an operator has released. */
  return async (accountId: string, due: AllDue, now: number, silence: Silence): Promise<boolean> => {
    const state: Partial<RetainState> = (await silentPersons.retainState(accountId)) ?? {}
    const release = openRelease(state)
    const covered = coveredBy(release, due)
    await eraseAll(accountId, due, covered.slice(0, personsAtOnce), silence)
    if (covered.length > personsAtOnce) return true
    await recheckDisputed(accountId, due, silence)
    if (release !== undefined) await silentPersons.keepRelease(accountId, { ...release, doneAt: new Date(now) })
    const today = await silentPersons.requestsSince(accountId, retainedBy, countedSince(state, now))
    const those = (wanted: boolean) => [...due].flatMap(([name, each]) => (each.isDisputed === wanted ? [name] : []))
    const isMany = due.size + today.length > limitOf(0)
    const persons = isMany ? await silentPersons.countPersons(accountId) : 0
    const { erase, wait } = limitDailyErasures({ due: those(false), disputed: those(true), today, persons })
    await storeWaiting(accountId, silence.before, state, wait.length, limitOf(persons))
    await eraseAll(accountId, due, erase, silence)
    return false
  }
}
