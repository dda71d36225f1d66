import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../../bridge/domain/log/record.ts'
import type { PartOf, ReadTopic } from '../../bridge/kafka/read-topic.ts'

/** A topic's records slice by slice, partition after partition. It reads on when the next slice is asked for. */
export const readSlices = (
  readTopic: ReadTopic,
  topic: TopicName,
  part: PartOf,
  signal: AbortSignal,
): AsyncIterable<ReadonlyArray<IncomingRecord>> => {
  const ending = new AbortController()
  const slices = new PassThrough({ objectMode: true, highWaterMark: 1 })
  slices.once('close', () => ending.abort())
  const take = async (records: ReadonlyArray<IncomingRecord>) => {
    if (!slices.write(records)) await once(slices, 'drain', { signal: ending.signal })
  }
  readTopic(topic, take, { part, signal: AbortSignal.any([signal, ending.signal]) }).then(
    (read) => {
      if (E.isLeft(read)) slices.destroy(new Error(`${topic}: ${read.left.reason}`))
      else if (signal.aborted) slices.destroy(new Error('it was interrupted'))
      else slices.end()
    },
    (error: Error) => slices.destroy(error),
  )
  return slices
}
