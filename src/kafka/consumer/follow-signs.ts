import type { Consumer } from 'kafkajs'
import type { Signs } from './signs.ts'

export type Followed = {
  readonly now: () => Omit<Signs, 'commitFailsSince'>
  /** The coordinator has answered. */
  readonly contact: () => void
  /** What it owns, if anything, is to be given anew. */
  readonly joining: () => void
  readonly ready: () => void
}

/** Notes what a consumer shows of itself. */
export const followSigns = (consumer: Consumer, clock: () => number): Followed => {
  const { HEARTBEAT, FETCH_START, FETCH } = consumer.events
  const fetches = new Map<number, number>()
  let startedAt = clock()
  let contactAt = startedAt
  let fetchAt = startedAt
  let readyAt: number | undefined

  const contact = () => {
    contactAt = clock()
  }
  consumer.on(HEARTBEAT, contact)
  consumer.on(FETCH_START, ({ payload: { nodeId } }) => void fetches.set(nodeId, clock()))
  consumer.on(FETCH, ({ payload: { nodeId } }) => {
    fetches.delete(nodeId)
    fetchAt = clock()
  })
  return {
    now: () => ({ startedAt, readyAt, contactAt, fetchAt: Math.min(fetchAt, ...fetches.values()) }),
    contact,
    joining: () => {
      startedAt = clock()
      readyAt = undefined
    },
    ready: () => {
      // A fetch that failed, or whose broker is gone, is never said to have ended.
      fetches.clear()
      fetchAt = clock()
      readyAt = fetchAt
    },
  }
}
