import { MongoClient } from 'mongodb'
import { chatAcceptedOf, firstNumber } from '../load/bodies.ts'
import { serve } from '../worker.ts'

export type DriverAsk = { readonly url: string; readonly events: number; readonly chats: number }
export type DriverGiven = { readonly seconds: number }

const perWrite = 1_000

/** MongoDB's driver alone, without Kafka: unordered bulk writes of pipeline upserts of events in memory. */
serve<DriverAsk>(async ({ url, events, chats }): Promise<DriverGiven> => {
  await using client = await MongoClient.connect(url)
  const collection = client.db().collection<{ _id: number }>('chats')
  const { chat_id, ...payload } = chatAcceptedOf(1, firstNumber)
  const fields = Object.fromEntries(Object.entries(payload).map(([name, $literal]) => [name, { $literal }]))
  const began = performance.now()
  for (let from = 0; from < events; from += perWrite) {
    const operations = Array.from({ length: Math.min(perWrite, events - from) }, (_, i) => {
      const number = from + i
      const visitor = { ...payload.visitor, chats_count: firstNumber + Math.floor(number / chats) }
      // In a pipeline a value is an expression: `$literal` keeps the service's values unchanged.
      const update = [{ $set: { ...fields, visitor: { $literal: visitor } } }]
      return { updateOne: { filter: { _id: 1 + (number % chats) }, update, upsert: true } }
    })
    await collection.bulkWrite(operations, { ordered: false, writeConcern: { w: 'majority' } })
  }
  return { seconds: (performance.now() - began) / 1000 }
})
