import type { Either } from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Account } from '../../accounts.ts'
import type { LogLevel } from '../../environment.ts'
import type { Readiness } from '../../ingress/health/readiness.ts'
import type { Append, Failure, FindEnrichment, Measure, OutgoingRecord } from '../../ports.ts'

/** What a thread that serves HTTP may ask of the main thread, which has the log, the journal and the database. */
export type MainSide = {
  readonly publish: (
    record: OutgoingRecord,
    event: Pick<DomainEvent, 'type' | 'source'>,
    withinMs: number,
  ) => ReturnType<Append>
  readonly append: Append
  readonly findEnrichment: FindEnrichment
  readonly readiness: (withinMs: number) => Promise<Readiness>
  readonly pulse: () => Promise<void>
  readonly metrics: () => Promise<string>
  readonly request: Measure['request']
  readonly quarantined: Measure['quarantined']
}

/** What the main thread asks of one that serves HTTP. */
export type HttpSide = {
  readonly listen: (host: string, port: number, shared: boolean) => Promise<Either<Failure, { readonly port: number }>>
  readonly stop: () => Promise<void>
}

/** What a thread is started with. */
export type HttpThread = { readonly accounts: ReadonlyArray<Account>; readonly logLevel: LogLevel }
