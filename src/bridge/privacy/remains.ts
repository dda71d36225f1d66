import type { Day } from '../../../contracts/primitives.ts'
import { compactedTopics, expiringTopics } from '../../../contracts/topics.ts'
import type { Remains as Stored } from '../../../contracts/views/erasure.ts'
import { dayMs } from '../shared/time.ts'

type Topic = (typeof expiringTopics)[number]['name'] | (typeof compactedTopics)[number]['name']

/** A store that may have data of an erased person after the markers are in the log. `receipt-words.ts` has its words. */
export type Store =
  | 'event-topics'
  | Topic
  | 'keys-of-removed-enrichments'
  | 'broker-disks'
  | 'oplog'
  | 'backups'
  | 'consumer-copies'

/** What ends the data in a store if no day does. */
export type Condition =
  | 'retention-days-set'
  | 'documents-removed'
  | 'segment-rolled'
  | 'space-reused'
  | 'consumer-confirms'

type Remains = Stored & { readonly store: Store; readonly endsWhen?: Condition }

/** How long plain event topics are kept, and how long the operator keeps backups. */
export type Retention = { readonly retentionDays: number | 'forever'; readonly backupDays?: number }

/** Kafka compacts a topic once its segment is a day old, and looks at it within another day. */
const compactedAfterDays = 2

/** What remains after the markers are in the log, and what ends it. All receipts of a day say the same. */
export const remainsOf = (requestedAt: Date, { retentionDays, backupDays }: Retention): ReadonlyArray<Remains> => {
  const until = (days: number) => ({
    until: new Date(requestedAt.getTime() + days * dayMs).toISOString().slice(0, 10) as Day,
  })
  return [
    {
      store: 'event-topics',
      ...(retentionDays === 'forever' ? { endsWhen: 'retention-days-set', who: 'operator' } : until(retentionDays)),
    },
    ...expiringTopics.map(
      ({ name, cleanUp }): Remains => ({
        store: name,
        ...until(cleanUp.deleteAfterMs / dayMs),
      }),
    ),
    ...compactedTopics.map(({ name }): Remains => ({ store: name, ...until(compactedAfterDays) })),
    { store: 'keys-of-removed-enrichments', endsWhen: 'documents-removed', who: 'operator' },
    { store: 'broker-disks', endsWhen: 'segment-rolled' },
    { store: 'oplog', endsWhen: 'space-reused' },
    { store: 'backups', who: 'owner', ...(backupDays !== undefined && until(backupDays)) },
    { store: 'consumer-copies', endsWhen: 'consumer-confirms', who: 'consumer' },
  ]
}
