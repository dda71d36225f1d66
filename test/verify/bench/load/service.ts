import { setTimeout as wait } from 'node:timers/promises'
import { startService } from '../../../../src/tools/simulator/service.ts'
import { always } from '../../../support/behaviours.ts'
import { accountId, botToken, providerId } from '../account.ts'
import { type Latency, latencies } from './latencies.ts'

export type Answered = {
  readonly sent: number
  /** How many never arrived; 0 if all did. */
  readonly missing: number
  /** How many arrived more than once. */
  readonly repeated: number
  readonly latency: Latency
}

/** Longer than the bridge waits for a response. */
const stuckMs = 60_000
const now = () => performance.now()

/** The chat service's side: receives bot messages, and finds by their text when each was due. */
export const startListening = async () => {
  const service = await startService({ accounts: [{ id: accountId, providerId, token: botToken }], now })
  const heard = new Map<string, number[]>()
  let read = 0
  const take = () => {
    const requests = service.requests()
    for (; read < requests.length; read++) {
      const { event, at } = requests[read] ?? {}
      if (event?.event !== 'BOT_MESSAGE' || at === undefined) continue
      const { text = '' } = event.message
      heard.set(text ?? '', [...(heard.get(text ?? '') ?? []), at])
    }
  }
  return {
    url: service.baseUrl,
    /** From now on requests of this chat hang. */
    stick: (chatId: string) => service.misbehave(always({ kind: 'delay', ms: stuckMs }), chatId),
    /** Waits until all have arrived, or none has for this long; `due` says when each text was due. */
    answered: async (due: ReadonlyMap<string, number>, withinMs = 60_000): Promise<Answered> => {
      let last = now()
      let seen = -1
      const got = () => [...due.keys()].filter((text) => heard.has(text)).length
      for (take(); got() < due.size && now() - last < withinMs; take()) {
        if (heard.size !== seen) last = now()
        seen = heard.size
        await wait(100)
      }
      const { record, summary } = latencies()
      let repeated = 0
      for (const [text, at] of due) {
        const times = heard.get(text) ?? []
        repeated += Math.max(0, times.length - 1)
        if (times[0] !== undefined) record(times[0] - at)
      }
      return { sent: due.size, missing: due.size - got(), repeated, latency: summary() }
    },
  }
}
