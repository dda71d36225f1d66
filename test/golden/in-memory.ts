import { request } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { bridgeInMemory, type IncomingRecord, type PostToService, settingsIn } from './bridge.ts'
import { standAt, systemTime } from './fixed.ts'
import { asJson, type Items } from './items.ts'
import { type Answer, environment, type Input, newestToken, start } from './recorded.ts'

type Timer = { readonly at: number; readonly wake: () => void }

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A clock that stands still while there is work, and then goes to the next timer. */
const virtualTime = (work: () => Promise<boolean>) => {
  const timers = new Set<Timer>()
  let at = start
  const setTo = (ms: number) => {
    at = ms
    standAt(ms)
  }
  setTo(start)
  const settle = async () => {
    for (let quiet = 0; quiet < 6; ) {
      await turn()
      quiet = (await work()) ? 0 : quiet + 1
    }
  }
  return {
    monotonic: () => at - start,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted) return resolve()
        const timer: Timer = { at: at + Math.max(0, ms), wake: () => end() }
        const end = () => {
          timers.delete(timer)
          signal?.removeEventListener('abort', end)
          resolve()
        }
        timers.add(timer)
        signal?.addEventListener('abort', end)
      }),
    settle,
    /** Lets time pass until then. */
    until: async (ms: number) => {
      for (;;) {
        await settle()
        const next = [...timers].reduce<Timer | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined)
        if (next === undefined || next.at > ms) break
        setTo(Math.max(at, next.at))
        next.wake()
      }
      setTo(Math.max(at, ms))
    },
  }
}

type Answered = { readonly status: number; readonly headers: object; readonly body: string }

const send = (url: string, { method, path, headers, body }: Extract<Input, { send: unknown }>['send']) =>
  new Promise<Answered>((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          // Node sets these by itself.
          const { date, connection, 'keep-alive': _, ...others } = response.headers
          resolve({ status: response.statusCode ?? 0, headers: others, body: Buffer.concat(chunks).toString() })
        })
    })
    sent.on('error', reject).end(body)
  })

export const number = (n: number) => String(n).padStart(4, '0')

/** The bytes as text where they are text, otherwise in hexadecimal digits. */
export const shownBytes = (bytes: Buffer | null): unknown => {
  if (bytes === null) return null
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? text : { hex: bytes.toString('hex') }
}

/** A record, with all its bytes. */
export const shownRecord = ({ key, value, headers, timestamp }: IncomingRecord): unknown => ({
  key: shownBytes(key),
  value: shownBytes(value),
  headers: Object.entries(headers).map(([name, header]) => [name, shownBytes(header)]),
  timestamp: new Date(timestamp).toISOString(),
})

/**
 * Replays what was recorded without servers. Time stands still in it but for its own steps. Gives the answers of
 * ingress, all records, the requests to the service and the documents of the views; also the records, as they are in
 * the log.
 */
export const replayInMemory = async (
  inputs: ReadonlyArray<Input>,
): Promise<{ readonly items: Items; readonly records: ReadonlyArray<IncomingRecord> }> => {
  const settings = await settingsIn(environment())
  const answers = new Map<string, Answer[]>()
  const requests: Array<readonly [string, unknown]> = []
  const asked = new Map<string, number>()
  let bridge: Awaited<ReturnType<typeof bridgeInMemory>> | undefined
  const time = virtualTime(async () => (await bridge?.deliver()) ?? false)

  const post: PostToService = async ({ url, headers, body }, timeoutMs) => {
    const { id, chat_id: chat } = JSON.parse(body)
    const name = `request to the service: chat ${chat}, ${id}`
    const nth = (asked.get(name) ?? 0) + 1
    asked.set(name, nth)
    requests.push([`${name}, attempt ${nth}`, { at: new Date().toISOString(), url, headers, body, timeoutMs }])
    const {
      status = 200,
      body: text = '{"result":"ok"}',
      network,
      retryAfter,
      afterMs = 20,
    } = answers.get(id)?.shift() ?? {}
    await time.sleep(Math.min(afterMs, timeoutMs))
    if (network !== undefined) return E.left({ code: network })
    if (afterMs >= timeoutMs) return E.left({ code: 'timeout' })
    return E.right({ status, headers: retryAfter === undefined ? {} : { retryAfter }, body: text })
  }
  bridge = await bridgeInMemory({ settings, sleep: time.sleep, monotonic: time.monotonic, post })

  const answered: Array<readonly [string, unknown]> = []
  let token = ''
  for (const [i, input] of inputs.entries()) {
    await time.until(input.at)
    if ('answers' in input) for (const [id, given] of Object.entries(input.answers)) answers.set(id, [...given])
    else if ('append' in input) await bridge.append(input.append as never)
    else {
      const { authorization, ...headers } = input.send.headers
      const now = authorization === newestToken ? token : authorization
      const answer = await send(bridge.url, {
        ...input.send,
        headers: { ...headers, ...(now && { authorization: now }) },
      })
      if (input.send.path === '/oauth/token' && answer.status === 200) token = JSON.parse(answer.body).access_token
      answered.push([`answer ${number(i)}: ${input.send.method} ${input.send.path}`, answer])
    }
    await time.settle()
  }
  // The client of the last chat waits for an agent, and the last retries end.
  await time.until((inputs.at(-1)?.at ?? start) + 3_600_000)
  const { records } = bridge
  const documents = bridge.documents()
  await bridge.stop()
  systemTime()
  const items = new Map([
    ...answered,
    ...records.map((record) => [`record ${record.topic} ${number(record.offset)}`, shownRecord(record)] as const),
    ...requests,
    ...Object.entries(documents).map(([name, document]) => [`document ${name}`, document] as const),
  ])
  return { items: asJson(items), records }
}
