import { setTimeout as wait } from 'node:timers/promises'
import type { DomainEvent } from '../../../../contracts/events/index.ts'
import { ceType, type TopicName } from '../../../../contracts/topics.ts'
import type { ReadView, ViewName, Views } from '../../../bridge/views/index.ts'
import type { WaitFor } from '../changes.ts'
import type { Attempt } from '../post.ts'
import type { Exchange } from '../send.ts'
import type { Data, EventLog, LoggedEvent } from './log.ts'

type Deps = {
  readonly log: EventLog
  readonly findView: ReadView
  readonly told: (ok: boolean, where: string, text: string) => void
  readonly detail: (text: string) => void
  readonly timeLeft: () => number
}

const answerText = (attempt: Attempt) =>
  attempt.kind === 'answered' ? `${attempt.status} ${JSON.stringify(attempt.body)}` : `no answer: ${attempt.reason}`

const isOk = (attempt: Attempt | undefined) => attempt?.kind === 'answered' && attempt.status === 200

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const pick = (data: Data, fields: ReadonlyArray<string>) =>
  Object.fromEntries(fields.map((field) => [field, data[field]]))

const short = (id: string) => (id.length <= 32 ? id : `${id.slice(0, 31)}…`)

const lookAgainMs = 40

/** The expectations of a step. Each is awaited, shown as ✓ or ✗ with what was found, and counted. */
export const createAssertions = ({ log, findView, told, detail, timeLeft }: Deps) => {
  const inLog = async (what: string, wanted: (seen: LoggedEvent) => boolean) => {
    try {
      return await log.waitFor(`${what} is not in the log`, wanted, timeLeft())
    } catch (error) {
      told(false, 'Kafka', messageOf(error))
      return undefined
    }
  }
  const place = ({ topic, partition, offset, type }: LoggedEvent) => `${topic}/${partition} @ ${offset}  ${type}`

  return {
    /** The service got 200 in the last attempt. */
    answered: (what: string, given: Attempt | Exchange) => {
      const attempts = 'attempts' in given ? given.attempts : [given]
      told(isOk(attempts.at(-1)), 'answer', `${what} → ${attempts.map(answerText).join(', then ')}`)
    },
    /** The log has an event of this type with the wanted data. `fields` of its data are shown. */
    event: async (
      topic: TopicName,
      type: DomainEvent['type'],
      wanted: (data: Data) => boolean,
      fields: ReadonlyArray<string>,
    ) => {
      const isWanted = (seen: LoggedEvent) => seen.topic === topic && seen.type === ceType(type) && wanted(seen.data)
      const seen = await inLog(`${type} on ${topic}`, isWanted)
      if (seen === undefined) return undefined
      told(true, 'Kafka', place(seen))
      detail(`${seen.id}  ${JSON.stringify(pick(seen.data, fields))}`)
      return seen
    },
    /** The log has a command of bot logic. */
    command: async (wanted: (data: Data) => boolean) => {
      const seen = await inLog('a command', ({ topic, data }) => topic === 'bot-replies' && wanted(data))
      if (seen !== undefined) told(true, 'Kafka', `${place(seen)}  ${seen.id}`)
      return seen
    },
    /** The view's document becomes as wanted. `show` describes it. */
    view: async <V extends ViewName>(
      view: V,
      id: string,
      wanted: (document: Views[V]) => boolean,
      show: (document: Views[V]) => string,
    ) => {
      const until = performance.now() + timeLeft()
      for (;;) {
        const document = await findView(view, id)
        if (document !== undefined && wanted(document))
          return told(true, 'view', `${view}  ${short(id)}  ${show(document)}`)
        const found = document === undefined ? 'no document' : `not as expected: ${show(document)}`
        if (performance.now() >= until) return told(false, 'view', `${view}  ${short(id)}  ${found}`)
        await wait(lookAgainMs)
      }
    },
    /** Something becomes visible at the service. */
    service: async (waitFor: WaitFor, what: string, read: () => string | undefined) => {
      try {
        told(true, 'service', await waitFor(`${what}, not seen`, read, timeLeft()))
      } catch (error) {
        told(false, 'service', messageOf(error))
      }
    },
    exists: async (view: ViewName, id: string) => (await findView(view, id)) !== undefined,
    /** Each of these becomes as wanted. */
    all: async <A>(
      where: string,
      what: string,
      each: ReadonlyArray<A>,
      wanted: (one: A) => boolean | Promise<boolean>,
    ) => {
      const until = performance.now() + timeLeft()
      let left = each
      for (;;) {
        const met = await Promise.all(left.map(wanted))
        left = left.filter((_, i) => !met[i])
        if (left.length === 0) return told(true, where, `all ${each.length} ${what}`)
        if (performance.now() >= until) return told(false, where, `${left.length} of ${each.length} ${what} missing`)
        await wait(lookAgainMs)
      }
    },
    /** An expectation that needs no waiting. */
    fact: (where: string, ok: boolean, text: string) => told(ok, where, text),
  }
}
export type Assertions = ReturnType<typeof createAssertions>
