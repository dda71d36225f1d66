import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { prepare, type Report } from '../../src/app/prepare.ts'
import { silent } from '../support/silent-log.ts'

const preparing = suite('topics and indexes')

const away = E.left({ kind: 'transient' as const, reason: 'no leader' })

/** The pause between two checks of existing topics. */
const lookingMs = 5_000

/** The topics exist after this many failed tries. Pauses and warnings are recorded. */
const given = (failures: number) => {
  const pauses: number[] = []
  const warnings: unknown[] = []
  let tries = 0
  const prepared = prepare(
    {
      ensureTopics: async () => (tries++ < failures ? away : E.right([])),
      ensureIndexes: async () => {},
      reasonOf: String,
      sleep: async (ms) => {
        if (ms >= lookingMs) return new Promise(() => {})
        pauses.push(ms)
      },
      log: { ...silent, warn: (fields) => warnings.push(fields) },
    },
    new AbortController().signal,
  )
  return { prepared, pauses, warnings }
}

preparing('are retried after a short time without a warning at first', async () => {
  const { prepared, pauses, warnings } = given(3)
  assert.equal(await prepared.health(), { ok: false, reason: 'missing: topics, indexes' })
  await prepared.done
  assert.equal([pauses, warnings], [[50, 100, 200], []])
  assert.equal(await prepared.health(), { ok: true, reason: 'all topics and indexes exist' })
})

preparing('are retried once a second, each time with a warning', async () => {
  const { prepared, pauses, warnings } = given(8)
  await prepared.done
  assert.equal(pauses, [50, 100, 200, 400, 800, 1000, 1000, 1000])
  assert.equal(warnings, [{ reason: 'no leader' }, { reason: 'no leader' }, { reason: 'no leader' }])
})

const report = (given: Partial<Report> = {}): Report => ({
  name: 'livechat.chats',
  partitions: 12,
  created: false,
  differences: [],
  ...given,
})

preparing('a missing topic is reported and created again', async () => {
  const stopping = new AbortController()
  const rounds: Array<{ readonly ok: boolean; readonly reason: string }> = []
  const told: object[] = []
  const gone = report({ partitions: 0, differences: ['does not exist and cannot be created: NOT_CONTROLLER'] })
  const differs = report({ differences: ['retention.ms is 1, not -1'] })
  const script = [gone, report({ created: true }), gone, gone, report({ created: true }), differs]
  const { done, health } = prepare(
    {
      ensureTopics: async () => E.right([script.shift() ?? differs]),
      ensureIndexes: async () => {},
      reasonOf: String,
      sleep: async () => {
        rounds.push(await health())
        if (script.length === 0) stopping.abort()
      },
      log: { ...silent, warn: (fields) => told.push(fields), info: (fields) => told.push(fields) },
    },
    stopping.signal,
  )
  await done
  while (!stopping.signal.aborted) await new Promise((resolve) => setImmediate(resolve))

  const text = 'livechat.chats: does not exist and cannot be created: NOT_CONTROLLER'
  assert.equal(rounds, [
    { ok: false, reason: `missing: topics, indexes; ${text}` },
    { ok: true, reason: 'all topics and indexes exist' },
    { ok: false, reason: text },
    { ok: false, reason: text },
    { ok: true, reason: 'all topics and indexes exist' },
    { ok: true, reason: 'livechat.chats: retention.ms is 1, not -1' },
  ])
  assert.equal(told, [
    { topic: 'livechat.chats', differences: gone.differences },
    { topics: ['livechat.chats'] },
    { topic: 'livechat.chats', differences: gone.differences },
    { topics: ['livechat.chats'] },
    { topic: 'livechat.chats', differences: differs.differences },
  ])
})

preparing('that are created are one line, however many', async () => {
  const told: object[] = []
  const names = ['livechat.chats', 'livechat.calls', 'livechat.clients']
  const { done } = prepare(
    {
      ensureTopics: async () =>
        E.right([...names.map((name) => report({ name, created: true })), report({ name: 'livechat.audit' })]),
      ensureIndexes: async () => {},
      reasonOf: String,
      sleep: () => new Promise(() => {}),
      log: { ...silent, info: (fields, message) => told.push({ ...fields, message }) },
    },
    new AbortController().signal,
  )
  await done
  assert.equal(told, [{ topics: names, message: 'topics were created' }])
})

preparing('are looked for every five seconds, and a second after a failure', async () => {
  const stopping = new AbortController()
  const pauses: number[] = []
  const script = [E.right([report()]), E.right([report()]), away, E.right([report({ created: true })])]
  const { done } = prepare(
    {
      ensureTopics: async () => script.shift() ?? away,
      ensureIndexes: async () => {},
      reasonOf: String,
      sleep: async (ms) => {
        pauses.push(ms)
        if (script.length === 0) stopping.abort()
      },
      log: silent,
    },
    stopping.signal,
  )
  await done
  while (!stopping.signal.aborted) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(pauses, [5_000, 5_000, 1_000, 5_000])
})

preparing.run()
