import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLog } from '../../../src/app/telemetry.ts'
import type { ConsumerSpec } from '../../../src/bridge/domain/log/consumer.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { enrichmentFilter } from '../../../src/bridge/ingress/enrichment-filter.ts'
import { fillEnrichmentFilter } from '../../../src/bridge/ingress/fill-enrichment-filter.ts'

const topic = 'enrichments'
const unheard = createLog('silent')
const key = (phone: number) => `acme/phone:${phone}`
const record = (partition: number, offset: number, phone: number, value: string | null = '{}'): IncomingRecord => ({
  topic,
  partition,
  offset,
  timestamp: 0,
  headers: {},
  key: Buffer.from(key(phone)),
  value: value === null ? null : Buffer.from(value),
})

type Given = {
  readonly view?: ReadonlyArray<number>
  readonly committed?: ReadonlyArray<readonly [number, number]>
  readonly ends: ReadonlyArray<number>
  /** How often MongoDB fails before it answers. */
  readonly failures?: number
}

/** Time passes in turns. Each turn ends one sleep. */
const given = async ({ view = [], committed = [], ends, failures = 0 }: Given) => {
  const sleeping: Array<() => void> = []
  const read = new Map<number, number>()
  const state = { ends: [...ends], ok: true, failures, spec: undefined as ConsumerSpec | undefined, stopped: 0 }
  const { mayHave, ...filter } = enrichmentFilter()
  const part = fillEnrichmentFilter({
    kafka: {
      committedOffsets: async () => new Map(committed),
      ranges: async () => new Map(state.ends.map((high, partition) => [partition, { low: 0, high }])),
      consume: async (spec) => {
        state.spec = spec
        const starts = await Promise.all(ends.map((_, partition) => spec.startAt?.(topic, partition)))
        return {
          health: () => ({ ok: state.ok, reason: state.ok ? 'reads 2 partitions' : 'no fetch was answered for 8 s' }),
          owned: () =>
            state.ends.map((_, partition) => ({ partition, position: read.get(partition) ?? starts[partition] ?? 0 })),
          stop: async () => {
            state.stopped++
          },
        }
      },
    },
    enrichedKeys: async function* () {
      if (state.failures-- > 0) throw new Error('no answer')
      for (const phone of view) yield key(phone)
    },
    filter: { mayHave, ...filter },
    reasonOf: String,
    log: unheard,
    sleep: () => new Promise((resolve) => sleeping.push(() => resolve())),
  })
  const settled = () => new Promise((resolve) => setTimeout(resolve, 0))
  await settled()
  const turn = async () => {
    for (const wake of sleeping.splice(0)) wake()
    await settled()
  }
  const reads = async (...records: ReadonlyArray<IncomingRecord>) => {
    const { partition, offset } = records.at(-1) ?? record(0, 0, 0)
    await state.spec?.handle(
      { topic, partition, records },
      { isCurrent: () => true, done: () => {}, pause: () => () => {} },
    )
    read.set(partition, offset + 1)
  }
  return { part, state, mayHave, turn, reads }
}
const unknown = key(999)

const following = suite('which visitors have enrichments')

following('is known once the view and the whole topic have been read', async () => {
  const { part, mayHave, turn, reads } = await given({ view: [1], ends: [0, 2] })
  assert.ok(mayHave(unknown))
  await reads(record(1, 0, 2))
  await turn()
  assert.ok(mayHave(unknown), 'one record is still to come')
  await reads(record(1, 1, 3))
  await turn()
  assert.not.ok(mayHave(unknown))
  assert.equal(
    [1, 2, 3].map((phone) => mayHave(key(phone))),
    [true, true, true],
  )
  await part.stop()
})

following('the topic is read from the offset that the projector had committed before the view was read', async () => {
  const { part, state, mayHave, turn, reads } = await given({ view: [1], committed: [[0, 7]], ends: [9, 0] })
  assert.is(await state.spec?.startAt?.(topic, 0), 7)
  assert.is(await state.spec?.startAt?.(topic, 1), undefined)
  await reads(record(0, 7, 2), record(0, 8, 3))
  await turn()
  assert.not.ok(mayHave(unknown))
  assert.ok(mayHave(key(3)))
  await part.stop()
})

following(
  'is read from the beginning if the topic ends before the committed offset, since it was created again',
  async () => {
    const { part, state, mayHave } = await given({ committed: [[0, 7]], ends: [2] })
    assert.is(await state.spec?.startAt?.(topic, 0), undefined)
    assert.ok(mayHave(unknown))
    await part.stop()
  },
)

following('does not contain removed enrichments', async () => {
  const { part, mayHave, turn, reads } = await given({ ends: [1] })
  await reads(record(0, 0, 5, null))
  await turn()
  assert.not.ok(mayHave(key(5)))
  await part.stop()
})

following('is unknown while the topic cannot be read, until it has been read to its end again', async () => {
  const { part, state, mayHave, turn, reads } = await given({ ends: [0] })
  await turn()
  assert.not.ok(mayHave(unknown))
  state.ok = false
  await turn()
  assert.ok(mayHave(unknown))
  state.ok = true
  state.ends = [1]
  await turn()
  assert.ok(mayHave(unknown))
  await reads(record(0, 0, 6))
  await turn()
  assert.not.ok(mayHave(unknown))
  assert.ok(mayHave(key(6)))
  await part.stop()
})

following('waits for a MongoDB that does not answer', async () => {
  const { part, state, mayHave, turn } = await given({ view: [1], ends: [0], failures: 2 })
  assert.is(state.spec, undefined)
  await turn()
  await turn()
  await turn()
  assert.not.ok(mayHave(unknown))
  assert.ok(mayHave(key(1)))
  await part.stop()
  assert.is(state.stopped, 1)
})

following('is unknown after the consumer of the topic has stopped', async () => {
  const { part, mayHave, turn } = await given({ ends: [0] })
  await turn()
  assert.not.ok(mayHave(unknown))
  await part.stop()
  await turn()
  assert.ok(mayHave(unknown))
})

following('ends while it waits for MongoDB, without a consumer', async () => {
  const { part, state, turn } = await given({ ends: [0], failures: 5 })
  await part.stop()
  await turn()
  assert.is(state.spec, undefined)
})

following.run()
