import type { ChatHistory } from '../../bridge/domain/chat-history.ts'
import { erasedEnrichments } from '../../bridge/domain/person/erased.ts'
import type { KafkaPorts } from '../../bridge/kafka/kafka.ts'
import { readOrThrow } from '../../bridge/kafka/read-topic.ts'
import { fromRecord } from '../../bridge/kafka/records.ts'
import type { Mongo } from '../../bridge/mongo/connect.ts'
import { missedErasures } from '../../bridge/privacy/missed/missed-erasures.ts'
import { emptyRestored } from '../../bridge/privacy/missed/restored-enrichments.ts'
import { keepReceipts } from '../../bridge/privacy/missed/restored-receipts.ts'
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
    ...mongo.erasures,
    committed: kafka.committedOffsets,
    endOffsets: kafka.endOffsets,
    ranges: kafka.ranges,
    topicIds: kafka.topicIds,
    viewsOf: async (topic) => (await mongo.topicsRead.inViews(topic)).id,
    offsetsAt: kafka.offsetsAt,
    readTopic: (...asked) => readOrThrow(kafka.readTopic, ...asked),
    decode: fromRecord,
    keys: mongo.archiveKeys,
    emptyEnrichments: emptyRestored({
      ...mongo,
      fetchRecord: kafka.fetchRecord,
      findErased: erasedEnrichments(mongo.erasures),
    }),
    empty: (record, marker) => mongo.applyChanges(changesOf(record, marker)),
    keepReceipts: keepReceipts(mongo.erasures, mongo.silentPersons, { retentionDays }),
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
