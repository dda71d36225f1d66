import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { erasedEnrichments, nameOfErased } from '../../../../src/bridge/domain/person/erased.ts'
import { emptyRestored } from '../../../../src/bridge/privacy/missed/restored-copy.ts'

const restored = suite('enrichments that came back with an older copy of MongoDB')

const erasedOn = new Date(1_000)
const erased = nameOfErased({ of: 'client', key: 'acme/1' })
/** Whether the enrichment of this key is removed. `received`: when Kafka received the record at its place. */
const isEmptied = async (key: string, applied: Record<string, number>, received?: number, keyOfRecord = key) => {
  const emptied: string[] = []
  const work = emptyRestored({
    storedEnrichments: async function* () {
      yield { _id: key, applied }
    },
    emptyEnrichment: async ({ _id }) => void emptied.push(_id),
    findErased: erasedEnrichments({
      newestErasure: async () => erasedOn,
      erasedAt: async (keys) => new Map(keys.map(nameOfErased).includes(erased) ? [[erased, erasedOn]] : []),
    }),
    fetchRecord: async (topic, partition, offset) =>
      received === undefined || partition !== 3 || offset !== 7
        ? undefined
        : { topic, partition, offset, timestamp: received, key: Buffer.from(keyOfRecord), value: null, headers: {} },
  })
  await work()
  return emptied.length === 1
}
const key = 'acme/clientId:1'
const place = { 'enrichments/3': 7, 'enrichments/3/epoch': 2 }

const cases: ReadonlyArray<readonly [string, boolean, Parameters<typeof isEmptied>]> = [
  ['are removed if their person was erased and Kafka has another record or none', true, [key, place]],
  ['are removed if the place is of another log', true, [key, place, 2_000, 'acme/clientId:2']],
  ['are removed if they have no place, because their topic is another one now', true, [key, {}, 2_000]],
  ['are removed if Kafka received them before the erasure', true, [key, place, 999]],
  ['stay if Kafka received them after the erasure', false, [key, place, 1_001]],
  ['stay if nobody erased their person', false, ['acme/clientId:2', place]],
]
for (const [what, expected, asked] of cases)
  restored(what, async () => {
    assert.is(await isEmptied(...asked), expected)
  })

restored.run()
