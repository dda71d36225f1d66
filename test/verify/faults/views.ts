import * as E from 'fp-ts/lib/Either.js'
import { MongoClient } from 'mongodb'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { decodeRecord } from '../../../src/bridge/kafka/records.ts'
import { changesOf } from '../../../src/bridge/views/changes.ts'
import { memoryViews } from '../../support/memory-views.ts'
import { storedViews } from '../../support/stored-views.ts'
import type { Documents } from './history.ts'

/** A pure fold of the events and commands in the log; other records change nothing. */
export const foldOf = async (log: ReadonlyArray<IncomingRecord>): Promise<Documents> => {
  const { applyChanges, documents } = memoryViews()
  for (const record of log) {
    const decoded = decodeRecord(record)
    if (E.isRight(decoded)) await applyChanges(changesOf(record, decoded.right))
  }
  return documents()
}

/** Every document in MongoDB, as the fold writes it. */
export const readViews = async (url: string): Promise<Documents> => {
  await using client = await MongoClient.connect(url)
  return await storedViews(client.db())
}
