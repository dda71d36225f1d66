import type { ChatHistory } from '../../bridge/domain/chat-history.ts'
import { erasedEnrichments } from '../../bridge/domain/person/erased.ts'
import type { KafkaPorts } from '../../bridge/kafka/kafka.ts'
import type { Mongo } from '../../bridge/mongo/connect.ts'
import { missedErasures } from '../../bridge/privacy/missed/missed-erasures.ts'
import { emptyRestored, storeReceipts } from '../../bridge/privacy/missed/restored-copy.ts'
import { changesOf } from '../../bridge/views/decoded.ts'
import type { Settings } from '../config.ts'

export type MissedErasures = ReturnType<typeof missedErasures>

/** Finds erasures that are in the archive and may be missing in MongoDB. */
export const missedErasuresOf = (
  { kafka, mongo }: { readonly kafka: KafkaPorts; readonly mongo: Mongo },
  { retentionDays }: Pick<Settings, 'retentionDays'>,
): MissedErasures =>
  missedErasures({
    now: Date.now,
    kafka,
    erasures: mongo.erasures,
    keys: mongo.archiveKeys,
    viewsOf: async (topic) => (await mongo.topicsRead.inViews(topic)).id,
    empty: (record, marker) => mongo.applyChanges(changesOf(record, marker)),
    emptyEnrichments: emptyRestored({
      ...mongo,
      fetchRecord: kafka.fetchRecord,
      findErased: erasedEnrichments(mongo.erasures),
    }),
    storeReceipts: storeReceipts(mongo.erasures, mongo.silentPersons, { retentionDays }),
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
