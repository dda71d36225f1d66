import * as E from 'fp-ts/lib/Either.js'
import { MongoClient } from 'mongodb'
import type { IncomingRecord } from '../../src/domain/ports.ts'
import { decodeRecord } from '../../src/kafka/records.ts'
import { changesOf } from '../../src/views/decoded.ts'
import { asFolded, memoryViews } from '../support/memory-views.ts'
import type { Documents } from './history.ts'

/** Without `daily_stats`, which is computed from the others, and enrichments, which these topics do not contain. */
const views = [
  'chats',
  'calls',
  'clients',
  'offline_messages',
  'conversations',
  'timeline',
  'deliveries',
  'sessions',
  'drift',
]

/** A pure fold of the events and commands in the log; other records change nothing. */
export const foldOf = async (log: ReadonlyArray<IncomingRecord>): Promise<Documents> => {
  const { applyChanges, documents } = memoryViews()
  for (const record of log) {
    const decoded = decodeRecord(record)
    if (E.isRight(decoded)) await applyChanges(changesOf(record, decoded.right))
  }
  return documents()
}

/** Every document in MongoDB, unchanged. */
export const readViews = async (url: string): Promise<Documents> => {
  await using client = await MongoClient.connect(url)
  const all = await Promise.all(
    views.map(async (view) => {
      const documents = await client.db().collection(view).find({}).toArray()
      return documents.map((document) => [`${view} ${document._id}`, asFolded<object>(document)] as const)
    }),
  )
  return Object.fromEntries(all.flat())
}
