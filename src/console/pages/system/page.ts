import * as t from 'io-ts'
import { Count, exactShape } from '../../../../contracts/primitives.ts'
import type { TopicName } from '../../../../contracts/topics.ts'
import type { Health } from '../../../bridge/domain/checks.ts'
import type { GateState } from '../../../bridge/egress/delivery/gate.ts'
import { within } from '../../../bridge/shared/timeout.ts'
import { viewNames } from '../../../bridge/views/index.ts'
import { rolesFor } from '../../access/grants.ts'
import type { Backend } from '../../backend.ts'
import { firstStep, healthState, healthWords } from '../../health.ts'
import { everyone, type Grant, ok, page } from '../../page.ts'
import { operations } from './operations.ts'

/** What an operator does first. Absent if nothing has to be done. */
const FirstStep = t.partial({ first: t.string })

/** The readiness of this process with the checks of /readyz, and how far each consumer group is behind. */
export const SystemAnswer = exactShape(
  {
    ready: t.boolean,
    checks: t.array(
      t.intersection([
        t.strict({
          name: t.string,
          state: t.keyof({ works: null, degraded: null, down: null, off: null, waits: null, unknown: null }),
          /** What it means for users. */
          words: t.string,
          /** The reason in the terms of /readyz. Empty for those who are not operators. */
          reason: t.string,
        }),
        FirstStep,
      ]),
    ),
    /**
     * Circuit breakers of accounts that the session may see. Empty if this process does not post bot replies. `isOpen`:
     * the service fails, and the bridge rarely tries a reply. `refusesChats`: it refuses single chats and takes others.
     * `reason`: the state in words.
     */
    breakers: t.array(
      t.intersection([
        t.strict({ account: t.string, isOpen: t.boolean, reason: t.string }),
        t.partial({ refusesChats: t.literal(true) }),
        FirstStep,
      ]),
    ),
    /** `behind` is a number of records; null if it is not known. */
    consumers: t.array(t.strict({ group: t.string, topic: t.string, behind: t.union([Count, t.null]) })),
    version: t.string,
    /** The views that can be rebuilt, in the order of their list. */
    views: t.array(t.string),
  },
  {},
  'SystemAnswer',
)
export type SystemAnswer = t.TypeOf<typeof SystemAnswer>

type KafkaOffsets = Pick<Backend['kafka'], 'ranges' | 'committedOffsets'>

const withinMs = 3_000
const freshMs = 2_000

type Lag = SystemAnswer['consumers'][number]

/** The number of records that a group has not committed yet. Null if it has never committed. */
const behindOf = async (
  { ranges, committedOffsets }: KafkaOffsets,
  group: string,
  topic: TopicName,
): Promise<number | null> => {
  const [ends, committed] = await Promise.all([ranges(topic), committedOffsets(group, topic)])
  if (committed.size === 0) return null
  const each = [...ends].map(([partition, { low, high }]) => Math.max(0, high - (committed.get(partition) ?? low)))
  return each.reduce((sum, count) => sum + count, 0)
}

const lagsOf = (kafka: KafkaOffsets, groups: Backend['groups']): Promise<ReadonlyArray<Lag>> =>
  Promise.all(
    groups.flatMap(({ group, topics }) =>
      topics.map(async (topic) => {
        const asked = behindOf(kafka, group, topic).catch(() => null)
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

type Needs = Pick<Backend, 'readiness' | 'groups' | 'gates' | 'version' | 'monotonic'> & {
  readonly kafka: KafkaOffsets
}

export const system = page({
  name: 'system',
  title: 'System',
  key: 'y',
  roles: everyone,
  routes: {
    'GET /api/system': { answer: SystemAnswer, withoutMongo: true },
    ...operations.routes,
  },
  handlers: (backend: Needs & Parameters<typeof operations.handlers>[0]) => {
    const { readiness, groups, gates, version, monotonic, kafka } = backend
    let last: { readonly at: number; readonly lags: Promise<ReadonlyArray<Lag>> } | undefined
    // One request to Kafka serves all sessions for 2 s.
    const lags = () => {
      const at = monotonic()
      if (last === undefined || at - last.at >= freshMs) last = { at, lags: lagsOf(kafka, groups) }
      return last.lags
    }
    return {
      ...operations.handlers(backend),
      'GET /api/system': async ({ session }) => {
        const [{ ready, checks }, consumers, states] = await Promise.all([readiness(withinMs), lags(), gates()])
        const answer: SystemAnswer = {
          ready,
          checks: Object.entries(checks).map(([name, health]) => checkFor(session.grants, name, checks, health)),
          breakers: states
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
          version,
          views: [...viewNames],
        }
        return ok(answer)
      },
    }
  },
})
