import type { ChatHistory } from '../../bridge/domain/chat-history.ts'
import { erasedEnrichments } from '../../bridge/domain/person/erased.ts'
import type { KafkaPorts } from '../../bridge/kafka/kafka.ts'
import { archiveKeysIn } from '../../bridge/mongo/archive-keys.ts'
import type { MongoConnection } from '../../bridge/mongo/connect.ts'
import { emptyEnrichment, storedEnrichments } from '../../bridge/mongo/enrichments.ts'
import type { Erasures } from '../../bridge/mongo/erasures.ts'
import { silentPersonsIn } from '../../bridge/mongo/silent-persons.ts'
import { topicsReadIn } from '../../bridge/mongo/topics-read.ts'
import { missedErasures } from '../../bridge/privacy/missed/missed-erasures.ts'
import { emptyRestored, storeReceipts } from '../../bridge/privacy/missed/restored-copy.ts'
import { changesOf } from '../../bridge/views/changes.ts'
import type { ApplyChanges } from '../../bridge/views/document.ts'
import type { Settings } from '../config.ts'

export type MissedErasures = ReturnType<typeof missedErasures>

/** Finds erasures that are in the archive and may be missing in MongoDB. */
export const missedErasuresOf = (
  {
    kafka,
    mongo,
    applyChanges,
    erasures,
  }: {
    readonly kafka: KafkaPorts
    readonly mongo: MongoConnection
    readonly applyChanges: ApplyChanges
    readonly erasures: Erasures
  },
  { retentionDays }: Pick<Settings, 'retentionDays'>,
): MissedErasures =>
  missedErasures({
    now: Date.now,
    kafka,
    erasures,
    keys: mongo.query(archiveKeysIn),
    viewsOf: async (topic) => (await mongo.query(topicsReadIn).inViews(topic)).id,
    empty: (record, marker) => applyChanges(changesOf(record, marker)),
    emptyEnrichments: emptyRestored({
      storedEnrichments: mongo.query(storedEnrichments),
      emptyEnrichment: mongo.query(emptyEnrichment),
      fetchRecord: kafka.fetchRecord,
      findErased: erasedEnrichments(erasures),
    }),
    storeReceipts: storeReceipts(erasures, mongo.query(silentPersonsIn), { retentionDays }),
  })

/** Reads nothing before the missed erasures are applied: MongoDB may have been restored with persons who are erased. */
export const historyAfter = (apply: () => Promise<void>, { has, read }: ChatHistory): ChatHistory => ({
  has: async (...asked) => {
    await apply()
    return has(...asked)
  },
  read: async (...asked) => {
    await apply()
    return read(...asked)
  },
})
