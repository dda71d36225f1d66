import { returnMs } from '../../../contracts/metrics.ts'
import type { CallDocument } from '../../../contracts/views/call.ts'
import type { DailyStatsByDocument, DailyStatsDocument } from '../../../contracts/views/daily-stats.ts'
import type { DeliveryDocument } from '../../../contracts/views/delivery.ts'
import { type CameBack, counts, figuresOf, isOverAt, type Measured } from '../domain/figures.ts'
import { type AccountDay, dayId } from './stats-days.ts'

/** The number of the day's documents with the same values. */
type Tally<D> = D & { readonly documents: number }

/** The values of one account's documents for a day. */
export type StatsInput = {
  /** The sessions that began on the day. */
  readonly sessions: ReadonlyArray<Measured>
  /** The bot sessions that may be a return after one of `sessions`. */
  readonly begun: ReadonlyArray<Pick<Measured, '_id' | 'clientId' | 'startedAt'>>
  /** How many agent sessions were accepted on the day, whenever they began. */
  readonly accepted: number
  /** The agent sessions that were finished on the day, by rating. */
  readonly finished: ReadonlyArray<Tally<Pick<Measured, 'rating'>>>
  readonly calls: ReadonlyArray<Tally<Pick<CallDocument, 'type' | 'state'>>>
  readonly offlineMessages: number
  readonly deliveries: ReadonlyArray<Tally<Pick<DeliveryDocument, 'state'>>>
}

/** The part of the input that is read one after the other: whether there are returns depends on the sessions. */
export type SessionsInput = Pick<StatsInput, 'sessions' | 'begun'>

export type DayStatistics = {
  readonly day: DailyStatsDocument
  readonly by: ReadonlyArray<DailyStatsByDocument>
}

const total = <A extends { readonly documents: number }>(
  tallies: ReadonlyArray<A>,
  is: (tally: A) => boolean = () => true,
): number => tallies.filter(is).reduce((sum, { documents }) => sum + documents, 0)

/** Whether the client of a session began another one after its last event and within 24 h after its end. */
const returns = (begun: StatsInput['begun']): CameBack => {
  const byClient = Map.groupBy(begun, ({ clientId }) => clientId)
  return ({ _id, clientId, lastEventAt, endsAt }) => {
    if (clientId === undefined || endsAt === undefined) return false
    // Silence ends a session a day after its last event, so a return counts from that event. After another end, a
    // return counts from that end, even if the session has later events.
    const from = lastEventAt < endsAt ? lastEventAt : endsAt
    const until = endsAt.getTime() + returnMs
    return (byClient.get(clientId) ?? []).some(
      (other) => other._id !== _id && other.startedAt > from && other.startedAt.getTime() <= until,
    )
  }
}

const neverBack: CameBack = () => false

const measured = (sessions: ReadonlyArray<Measured>, asOf: Date, cameBack: CameBack, agentId?: string) => {
  const of = (kind: Measured['kind']) => {
    const all = sessions.filter((session) => session.kind === kind && counts(session))
    return { started: all.length, open: all.filter((session) => !isOverAt(session, asOf)).length }
  }
  return {
    asOf,
    sessions: { agent: of('agent'), bot: of('bot') },
    figures: figuresOf(sessions, asOf, cameBack, agentId),
  }
}

/** The sessions by agent, widget and bot. */
const groupsOf = (sessions: ReadonlyArray<Measured>) => {
  const groups = new Map<string, { by: DailyStatsByDocument['by']; id: string; name?: string; own: Measured[] }>()
  const add = (by: DailyStatsByDocument['by'], id: string, session: Measured, name?: string) => {
    const group = groups.get(`${by}/${id}`) ?? { by, id, own: [] }
    group.own.push(session)
    groups.set(`${by}/${id}`, { ...group, ...(name !== undefined && { name }) })
  }
  for (const session of sessions) {
    for (const { id, name } of session.agents) add('agent', id, session, name)
    add('widget', session.channelId, session)
    if (session.kind === 'bot') add('bot', 'unknown', session)
  }
  return [...groups.values()]
}

const byGroup = (
  accountDay: AccountDay,
  sessions: ReadonlyArray<Measured>,
  asOf: Date,
  cameBack: CameBack,
): ReadonlyArray<DailyStatsByDocument> =>
  groupsOf(sessions).map(({ by, id, name, own }) => ({
    _id: `${dayId(accountDay)}/${by}/${id}`,
    accountId: accountDay.accountId,
    day: accountDay.day,
    by,
    id: id as DailyStatsByDocument['id'],
    ...(name !== undefined && { name }),
    ...measured(own, asOf, cameBack, by === 'agent' ? id : undefined),
  }))

/** When the figures may change without a further event: when a session ends, and a day after that. */
const nextAtOf = (sessions: ReadonlyArray<Measured>, asOf: Date): Date | undefined => {
  const times = sessions
    .flatMap(({ endsAt }) => (endsAt === undefined ? [] : [endsAt.getTime(), endsAt.getTime() + returnMs]))
    .filter((time) => time > asOf.getTime())
  // Not more often than once a minute, however many sessions end.
  return times.length === 0 ? undefined : new Date(Math.max(Math.min(...times), asOf.getTime() + 60_000))
}

const sessionStats = (accountDay: AccountDay, sessions: ReadonlyArray<Measured>, asOf: Date, cameBack: CameBack) => ({
  day: {
    _id: dayId(accountDay),
    accountId: accountDay.accountId,
    day: accountDay.day,
    ...measured(sessions, asOf, cameBack),
  },
  by: byGroup(accountDay, sessions, asOf, cameBack),
})

/** The same of some of a day's sessions, as at an earlier time: without returns, and without what is no session. */
export const sessionStatsAt = (accountDay: AccountDay, all: ReadonlyArray<Measured>, asOf: Date) =>
  sessionStats(accountDay, all.filter(counts), asOf, neverBack)

/** The statistics of a day from its documents. Pure: the same documents and time give the same statistics. */
export const computeDailyStats = (accountDay: AccountDay, input: StatsInput, asOf: Date): DayStatistics => {
  const { calls, deliveries, finished, begun } = input
  const sessions = input.sessions.filter(counts)
  const ofSessions = sessionStats(accountDay, sessions, asOf, returns(begun))
  const bot = sessions.filter(({ kind }) => kind === 'bot')
  const withOutcome = (...outcomes: ReadonlyArray<Measured['outcome']>) =>
    bot.filter(({ outcome }) => outcomes.includes(outcome)).length
  const nextAt = nextAtOf(sessions, asOf)
  return {
    day: {
      ...ofSessions.day,
      chats: {
        accepted: input.accepted,
        finished: total(finished),
        ratedGood: total(finished, ({ rating }) => rating === 'good'),
        ratedBad: total(finished, ({ rating }) => rating === 'bad'),
      },
      calls: {
        total: total(calls),
        byType: {
          callback: total(calls, ({ type }) => type === 'callback'),
          incoming: total(calls, ({ type }) => type === 'incoming'),
          outgoing: total(calls, ({ type }) => type === 'outgoing'),
        },
        byOutcome: {
          ended: total(calls, ({ state }) => state === 'end'),
          failed: total(calls, ({ state }) => state === 'error'),
          open: total(calls, ({ state }) => state !== 'end' && state !== 'error'),
        },
      },
      offlineMessages: input.offlineMessages,
      conversations: {
        started: bot.length,
        answeredByBotAlone: withOutcome('contained'),
        agentRequested: withOutcome('handed-over', 'unavailable', 'abandoned'),
      },
      replies: {
        delivered: total(deliveries, ({ state }) => state === 'delivered'),
        failed: total(deliveries, ({ state }) => state === 'failed'),
        suppressed: total(deliveries, ({ state }) => state === 'suppressed'),
      },
      ...(nextAt && { nextAt }),
    },
    by: ofSessions.by,
  }
}
