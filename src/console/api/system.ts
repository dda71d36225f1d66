import type { TopicName } from '../../../contracts/topics.ts'
import type { Health } from '../../bridge/domain/checks.ts'
import type { CommittedOffsets, Ranges } from '../../bridge/domain/log/positions.ts'
import type { GateState } from '../../bridge/egress/delivery/gate.ts'
import type { Egress } from '../../bridge/egress/egress.ts'
import type { ReadReadiness } from '../../bridge/http/health.ts'
import { within } from '../../bridge/shared/timeout.ts'
import { viewNames } from '../../bridge/views/index.ts'
import { rolesFor } from '../access/grants.ts'
import type { SystemAnswer } from '../answers.ts'
import { type Grant, type Handlers, ok } from '../handler.ts'
import { firstStep, healthState, healthWords } from '../health.ts'

/** A consumer group of the bridge, with the topics on which it commits offsets. */
export type Group = { readonly group: string; readonly topics: ReadonlyArray<TopicName> }

export type SystemDeps = {
  readonly readiness: ReadReadiness
  readonly groups: ReadonlyArray<Group>
  readonly ranges: Ranges
  readonly committedOffsets: CommittedOffsets
  /** The gates of the role egress: of this process, or of the other one. */
  readonly gates: () => ReturnType<Egress['gates']> | Promise<ReturnType<Egress['gates']>>
  readonly version: string
  /** A monotonic clock, in ms. */
  readonly monotonic: () => number
}

const withinMs = 3_000
const freshMs = 2_000

type Lag = SystemAnswer['consumers'][number]

/** The number of records that a group has not committed yet. Null if it has never committed. */
const behindOf = async (
  { ranges, committedOffsets }: Pick<SystemDeps, 'ranges' | 'committedOffsets'>,
  group: string,
  topic: TopicName,
): Promise<number | null> => {
  const [ends, committed] = await Promise.all([ranges(topic), committedOffsets(group, topic)])
  if (committed.size === 0) return null
  const each = [...ends].map(([partition, { low, high }]) => Math.max(0, high - (committed.get(partition) ?? low)))
  return each.reduce((sum, count) => sum + count, 0)
}

const lagsOf = (deps: SystemDeps): Promise<ReadonlyArray<Lag>> =>
  Promise.all(
    deps.groups.flatMap(({ group, topics }) =>
      topics.map(async (topic) => {
        const asked = behindOf(deps, group, topic).catch(() => null)
        return { group, topic, behind: await within(withinMs, asked, () => null) }
      }),
    ),
  )

/** A chat of the gate is named with its account. */
const refusedWords = ({ chats, examples }: NonNullable<GateState['refused']>): string => {
  const named = examples.map(({ chat, answer }) => `${chat.slice(chat.indexOf('/') + 1)} (${answer})`).join(', ')
  const others = chats > examples.length ? ` and ${chats - examples.length} more` : ''
  return `the service takes other chats, but refuses ${named}${others}: their clients wait, and the bridge tries on`
}

/** A closed breaker does not mean that the service works: several failures are needed to open it. */
const breakerWords = ({ isOpen, perSecond, failures, refused }: GateState): string => {
  if (isOpen) return 'the service fails: replies wait, and the bridge tries one only occasionally'
  const sent = perSecond === undefined ? 'requests are sent' : `limited to ${perSecond.toFixed(1)} attempts per second`
  const counted = failures === undefined ? sent : `${sent}; failed in a row: ${failures}`
  return refused === undefined ? counted : `${counted}; ${refusedWords(refused)}`
}

const lookAtClients = 'find out at the service whether these clients are blocked or gone. If so, nothing can be done'
const lookAtAnswers = 'look at its last answers: page Statistics, Failed replies'

/** The reason of a failed check may name other accounts, so only operators see it. */
const checkFor = (
  grants: ReadonlyArray<Grant>,
  name: string,
  checks: Readonly<Record<string, Health>>,
  health: Health,
): SystemAnswer['checks'][number] => {
  const state = healthState(name, health, checks)
  const isOperator = grants.some(({ role }) => role === 'operator')
  // The reason of a check that may be outdated would contradict its state.
  const reason = isOperator && state !== 'unknown' ? health.reason : ''
  const first = firstStep(name, state)
  return { name, state, words: healthWords(name, state, checks), reason, ...(first !== undefined && { first }) }
}

export const systemHandlers = (deps: SystemDeps): Handlers<'GET /api/system'> => {
  let last: { readonly at: number; readonly lags: Promise<ReadonlyArray<Lag>> } | undefined
  // One request to Kafka serves all sessions for 2 s.
  const lags = () => {
    const at = deps.monotonic()
    if (last === undefined || at - last.at >= freshMs) last = { at, lags: lagsOf(deps) }
    return last.lags
  }
  return {
    'GET /api/system': async ({ session }) => {
      const [{ ready, checks }, consumers, gates] = await Promise.all([deps.readiness(withinMs), lags(), deps.gates()])
      const answer: SystemAnswer = {
        ready,
        checks: Object.entries(checks).map(([name, health]) => checkFor(session.grants, name, checks, health)),
        breakers: gates
          .filter(({ account }) => rolesFor(session.grants, account).length > 0)
          .map(({ account, ...gate }) => ({
            account,
            isOpen: gate.isOpen,
            reason: breakerWords(gate),
            ...(gate.refused && { refusesChats: true as const }),
            ...(gate.isOpen && { first: lookAtAnswers }),
            ...(!gate.isOpen && gate.refused && { first: lookAtClients }),
          })),
        consumers: [...consumers],
        version: deps.version,
        views: [...viewNames],
      }
      return ok(answer)
    },
  }
}
