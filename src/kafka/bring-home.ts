import * as E from 'fp-ts/lib/Either.js'
import { botConversations } from '../../contracts/topics.ts'
import type { Failure, IncomingRecord, Sleep } from '../domain/ports.ts'
import type { Spreads } from './spread/spreads.ts'
import { allHeaders, type WireRecord } from './wire-record.ts'

/**
 * Appends a record again that stands in another partition than its key's conversation, so that it is read where that is known:
 * true when it is durable there. False where it is to be handled as it stands: in its place, without a key, or brought already.
 * Undefined when the room stops before that is known.
 */
export type BringHome = (record: IncomingRecord) => Promise<boolean | undefined>

type Deps = {
  /** Left transient is tried again. */
  readonly append: (record: WireRecord) => Promise<E.Either<Failure, void>>
  readonly spreads: Pick<Spreads, 'ready' | 'known' | 'partitionOf'>
  readonly sleep: Sleep
}

/** Instances that do not agree on where a record belongs must not send it back and forth. */
const brought = 'brought-home'
const againAfterMs = 500

export const bringHomeWith =
  ({ append, spreads, sleep }: Deps, isStopping: () => boolean): BringHome =>
  async (record) => {
    const { topic, key, value, partition, headers } = record
    if (key === null || headers[brought] !== undefined) return false
    const home = async () => {
      await spreads.ready([botConversations.name])
      return spreads.partitionOf(topic, key, spreads.known(topic)?.of ?? 0)
    }
    const attempt = async (): Promise<boolean | undefined> => {
      const to = await home()
      if (to === undefined || to === partition) return false
      const appended = await append({ topic, key, value, headers: { ...allHeaders(record), [brought]: '1' } })
      if (E.isRight(appended)) return true
      return appended.left.kind === 'transient' ? undefined : false
    }
    for (;;) {
      const outcome = await attempt().catch(() => undefined)
      if (outcome !== undefined || isStopping()) return outcome
      await sleep(againAfterMs)
    }
  }
