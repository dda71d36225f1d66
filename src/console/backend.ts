import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../contracts/topics.ts'
import type { Now } from '../bridge/domain/clock.ts'
import type { Egress } from '../bridge/egress/egress.ts'
import type { Refusal } from '../bridge/http/answer.ts'
import type { ReadReadiness } from '../bridge/http/health.ts'
import type { Query } from '../bridge/mongo/connect.ts'
import { type Find, type NotKnown, readFittingIn, readIn, type Source } from '../bridge/mongo/source.ts'
import type { AnyOperation, Resources } from '../bridge/operations/operation.ts'
import type { Sleep } from '../bridge/shared/time.ts'
import { type RecordActionOf, tooMuch, unavailable } from './page.ts'

/** A consumer group of the bridge, with the topics on which it commits offsets. */
export type Group = { readonly group: string; readonly topics: ReadonlyArray<TopicName> }

/** Reads the rows of a page's source. Left if MongoDB does not answer in time. */
export type ReadSource = <Row>(source: Source<Row>) => Promise<E.Either<Refusal, ReadonlyArray<Row>>>

type Fitting<Row> = { readonly rows: ReadonlyArray<Row>; readonly areAll: boolean }
/** Reads the first rows, at most `most`, that fit into 8 MiB, and at least one. */
export type ReadFitting = <Row>(source: Find<Row>, most: number) => Promise<E.Either<Refusal, Fitting<Row>>>

const orUnavailable = E.mapLeft(({ reason, isTooMuch }: NotKnown) =>
  isTooMuch ? tooMuch(reason) : unavailable(reason),
)

export const readingWith = (query: Query): ReadSource => {
  const read = query(readIn)
  return async (source) => orUnavailable(await read(source))
}

export const readingFitting = (query: Query): ReadFitting => {
  const read = query(readFittingIn)
  return async (source, most) => orUnavailable(await read(source, most))
}

/** What operations can work with in the console. The keys of the archive are only where the archiver runs. */
export type ConsoleResources = Omit<
  Resources,
  'wrapping' | 'appendTo' | 'consoleSessions' | 'running' | 'consoleUrl' | 'dataFolder'
>

/** All that pages get from the bridge. Each says which of it its handlers need. */
export type Backend = ConsoleResources & {
  readonly timeZoneOf: (accountId: string) => string
  readonly now: Now
  /** A monotonic clock, in ms. */
  readonly monotonic: () => number
  readonly sleep: Sleep
  readonly read: ReadSource
  readonly readFitting: ReadFitting
  readonly recordActionOf: RecordActionOf
  readonly readiness: ReadReadiness
  readonly groups: ReadonlyArray<Group>
  /** The gates of the role egress: of this process, or of the other one. */
  readonly gates: () => ReturnType<Egress['gates']> | Promise<ReturnType<Egress['gates']>>
  readonly operations: ReadonlyArray<AnyOperation>
  readonly version: string
  readonly traceUrlTemplate: string | undefined
}
