import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../contracts/topics.ts'
import type { Account } from '../bridge/domain/accounts.ts'
import type { Now } from '../bridge/domain/clock.ts'
import type { Egress } from '../bridge/egress/egress.ts'
import type { Refusal } from '../bridge/http/answer.ts'
import type { ReadReadiness } from '../bridge/http/health.ts'
import type { KafkaPorts } from '../bridge/kafka/kafka.ts'
import type { Query } from '../bridge/mongo/connect.ts'
import type { Erasures } from '../bridge/mongo/erasures.ts'
import type { Redrives } from '../bridge/mongo/redrives.ts'
import { readIn, type Source } from '../bridge/mongo/source.ts'
import type { Sleep } from '../bridge/shared/time.ts'
import { type RecordActionOf, unavailable } from './page.ts'

/** A consumer group of the bridge, with the topics on which it commits offsets. */
export type Group = { readonly group: string; readonly topics: ReadonlyArray<TopicName> }

/** Reads the rows of a page's source. Left if MongoDB does not answer in time. */
export type ReadSource = <Row>(source: Source<Row>) => Promise<E.Either<Refusal, ReadonlyArray<Row>>>

export const readingWith = (query: Query): ReadSource => {
  const read = query(readIn)
  return async (source) =>
    E.mapLeft(({ reason }: { readonly reason: string }) => unavailable(reason))(await read(source))
}

/** All that pages get from the bridge. Each says which of it its handlers need. */
export type Backend = {
  readonly accounts: ReadonlyArray<Account>
  readonly timeZoneOf: (accountId: string) => string
  readonly now: Now
  /** A monotonic clock, in ms. */
  readonly monotonic: () => number
  readonly sleep: Sleep
  readonly read: ReadSource
  readonly recordActionOf: RecordActionOf
  readonly kafka: KafkaPorts
  readonly erasures: Erasures
  readonly redrives: Redrives
  readonly readiness: ReadReadiness
  readonly groups: ReadonlyArray<Group>
  /** The gates of the role egress: of this process, or of the other one. */
  readonly gates: () => ReturnType<Egress['gates']> | Promise<ReturnType<Egress['gates']>>
  readonly version: string
  readonly traceUrlTemplate: string | undefined
}
