import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { prepare } from '../../src/app/prepare.ts'
import { silent } from '../../src/domain/quiet.ts'

const preparing = suite('topics and indexes')

const away = E.left({ kind: 'transient' as const, reason: 'no leader' })

/** Topics that are there after so many tries, and the pauses and the warnings between. */
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
        pauses.push(ms)
      },
      log: { ...silent, warn: (fields) => warnings.push(fields) },
    },
    new AbortController().signal,
  )
  return { prepared, pauses, warnings }
}

preparing('that come in a moment are asked for soon, without a warning', async () => {
  const { prepared, pauses, warnings } = given(3)
  assert.equal(await prepared.health(), { ok: false, reason: 'missing: topics, indexes' })
  await prepared.done
  assert.equal([pauses, warnings], [[50, 100, 200], []])
  assert.equal(await prepared.health(), { ok: true, reason: 'there' })
})

preparing('that do not come are asked for once a second, each time with a warning', async () => {
  const { prepared, pauses, warnings } = given(8)
  await prepared.done
  assert.equal(pauses, [50, 100, 200, 400, 800, 1000, 1000, 1000])
  assert.equal(warnings, [{ reason: 'no leader' }, { reason: 'no leader' }, { reason: 'no leader' }])
})

preparing.run()
