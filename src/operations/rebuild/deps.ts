import type { Sleep } from '../../domain/ports.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import type { ShowProgress } from './progress.ts'

/** What every step of a rebuild needs. */
export type RebuildDeps = {
  readonly kafka: Pick<KafkaRoom, 'consume' | 'ranges' | 'committedOffsets' | 'forgetGroup'>
  readonly say: (line: string) => void
  readonly show: ShowProgress
  readonly sleep: Sleep
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  /** Ends the rebuild early, so that it can be gone on with. */
  readonly signal: AbortSignal
}

/** How a rebuild has ended; `stopped` can be gone on with. */
export type Outcome =
  | { readonly kind: 'done' | 'different' }
  | { readonly kind: 'refused' | 'stopped'; readonly reason: string }

/** The consumer group of a rebuild's writer. */
export const groupOf = (writer: string): string => `rebuild-${writer}`
