import type { Either } from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Account } from '../../domain/accounts.ts'
import type { Append, Failure, Measure, OutgoingRecord } from '../../domain/ports.ts'
import type { Readiness } from '../../ingress/health/readiness.ts'
import type { IngressMemory } from '../../ingress/memory.ts'
import type { FindEnrichments } from '../../mongo/enrichments.ts'
import type { LogLevel } from '../environment.ts'

/** What a thread that serves HTTP may ask of the main thread, which has the log, the journal and the database. */
export type MainSide = {
  readonly publish: (
    record: OutgoingRecord,
    event: Pick<DomainEvent, 'type' | 'source'>,
    withinMs: number,
  ) => ReturnType<Append>
  readonly append: Append
  readonly findEnrichments: FindEnrichments
  readonly readiness: (withinMs: number) => Promise<Readiness>
  readonly pulse: () => Promise<void>
  readonly metrics: () => Promise<string>
  readonly request: Measure['request']
  readonly quarantined: Measure['quarantined']
}

/** The same as it is said from thread to thread: all of a turn's events and measurements together. */
export type MainPort = Omit<MainSide, 'publish' | 'request'> & {
  /** A parcel's records are published; what became of each is told to `settled` or `failed`. */
  readonly publish: (parcel: Uint8Array) => void
  /** Interface, status and seconds of each request, one after the other. */
  readonly requests: (measured: ReadonlyArray<string | number>) => void
}

/** What the main thread asks of one that serves HTTP. */
export type HttpSide = {
  /** The numbers of records that are durable. */
  readonly settled: (numbers: ReadonlyArray<number>) => void
  /** A record's number, and why it is not known to be durable; none where the main thread itself has failed. */
  readonly failed: (number: number, failure: Failure | undefined) => void
  readonly listen: (host: string, port: number, shared: boolean) => Promise<Either<Failure, { readonly port: number }>>
  readonly cease: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** What a thread is started with. */
export type HttpThread = {
  readonly accounts: ReadonlyArray<Account>
  readonly logLevel: LogLevel
  /** Shared with the other threads: what the instance remembers, and the filter of enriched keys. */
  readonly memory: IngressMemory
  readonly enriched: SharedArrayBuffer
}
