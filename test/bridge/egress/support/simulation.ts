import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import { DomainEvent } from '../../../../contracts/events/index.ts'
import { describe, problemsOf } from '../../../../contracts/problem.ts'
import type { Account } from '../../../../src/bridge/domain/accounts.ts'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import type { HttpRequest, HttpResult } from '../../../../src/bridge/egress/delivery/post.ts'
import type { Refusal } from '../../../../src/bridge/egress/delivery/refusal.ts'
import { egress } from '../../../../src/bridge/egress/egress.ts'
import type { EgressPorts } from '../../../../src/bridge/egress/ports.ts'
import type { Views } from '../../../../src/bridge/views/index.ts'
import { memoryLog, ownership } from './log.ts'
import { virtualTime } from './time.ts'
import { account, answer, networkFailure, noMeasure, ok, silentLog } from './values.ts'

/**
 * How the service answers a request, and after how many ms. It processes the message, unless it `drops` it (default:
 * for a failure or a status from 300 on).
 */
export type Answer = { readonly result: HttpResult; readonly afterMs?: number; readonly drops?: boolean }

/**
 * Answers of any service. `late` and `applied` process the message, but `late` answers after the timeout and `applied`
 * breaks the connection before an answer.
 */
export const anyAnswers: Readonly<Record<string, Answer>> = {
  ok: { result: ok },
  slow: { result: ok, afterMs: 2500 },
  late: { result: ok, afterMs: 4000, drops: false },
  applied: { result: networkFailure('ECONNRESET'), drops: false },
  reset: { result: networkFailure('ECONNRESET') },
  error: { result: answer(500) },
  throttled: { result: answer(429, '', '1') },
}
type Body = { readonly id: string; readonly event: string; readonly chat_id: string }
export type Requested = { readonly body: Body; readonly at: number; readonly request: HttpRequest }

type Options = {
  readonly accounts?: ReadonlyArray<Account>
  /** `nth` counts the requests for a command from 0. */
  readonly answer?: (body: Body, nth: number) => Answer
  readonly ports?: Partial<EgressPorts>
}

const json = (record: IncomingRecord): unknown => JSON.parse(String(record.value))
const undecodable = (detail: string): Refusal => ({ cause: 'invalid', detail })

/** The egress worker with a log, views, a service and a clock in memory. Time passes only when the test lets it. */
export const simulation = ({ accounts = [account()], answer = () => ({ result: ok }), ports = {} }: Options = {}) => {
  const readers = new Set<() => Promise<void>>()
  const time = virtualTime(async () => {
    for (const read of readers) await read()
  })
  const log = memoryLog(() => Date.parse(time.now()))
  const requests: Requested[] = []
  const fetches: number[] = []
  const applied: string[] = []
  const deadLetters: Array<{ readonly offset: number; readonly cause: string; readonly detail: string }> = []
  const views = new Map<string, Views['conversations'] | Views['deliveries']>()
  const projector = { committed: 0 }
  const broker = { isAway: false, hidesEvents: false, logBegins: 0 }

  const everything: EgressPorts = {
    accounts,
    readDocument: (async (view: string, id: string) => views.get(`${view}/${id}`)) as EgressPorts['readDocument'],
    openTurns: async () =>
      [...views].flatMap(([id, document]) =>
        id.startsWith('conversations/') && 'silentSince' in document ? [document] : [],
      ),
    publish: async (event) => {
      if (broker.isAway) return E.left({ kind: 'transient', reason: 'the broker is away' })
      log.appendEvent(event)
      return E.right(undefined)
    },
    deadLetter: async ({ offset }, cause, detail) => {
      if (broker.isAway) throw new Error('the broker is away')
      deadLetters.push({ offset, cause, detail })
    },
    reroute: async () => false,
    decodeCommand: (record) =>
      pipe(
        BotReply.decode(json(record)),
        E.mapLeft((errors) => undecodable(describe(problemsOf(errors)))),
      ),
    fetchCommands: async (_, offset) => {
      if (broker.isAway) throw new Error('the broker is away')
      const from = Math.max(offset, broker.logBegins)
      fetches.push(from)
      return { from, records: log.records['bot-replies'].slice(from, from + 100) }
    },
    decodeEvent: (record) =>
      pipe(
        DomainEvent.decode(json(record)),
        E.mapLeft(() => undecodable('event')),
      ),
    endOffsets: async (topic) => new Map([[0, topic === 'bot-conversations' ? log.records[topic].length : 0]]),
    viewsEnd: async () => () => ({ offset: projector.committed, isOfThisLog: true }),
    issueToken: async () => ({ token: `token-${time.monotonic()}`, expiresIn: 3600 }),
    post: async (request, timeoutMs) => {
      const body: Body = JSON.parse(request.body)
      const nth = requests.filter((earlier) => earlier.body.id === body.id).length
      requests.push({ body, at: time.monotonic(), request })
      const { result, afterMs = 10, drops = E.isLeft(result) || result.right.status >= 300 } = answer(body, nth)
      if (!drops) applied.push(body.id)
      await time.sleep(Math.min(afterMs, timeoutMs))
      return afterMs < timeoutMs ? result : E.left({ code: 'timeout' })
    },
    measure: noMeasure,
    log: silentLog,
    now: time.now,
    sleep: time.sleep,
    random: () => 0.5,
    monotonic: time.monotonic,
    ...ports,
  }

  /**
   * Starts a worker and assigns both partitions to it, from the committed offset or from its own `startAt`. It reads
   * what is appended.
   */
  const start = async () => {
    let isDead = false
    const never = new Promise<never>(() => undefined)
    const worker = egress({
      ...everything,
      publish: (...given) => (isDead ? never : everything.publish(...given)),
      post: (...given) => (isDead ? never : everything.post(...given)),
      deadLetter: (...given) => (isDead ? never : everything.deadLetter(...given)),
    })
    const owned = {
      'bot-replies': ownership(log, 'bot-replies'),
      'bot-conversations': ownership(log, 'bot-conversations'),
    }
    const from = await worker.spec.startAt?.('bot-conversations', 0)
    worker.spec.onOwned?.('bot-conversations', 0, owned['bot-conversations'].partition)
    const position = { 'bot-replies': log.committed['bot-replies'], 'bot-conversations': from ?? 0 }
    const read = async (topic: keyof typeof owned) => {
      const records = log.records[topic].slice(position[topic])
      if (records.length === 0 || owned[topic].isPaused()) return
      position[topic] = log.records[topic].length
      await worker.spec.handle({ topic, partition: 0, records }, owned[topic].partition)
    }
    const readBoth = async () => {
      await read('bot-replies')
      if (!broker.hidesEvents) await read('bot-conversations')
    }
    readers.add(readBoth)
    /** The worker loses both partitions, as in a rebalance. It reads no more records and no longer owns them. */
    const lose = () => {
      readers.delete(readBoth)
      owned['bot-replies'].lose()
      owned['bot-conversations'].lose()
    }
    /** The process is killed: requests that it has sent stay sent, but it publishes and sends nothing more. */
    const die = () => {
      isDead = true
      lose()
    }
    return { ...worker, owned, lose, die }
  }
  const command = (reply: BotReply, key = `${reply.accountId}/${reply.chatId}`) => log.append('bot-replies', key, reply)
  const outcomes = () =>
    log.events.flatMap((event) =>
      event.type === 'BotReplyDelivered' || event.type === 'BotReplyFailed' || event.type === 'BotReplySuppressed'
        ? [event]
        : [],
    )
  const isDone = () => log.committed['bot-replies'] === log.records['bot-replies'].length
  return {
    time,
    log,
    requests,
    fetches,
    applied,
    deadLetters,
    views,
    projector,
    broker,
    start,
    command,
    outcomes,
    isDone,
  }
}
export type Simulation = ReturnType<typeof simulation>
