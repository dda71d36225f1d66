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

export type Path = ReadonlyArray<string>

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The paths of every value inside a value, those of items of lists included. */
export const pathsOf = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  isContainer(value)
    ? Object.entries(value).flatMap(([key, child]) => [[...path, key], ...pathsOf(child, [...path, key])])
    : []

export const valueAt = (value: unknown, [key, ...rest]: Path): unknown => {
  if (key === undefined) return value
  return isContainer(value) ? valueAt(value[key], rest) : undefined
}

const copyOf = (value: Record<string, unknown>): Record<string, unknown> =>
  Array.isArray(value) ? Object.assign([], value) : { ...value }

/** Copies only what contains the path: a copy of a raw number would be an object. */
const changed = (
  value: unknown,
  [key, ...rest]: Path,
  change: (parent: Record<string, unknown>, key: string) => void,
): unknown => {
  if (!isContainer(value) || key === undefined) return value
  const copy = copyOf(value)
  if (rest.length === 0) change(copy, key)
  else copy[key] = changed(copy[key], rest, change)
  return copy
}

export const withValue = (value: unknown, path: Path, other: unknown): unknown =>
  changed(value, path, (parent, key) => {
    parent[key] = other
  })

export const without = (value: unknown, path: Path): unknown =>
  changed(value, path, (parent, key) => {
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
  })

const { rawJSON } = JSON as JSON & { readonly rawJSON: (text: string) => unknown }

/** A number that no double can hold, which is sent as its digits. */
export const beyondDoubles = rawJSON('1e400')

/** Values of every kind, and the given value nested, in a list, and repeated. */
export const oddities = (value: unknown): ReadonlyArray<unknown> => [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e21,
  '',
  ' ',
  'x',
  '1',
  beyondDoubles,
  '\ud800',
  'x'.repeat(300),
  [],
  {},
  [[]],
  [{}],
  ['x', 'x'],
  [null],
  { 1: 'x', 3: {} },
  { 0: 'x', name: 'y' },
  { id: {} },
  { a: { b: { c: [{ d: 1 }] } } },
  { nested: value ?? null },
  [value ?? null, value ?? null],
]

/** What a payload loses only with the event itself: its name, its ids and, of a client's message, the message. */
const essential = (payload: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const names = ['event_name', 'event', 'chat_id']
  if (payload.event_name === 'client_updated') return [...names, 'client_id']
  if (payload.event === 'CLIENT_MESSAGE') return [...names, 'id', 'client_id', 'message']
  return payload.event === undefined ? names : [...names, 'id']
}

const isWithin = (path: Path, other: Path) => path.every((key, i) => other[i] === key)

/** A payload with one odd field, and the path of that field. */
export type OddForm = { readonly payload: Readonly<Record<string, unknown>>; readonly path: Path }

/**
 * Gives a payload another form: one of its fields has a wrong value, is left out, nested or repeated. What makes the
 * payload an event stays as it is, and so does what `kept` names. The same numbers give the same forms.
 */
export const oddForm = (
  payload: Readonly<Record<string, unknown>>,
  random: () => number,
  kept: ReadonlyArray<Path> = [],
): OddForm => {
  const fixed = [...essential(payload).map((name) => [name]), ...kept]
  const paths = pathsOf(payload).filter((path) => !fixed.some((each) => isWithin(path, each)))
  const pick = <A>(values: ReadonlyArray<A>) => values[Math.floor(random() * values.length)]
  const path = pick(paths) ?? ['odd']
  const forms = oddities(valueAt(payload, path)).map((value) => withValue(payload, path, value))
  const form = pick([...forms, without(payload, path)])
  return { payload: isContainer(form) ? form : payload, path }
}

export type Odd = {
  /** The share of events that are also sent in an odd form, from 0 to 1. */
  readonly share: number
  /** The same seed gives the same forms for the same events. */
  readonly seed: number
}
