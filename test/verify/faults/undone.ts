import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { callEvent, clientUpdated } from '../../../src/tools/simulator/payloads.ts'
import type { Documents, Exchange, LogRecord } from './history.ts'
import type { Event } from './traffic.ts'

/** The states of a subject in turn: the first, another, the first again, and once more the first. */
const steps = ['first', 'other', 'first', 'first'] as const
type Content = string
type Kind = { readonly topic: 'clients' | 'calls'; readonly build: (id: number, content: Content) => object }

const callStatus: Readonly<Record<Content, string>> = { first: 'start', other: 'end' }
const { call } = callEvent()
const kinds: ReadonlyArray<Kind> = [
  {
    topic: 'clients',
    build: (id, content) => clientUpdated({ client_id: String(id), status: { id: '1', title: content } }),
  },
  {
    topic: 'calls',
    build: (id, content) => callEvent({ chat_id: id, call: { ...call, status: callStatus[content] } }),
  },
]

/**
 * A worker's events: all steps of a client, of a call, of the next client, and so on; equal steps have equal bodies.
 */
export function* undoing(worker: number, workers: number): Generator<Event> {
  for (let id = 1 + worker; ; id += workers)
    for (const { topic, build } of kinds)
      for (const [i, content] of steps.entries())
        yield { chat: `${topic} acme/${id}`, seq: i + 1, api: 'webhooks', body: JSON.stringify(build(id, content)) }
}

type Data = { readonly status?: { readonly title: string }; readonly call?: { readonly status: string } }

const contentOf = ({ value }: IncomingRecord): Content => {
  const { status, call: told }: Data = JSON.parse(String(value))
  return status?.title ?? (told?.status === callStatus.other ? 'other' : 'first')
}
const chatOf = ({ topic, key }: IncomingRecord) => `${topic} ${key}`
const idOf = ({ headers }: IncomingRecord) => `${headers.ce_source} ${headers.ce_id}`

/** By subject: the first record of each event, in the order of the log. */
export const eventsOf = (log: ReadonlyArray<IncomingRecord>): ReadonlyMap<string, ReadonlyArray<IncomingRecord>> => {
  const first = new Map<string, IncomingRecord>()
  for (const record of [...log].sort((a, b) => a.offset - b.offset))
    if (!first.has(`${chatOf(record)} ${idOf(record)}`)) first.set(`${chatOf(record)} ${idOf(record)}`, record)
  return Map.groupBy(first.values(), chatOf)
}

const sets = ([first, ...rest]: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  first === undefined ? [[]] : sets(rest).flatMap((each) => [each, [first, ...each]])

/**
 * The numbers of the requests that may have caused the events of a subject: all that were answered 200, and some that
 * were not. Undefined if no choice gives these contents in this order.
 */
const numbersOf = (contents: ReadonlyArray<Content>, requests: ReadonlyArray<Exchange>) => {
  const accepted = requests.filter(({ status }) => status === 200).map(({ seq }) => seq)
  const open = requests.filter(({ status }) => status !== 200).map(({ seq }) => seq)
  return sets(open)
    .map((some) => [...accepted, ...some].sort((a, b) => a - b))
    .find((seqs) => seqs.length === contents.length && seqs.every((seq, i) => steps[seq - 1] === contents[i]))
}

/** The log for the checker, with the number of each record's request, found by content and order alone. */
export const numbered = (
  history: ReadonlyArray<Exchange>,
  log: ReadonlyArray<IncomingRecord>,
): ReadonlyArray<LogRecord> => {
  const requests = Map.groupBy(history, ({ chat }) => chat)
  const seqs = new Map<string, number>()
  for (const [chat, events] of eventsOf(log)) {
    const numbers = numbersOf(events.map(contentOf), requests.get(chat) ?? [])
    for (const [i, seq] of (numbers ?? []).entries()) seqs.set(`${chat} ${idOf(events[i] as IncomingRecord)}`, seq)
  }
  return log.map((record) => {
    const [chat, id] = [chatOf(record), idOf(record)]
    return { chat, id, seq: seqs.get(`${chat} ${id}`), partition: record.partition, offset: record.offset }
  })
}

type Told = {
  readonly status?: { readonly title: string }
  readonly history?: ReadonlyArray<{ readonly status: string }>
}

/** Documents whose end differs from the log's, or that count a record which repeats another one. */
export const notAsTold = (log: ReadonlyArray<IncomingRecord>, documents: Documents): ReadonlyArray<string> =>
  [...eventsOf(log)].flatMap(([chat, events]) => {
    const contents = events.map(contentOf)
    const { status, history = [] }: Told = Object(documents[chat])
    const changes = contents.filter((content, i) => content !== contents[i - 1])
    const [expected, actual] = chat.startsWith('calls')
      ? [changes.map((content) => callStatus[content]).join(), history.map((step) => step.status).join()]
      : [contents.at(-1), status?.title]
    return expected === actual ? [] : [`${chat}: ${actual}, and not ${expected}`]
  })
