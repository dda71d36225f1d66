import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dataKeys } from '../../../src/bridge/archive/data-keys.ts'
import { newKeyFile, readKeys, wrappingKidOf } from '../../../src/bridge/archive/key-file.ts'
import { notRecorded, optionsOf, type RecordAction } from '../../../src/bridge/operations/audit.ts'
import { right } from '../../support/either.ts'
import { runOperation } from '../../support/operation.ts'
import { memoryKeys } from './memory-keys.ts'

const rewrapping = suite('archive rewrap')
const [old, fresh] = [newKeyFile('old'), newKeyFile('fresh')].map((text) => JSON.parse(text).keys)
const file = (...keys: ReadonlyArray<unknown>) => right(readKeys(JSON.stringify({ keys: keys.flat() })))

const given = async () => {
  const keys = memoryKeys()
  await dataKeys(keys, file(old)).forSealing(['chats/acme/1', 'chats/acme/2', 'calls/acme/1'])
  await keys.destroy('calls/acme/1', { topicId: 'g1', partition: 0, offset: 7 })
  const wrappedBy = () =>
    [...keys.documents.values()].flatMap(({ wrapped }) => (wrapped === undefined ? [] : [wrappingKidOf(wrapped)]))
  const actions: object[] = []
  const recordAction = async (asked: object) => E.right(void actions.push(asked))
  return { keys, wrappedBy, actions, recordAction }
}

type Given = {
  readonly keys: object
  readonly wrapping: object
  readonly recordAction: RecordAction
}
const rewrap = ({ keys, wrapping, recordAction }: Given, ...args: ReadonlyArray<string>) =>
  runOperation(['archive', 'rewrap', ...args], { archiveKeys: keys, wrapping }, { recordAction })

rewrapping(
  'wraps each existing key again; the old wrapping key is not needed afterwards, and destroyed keys stay destroyed',
  async () => {
    const { keys, wrappedBy, actions, recordAction } = await given()
    const kids = [...keys.documents.values()].map(({ kid }) => kid)
    const { code, out } = await rewrap({ keys, wrapping: file(fresh, old), recordAction }, '--retire', 'old')
    assert.is(code, 0)
    assert.equal(wrappedBy(), ['fresh', 'fresh'])
    const options = optionsOf({ retire: 'old' })
    assert.equal(actions, [{ action: 'rewrap', command: 'archive rewrap', options }])
    assert.equal(out, [
      '2 data keys were rewrapped with fresh.',
      'None is wrapped with old. Once every archiver runs with the new file, remove this key.',
    ])
    const sealing = await dataKeys(keys, file(fresh)).forSealing(['chats/acme/1', 'chats/acme/2'])
    assert.equal(
      [...sealing.values()].map(({ kid }) => kid),
      kids.slice(0, 2),
    )
  },
)

rewrapping('does not retire the current wrapping key', async () => {
  const { keys, wrappedBy, actions, recordAction } = await given()
  const { code, err } = await rewrap({ keys, wrapping: file(old, fresh), recordAction }, '--retire', 'old')
  assert.is(code, 1)
  assert.equal(wrappedBy(), ['old', 'old'])
  assert.match(String(err[0]), /^old is the first key of the file/)
  assert.equal(actions, [])
})

rewrapping('wraps nothing if that cannot be recorded', async () => {
  const { keys, wrappedBy } = await given()
  const away = { kind: 'transient', reason: 'the broker is away' } as const
  const recordAction = async () => E.left(away)
  const { code, err } = await rewrap({ keys, wrapping: file(fresh, old), recordAction })
  assert.equal(wrappedBy(), ['old', 'old'])
  assert.equal([code, err], [1, [notRecorded(away)]])
})

rewrapping('does not retire a key that an archiver still uses for wrapping', async () => {
  const { keys, recordAction } = await given()
  const rewrapOnce = keys.rewrap
  const busy = {
    ...keys,
    rewrap: async (given: Parameters<typeof rewrapOnce>[0]) => {
      await rewrapOnce(given)
      await dataKeys(keys, file(old)).forSealing(['chats/acme/9'])
    },
  }
  const { code, out } = await rewrap({ keys: busy, wrapping: file(fresh, old), recordAction }, '--retire', 'old')
  assert.is(code, 1)
  assert.match(String(out.at(-1)), /^1 are wrapped with old again/)
})

rewrapping.run()
