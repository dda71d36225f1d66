import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { unreadEnrichments, viewsAreCurrentIn, viewsReachEnd } from '../../../src/bridge/privacy/views-current.ts'

const now = suite('what the views lack')

const range = { low: 2, high: 5 }
const waiting = () => {
  let at = 0
  return {
    withinMs: 1_000,
    clock: () => at,
    sleep: async (ms: number) => {
      at += ms
    },
  }
}

now('nothing once the projector has committed the ends, at once or a little later', async () => {
  let committed = 3
  const kafka = {
    ranges: async () => new Map([[0, range]]),
    committedOffsets: async () => new Map([[0, committed++]]),
  }
  assert.is(await viewsReachEnd(kafka, waiting()), true)
})

now('something if the projector is stopped', async () => {
  const kafka = { ranges: async () => new Map([[0, range]]), committedOffsets: async () => new Map([[0, 4]]) }
  assert.is(await viewsReachEnd(kafka, waiting()), false)
})

now('nothing of a topic without records, although nothing was committed', async () => {
  const kafka = { ranges: async () => new Map([[0, { low: 0, high: 0 }]]), committedOffsets: async () => new Map() }
  assert.is(await viewsReachEnd(kafka, waiting()), true)
})

now('the enrichments of the person that are only in the topic', async () => {
  const record = (key: string, value: string | null) => ({
    key: Buffer.from(key),
    value: value === null ? null : Buffer.from(value),
  })
  const records = [
    record('acme/visitorNumber:7', '{}'),
    record('acme/visitorNumber:8', '{}'),
    record('acme/clientId:1', '{}'),
    record('acme/clientId:1', null),
  ]
  const kafka = {
    committedOffsets: async () => new Map([[0, 3]]),
    readTopic: async (
      _: unknown,
      onSlice: (slice: never) => Promise<void>,
      options: { readonly part: (p: number, whole: typeof range) => typeof range },
    ) => {
      assert.equal(options.part(0, range), { low: 3, high: 5 })
      await onSlice(records as never)
      return E.right(undefined)
    },
  } as unknown as Parameters<typeof unreadEnrichments>[0]
  const identities = [
    { kind: 'visitor' as const, value: '7' },
    { kind: 'client' as const, value: '1' },
  ]
  assert.equal(await unreadEnrichments(kafka, 'acme', { identities }), ['acme/visitorNumber:7'])
})

now('nothing that was there a minute ago, if the projector has committed it', async () => {
  const ports = (done: number | undefined) => ({
    ranges: async () => new Map([[0, { low: 2, high: 10 }]]),
    offsetsAt: async (_: string, time: number) => new Map([[0, time === 40_000 ? 8 : 10]]),
    committedOffsets: async () => new Map(done === undefined ? [] : [[0, done]]),
  })
  const results = await Promise.all([8, 7, undefined].map((done) => viewsAreCurrentIn(ports(done), () => 100_000)()))
  assert.equal(results, [true, false, false])
})

now.run()
