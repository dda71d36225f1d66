import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { Append, Failure, Publish } from '../domain/ports.ts'
import { within } from '../shared/timeout.ts'
import { recent, recentMemory } from './recent.ts'

const late = (): E.Either<Failure, void> => E.left({ kind: 'transient', reason: 'no acknowledgement in time' })

/** The same port, but settled within the given time whatever stands behind it. */
export const bounded =
  <A>(port: (subject: A, withinMs: number) => ReturnType<Append>) =>
  (subject: A, withinMs: number): ReturnType<Append> =>
    withinMs > 0 ? within(withinMs, port(subject, withinMs), late) : Promise.resolve(late())

/**
 * A digest of what makes an event of Interface B the same as another. Where an id comes again with another content, both are kept
 * in the log, under the same ce_id. Ids hold no control characters, so that the text is unambiguous.
 */
const keyOf = ({ type, id, subject, data }: DomainEvent) =>
  hash('sha256', `${data.accountId}\n${type}\n${subject}\n${id}\n${JSON.stringify(data)}`, 'base64url')

const published: E.Either<Failure, void> = E.right(undefined)

/**
 * The same port, but an event that is being published, or that is in the memory, is not published again:
 * whoever brings it again gets the first one's result. A failed one is forgotten, so that its retry is published.
 */
export const once = (publish: Publish, memory = recentMemory()): Publish => {
  const known = recent(memory)
  const underWay = new Map<string, ReturnType<Publish>>()
  const attempt = async (key: string, event: DomainEvent, withinMs: number) => {
    try {
      const result = await publish(event, withinMs)
      if (E.isRight(result)) known.set(key, 1)
      return result
    } finally {
      underWay.delete(key)
    }
  }
  return (event, withinMs) => {
    const key = keyOf(event)
    const earlier = underWay.get(key)
    if (earlier !== undefined) return earlier
    if (known.get(key) !== undefined) return Promise.resolve(published)
    const first = attempt(key, event, withinMs)
    underWay.set(key, first)
    return first
  }
}
