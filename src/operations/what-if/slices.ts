import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../../domain/ports.ts'
import type { PartOf, ReadTopic } from '../../kafka/read-topic.ts'

type Slice = ReadonlyArray<IncomingRecord>

/** A topic's records slice by slice, partition after partition. It reads on when the next slice is asked for. */
export async function* slicesOf(
  readTopic: ReadTopic,
  topic: TopicName,
  part: PartOf,
  signal: AbortSignal,
): AsyncGenerator<Slice> {
  const ending = new AbortController()
  let handed: { readonly records: Slice; readonly done: () => void } | undefined
  let ended: { readonly error?: unknown } | undefined
  let wake = () => {}
  const take = (records: Slice) =>
    new Promise<void>((done) => {
      handed = { records, done }
      wake()
    })
  const end = (how: { readonly error?: unknown }) => {
    ended = how
    wake()
  }
  readTopic(topic, take, { part, signal: AbortSignal.any([signal, ending.signal]) }).then(
    (read) => end(E.isLeft(read) ? { error: new Error(`${topic}: ${read.left.reason}`) } : {}),
    (error: unknown) => end({ error }),
  )
  const change = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  try {
    for (;;) {
      while (handed === undefined && ended === undefined) await change()
      if (handed === undefined) break
      const { records, done } = handed
      yield records
      handed = undefined
      done()
    }
    if (ended?.error !== undefined) throw ended.error
    if (signal.aborted) throw new Error('it was interrupted')
  } finally {
    ending.abort()
    handed?.done()
  }
}
