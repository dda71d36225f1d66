import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import { chatAccepted, chatFinished, chatUpdated } from '../../../../src/tools/simulator/payloads.ts'
import type { Exchange } from '../history.ts'
import type { Event } from '../traffic.ts'

const mebibyte = 1024 ** 2
const maxBodyBytes = 8 * mebibyte
const count = 2_200
const text = 'All about the delivery of shoes. '.repeat(18)
const messages = Array.from({ length: count }, (_, n) => ({
  message: `${n} ${text}`,
  timestamp: 1665396476 + n,
  ...(n % 2 === 0 ? { type: 'visitor' } : { type: 'agent', agent_id: 1 }),
}))
const plain = messages.map(({ message }) => message).join('\n')
const html = messages.map(({ message }) => `<p>${message}</p>`).join('')
const { chat } = chatFinished()
/** Each number has five bytes in the request and 22 bytes after it was read. */
const growing = (numbers: number) => `[${Array(numbers).fill('1e20').join()}]`
const some = growing(200_000)
const most = growing(800_000)

type Common = Readonly<Record<string, unknown>>
const withBurden = (payload: object, burden: string) => `${JSON.stringify(payload).slice(0, -1)},"burden":${burden}}`
const finished = (common: Common) =>
  JSON.stringify(chatFinished({ ...common, chat: { ...chat, messages }, plain_messages: plain, html_messages: html }))

/** A request's body, the required status of the response, and a check of the content of its event. */
type Kind = {
  readonly name: string
  readonly status: number
  readonly body: (common: Common) => string
  readonly isWhole?: (data: Data) => boolean
}
type Data = {
  readonly chat?: { readonly messages: ReadonlyArray<unknown> }
  readonly plainMessages?: string
  readonly htmlMessages?: string
  readonly omitted?: ReadonlyArray<string>
  readonly extra?: { readonly burden?: ReadonlyArray<unknown> }
}
const hasBurden = (numbers: number) => (data: Data) =>
  data.extra?.burden?.length === numbers && data.extra.burden.every((each) => each === 1e20)

/** A chat's events in turn. The number of the event in its chat selects the kind. */
const kinds: ReadonlyArray<Kind> = [
  { name: 'small', status: 200, body: (common) => JSON.stringify(chatAccepted(common)) },
  {
    name: 'the end of a chat of 2,200 messages',
    status: 200,
    body: finished,
    isWhole: ({ chat: log, plainMessages, htmlMessages, omitted = [] }) =>
      log?.messages.length === count &&
      (plainMessages === plain || omitted.includes('plainMessages')) &&
      (htmlMessages === html || omitted.includes('htmlMessages')),
  },
  {
    name: '200,000 times 1e20',
    status: 200,
    isWhole: hasBurden(200_000),
    body: (common) => withBurden(chatUpdated(common), some),
  },
  {
    name: 'more than 8 MiB',
    status: 413,
    body: (common) => withBurden(chatUpdated(common), `"${'x'.repeat(maxBodyBytes)}"`),
  },
  {
    name: '800,000 times 1e20',
    status: 200,
    isWhole: hasBurden(800_000),
    body: (common) => withBurden(chatUpdated(common), most),
  },
]
const kindOf = (seq: number): Kind => kinds[(seq - 1) % kinds.length] as Kind

const { visitor } = chatAccepted()
const bodyOf = (chatId: number, seq: number) => {
  const numbered = { ...visitor, number: String(chatId), chats_count: seq }
  return kindOf(seq).body({ chat_id: chatId, user_token: `user-${chatId}`, visitor: numbered })
}
const event = (chatId: number, seq: number): Event => ({
  chat: `chats acme/${chatId}`,
  seq,
  api: 'webhooks',
  body: bodyOf(chatId, seq),
})

/** This many rounds of all kinds, for these chats: one event of each chat, then the next one of each. */
export function* largeEvents(chatIds: ReadonlyArray<number>, rounds: number): Generator<Event> {
  for (let seq = 1; seq <= rounds * kinds.length; seq++) for (const chatId of chatIds) yield event(chatId, seq)
}

const busy = 503

/** Kinds with a wrong response to a request, or never with the right one: 503 is allowed for a moment only. */
export const wrongAnswers = (history: ReadonlyArray<Exchange>): ReadonlyArray<string> =>
  kinds.flatMap(({ name, status: wanted }) => {
    const statuses = history.filter(({ seq }) => kindOf(seq).name === name).map(({ status }) => status)
    const wrong = statuses.filter((status) => status !== wanted && status !== busy)
    return [
      ...wrong.map((status) => `${name}: ${status ?? 'no answer'}, and not ${wanted}`),
      ...(statuses.includes(wanted) ? [] : [`${name}: never ${wanted}`]),
    ]
  })

/** Events of these chats in the log that lack a part of their request. */
export const incomplete = (
  log: ReadonlyArray<IncomingRecord & { readonly seq: number | undefined }>,
): ReadonlyArray<string> =>
  log.flatMap(({ key, value, seq = 0 }) => {
    const { name, isWhole = () => true } = kindOf(seq)
    return isWhole(JSON.parse(String(value))) ? [] : [`${key} #${seq}: ${name}`]
  })

const headBytes = 64 * 1024

/** Requests with status 413 whose beginning and size are not in quarantine. */
export const notKept = (history: ReadonlyArray<Exchange>, quarantined: ReadonlyArray<IncomingRecord>) => {
  const kept = new Set(quarantined.map(({ value, headers }) => `${headers.reason} ${headers.size} ${value}`))
  return history
    .filter(({ status }) => status === 413)
    .flatMap(({ chat: name, seq }) => {
      const body = Buffer.from(bodyOf(Number(name.split('/')[1]), seq))
      return kept.has(`too-large ${body.length} ${body.subarray(0, headBytes)}`) ? [] : [`${name} #${seq}`]
    })
}
