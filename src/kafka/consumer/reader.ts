import type { TopicName } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../../domain/ports.ts'

export type Trouble = { readonly since: number; readonly failures: number; readonly error: string }

/** One partition while it is this member's, in one generation of the group. */
export type PartitionReader = {
  readonly topic: TopicName
  readonly partition: number
  readonly topicId: string
  /** The offset that is to be fetched next. */
  readonly position: () => number
  /** The offset after the last finished record, to be committed; undefined while there is none. */
  readonly finished: () => number | undefined
  readonly add: (records: ReadonlyArray<IncomingRecord>, next: number, end: number) => void
  readonly wantsMore: () => boolean
  readonly isIdle: () => boolean
  readonly trouble: () => Trouble | undefined
  /** Since when the handler has the slice that it has now. */
  readonly busySince: () => number | undefined
  /** Settles when no handler runs. */
  readonly handled: () => Promise<void>
  /** Begins no further slice; what runs may finish. */
  readonly close: () => void
  /** The same, and what still runs has no effect any more. */
  readonly retire: () => void
}
