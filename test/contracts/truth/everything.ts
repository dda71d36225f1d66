import type { MongoClient } from 'mongodb'
import { topics } from '../../../contracts/topics.ts'
import { checkDatabase } from './documents.ts'
import { checkPrefix } from './records.ts'
import { type Tally, tally } from './tally.ts'

export const topicNames = topics.map(({ name }) => name)

/** Checks each record and each document that a bridge has written. */
export const checkEverything = async (
  brokers: ReadonlyArray<string>,
  prefix: string,
  client: MongoClient,
  database: string,
): Promise<Tally> => {
  const found = tally()
  await checkDatabase(client, database, found)
  await checkPrefix(brokers, prefix, topicNames, true, found)
  return found
}
