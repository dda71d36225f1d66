import { randomUUID } from 'node:crypto'
import type { Instant } from '../../../contracts/primitives.ts'
import type { IncomingRecord, OutgoingRecord } from '../../../src/bridge/domain/log/record.ts'
import { type Measure, unmeasured } from '../../../src/bridge/domain/metrics.ts'
import { connectKafka, type KafkaPorts } from '../../../src/bridge/kafka/kafka.ts'
import type { Log } from '../../../src/bridge/shared/log.ts'
import { servers } from '../../support/servers.ts'

/** What a connection has measured and logged, for tests that check it. */
export type Seen = {
  readonly logged: Array<readonly [level: string, message: string, fields: object]>
  readonly restarted: string[]
  readonly deadLetters: string[]
}

export const newSeen = (): Seen => ({ logged: [], restarted: [], deadLetters: [] })

const logOf = ({ logged }: Seen): Log => {
  const at = (level: string) => (fields: object, message: string) => void logged.push([level, message, fields])
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export const measureOf = ({ restarted, deadLetters }: Seen): Measure => ({
  ...unmeasured,
  consumerRestarted: (group) => void restarted.push(group),
  deadLetter: (consumer, cause) => void deadLetters.push(`${consumer}: ${cause}`),
})

export type TestKafka = KafkaPorts & { readonly seen: Seen }

/** A new topic prefix on the broker that all test files share. */
export const newPrefix = (): string => `t${randomUUID().slice(0, 8)}.`

/** Connects to the broker of the tests, or to the given brokers. */
export const connectTestKafka = async (
  prefix: string,
  brokers?: ReadonlyArray<string>,
  partitions = 4,
): Promise<TestKafka> => {
  const seen = newSeen()
  const kafka = connectKafka(
    {
      ssl: false,
      clientId: 'test',
      topicPrefix: prefix,
      partitions,
      brokers: brokers ?? (await servers()).brokers,
    },
    { log: logOf(seen), measure: measureOf(seen), now: () => new Date().toISOString() as Instant },
  )
  return { ...kafka, seen }
}

export const recordOf = (key: string, value: string): OutgoingRecord => ({
  topic: 'chats',
  key,
  value,
  headers: { 'content-type': 'text/plain' },
})

export const textOf = ({ value }: IncomingRecord): string => String(value)

export const withinMs = 20_000
