import type { Db } from 'mongodb'
import type { Instant } from '../../contracts/primitives.ts'
import type { ConversationDocument } from '../../contracts/views/conversation.ts'
import { within } from './deadline.ts'

const queryMs = 10_000

/**
 * The conversations of these accounts whose client waits for a word (`silentSince`), as far as this partition of
 * bot-conversations has them and something has happened in them since then. Throws when that is not known within 10 s.
 */
export const openTurns =
  (db: Db) =>
  (
    partition: number,
    accountIds: ReadonlyArray<string>,
    since: Instant,
  ): Promise<ReadonlyArray<ConversationDocument>> => {
    const waiting = {
      accountId: { $in: [...accountIds] },
      silentSince: { $exists: true },
      lastEventAt: { $gte: since },
      [`applied.bot-conversations/${partition}`]: { $exists: true },
    }
    return within(
      queryMs,
      db
        .collection<ConversationDocument>('conversations')
        .find(waiting as object, { maxTimeMS: queryMs, batchSize: 1_000, projection: { lastMessage: 0 } })
        .toArray(),
    )
  }
