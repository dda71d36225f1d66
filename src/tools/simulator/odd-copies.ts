import { type Odd, oddForm, type Path } from './odd.ts'
import type { Attempt } from './post.ts'
import { randomNumbers } from './random.ts'

type Payload = Readonly<Record<string, unknown>>

/** The odd copy of an event that the bridge has taken: its name, its chat or client, its odd field, and the answer. */
export type OddCopy = {
  readonly name: string
  readonly subject: string
  readonly api: 'webhooks' | 'bot'
  /** Of a bot's event. */
  readonly id?: string
  readonly path: Path
  readonly answer: Attempt | undefined
}

/** How proxies leave the type of a body that is JSON. */
const contentTypes = [
  'application/json',
  'application/json, application/json',
  'text/plain',
  'application/octet-stream',
]

/** The id of the chat or client that gets the odd copies of this one's events. */
export const oddly = (id: string) => `odd-${id}`

const idsOf = (payload: Payload): Payload => {
  if (payload.event_name === 'client_updated') return { client_id: oddly(String(payload.client_id)) }
  const chat = { chat_id: oddly(String(payload.chat_id)) }
  return payload.event === undefined ? chat : { ...chat, id: oddly(String(payload.id)) }
}

/**
 * Sends some events a second time, in an odd form. The copies have a chat or client of their own, so they change
 * nothing about that of the original events.
 */
export const createOddCopies = ({ share, seed }: Odd) => {
  const random = randomNumbers(seed)
  const copies: OddCopy[] = []
  return {
    copies,
    beside: async (payload: Payload, send: (odd: Payload, contentType: string) => Promise<Attempt | undefined>) => {
      if (random() >= share) return
      const ids = idsOf(payload)
      const { payload: odd, path } = oddForm({ ...payload, ...ids }, random)
      const contentType = contentTypes[Math.floor(random() * contentTypes.length)] ?? 'application/json'
      copies.push({
        name: String(payload.event_name ?? payload.event),
        subject: String(ids.chat_id ?? ids.client_id),
        ...(ids.id === undefined ? { api: 'webhooks' } : { api: 'bot', id: String(ids.id) }),
        path,
        answer: await send(odd, contentType),
      })
    },
  }
}
