import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { PublishWithFallback } from './admission.ts'

/**
 * A digest that is the same for the same event of Interface B. If an id comes again with other content, the log keeps
 * both events, under the same ce_id. Ids contain no control characters, so the text is unambiguous.
 */
const keyOf = (event: DomainEvent, dataJson: string) => hash('sha256', `${nameOf(event)}\n${dataJson}`, 'base64url')

/** What must be the same for a repetition. */
const nameOf = ({ type, id, subject, data }: DomainEvent) => `${data.accountId}\n${type}\n${subject}\n${id}`

/** The service tries twice within seconds, so more need not be remembered. */
const maxRemembered = 20_000

/**
 * The same function for Interface B, whose service repeats an event if it received no answer. An event that is being
 * published or was published is not published again: the repetition gets the first one's result. A failed event is
 * forgotten, so that its retry is published. Consumers deduplicate by ce_id what this process does not remember.
 * `onReused` is called for an event whose id came before with other content: consumers ignore it, so somebody must
 * know.
 */
export const deduplicate = (
  publish: PublishWithFallback,
  limit = maxRemembered,
  onReused: (event: DomainEvent) => void = () => undefined,
): PublishWithFallback => {
  const results = new Map<string, ReturnType<PublishWithFallback>>()
  /** The key of the first event with each id. */
  const firsts = new Map<string, string>()
  const noteReuse = (event: DomainEvent, key: string) => {
    const name = nameOf(event)
    const first = firsts.get(name)
    if (first !== undefined && first !== key) onReused(event)
    if (first !== undefined) return
    firsts.set(name, key)
    const [oldest] = firsts.keys()
    if (firsts.size > limit && oldest !== undefined) firsts.delete(oldest)
  }
  const forget = (key: string, result: ReturnType<PublishWithFallback>) => {
    if (results.get(key) === result) results.delete(key)
  }
  return (event, withinMs) => {
    const dataJson = JSON.stringify(event.data)
    const key = keyOf(event, dataJson)
    const earlier = results.get(key)
    if (earlier !== undefined) return earlier
    noteReuse(event, key)
    const result = publish(event, withinMs, dataJson)
    results.set(key, result)
    const [oldest] = results.keys()
    if (results.size > limit && oldest !== undefined) results.delete(oldest)
    result.then(
      (outcome) => {
        if (E.isLeft(outcome)) forget(key, result)
      },
      () => forget(key, result),
    )
    return result
  }
}
