import * as E from 'fp-ts/lib/Either.js'
import type { Health } from '../../domain/ports.ts'
import type { EgressPorts } from '../ports.ts'
import { retryUntilAborted } from '../retry.ts'
import type { ToldEvent } from './outcome.ts'

/** Kafka's own producer repeats until an event is durable: a second call would only append it a second time. */
const withinMs = Number.POSITIVE_INFINITY
const stuckAfterMs = 30_000

export type Announcer = {
  /** Publishes until durable: true; false only when the worker stops before that. */
  readonly announce: (event: ToldEvent) => Promise<boolean>
  readonly health: () => Health
}

/** A log that refuses an event for good, for its size, gets it without the message: the outcome counts, not the text. */
const withoutMessage = (event: ToldEvent): ToldEvent => {
  if (!('message' in event.data)) return event
  const { message: _, ...data } = event.data
  return { ...event, data } as ToldEvent
}

type Ports = Pick<EgressPorts, 'publish' | 'sleep' | 'random' | 'log' | 'monotonic'>

export const announcer = (ports: Ports, stopping: AbortSignal): Announcer => {
  const waiting = new Map<string, number>()
  return {
    announce: async (event) => {
      let told = event
      waiting.set(event.id, ports.monotonic())
      const publish = async () => {
        const result = await ports.publish(told, withinMs)
        if (E.isRight(result)) return
        if (result.left.kind !== 'transient') told = withoutMessage(told)
        throw new Error(result.left.reason)
      }
      const published = await retryUntilAborted(ports, 'outcome', publish, stopping)
      waiting.delete(event.id)
      return published !== undefined
    },
    health: () => {
      const oldest = Math.min(...waiting.values())
      return ports.monotonic() - oldest > stuckAfterMs
        ? { ok: false, reason: `${waiting.size} outcomes of replies cannot be published` }
        : { ok: true, reason: 'outcomes of replies are published' }
    },
  }
}
