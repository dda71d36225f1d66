import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { enrichmentFilter, findingEnrichments } from '../../../src/bridge/ingress/enrichment-filter.ts'

const filtering = suite('the filter of keys')

filtering('that may be incomplete rules out nothing', () => {
  const { add, mayHave, setComplete } = enrichmentFilter()
  add('acme/email:a@example.com')
  assert.ok(mayHave('acme/email:b@example.com'))
  setComplete(true)
  assert.not.ok(mayHave('acme/email:b@example.com'))
  setComplete(false)
  assert.ok(mayHave('acme/email:b@example.com'))
})

filtering('reports that it is empty only if it is complete and no key was added', () => {
  const { add, hasAny, setComplete } = enrichmentFilter()
  const told = [hasAny()]
  setComplete(true)
  told.push(hasAny())
  add('acme/email:a@example.com')
  told.push(hasAny())
  assert.equal(told, [true, false, true])
})

filtering('never rules out a key that was added', () => {
  const { add, mayHave, setComplete } = enrichmentFilter()
  setComplete(true)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => {
      add(key)
      assert.ok(mayHave(key))
    }),
  )
})

filtering('has few false positives', () => {
  const { add, mayHave, setComplete } = enrichmentFilter()
  for (let i = 0; i < 100_000; i++) add(`acme/visitorNumber:${i}`)
  setComplete(true)
  const mistaken = Array.from({ length: 10_000 }, (_, i) => mayHave(`acme/phone:${i}`)).filter(Boolean).length
  assert.ok(mistaken < 100, `${mistaken} of 10,000`)
})

/** A look-up in a view with a document for every key. It records the keys; `resolve` means: the event is in the log. */
const given = () => {
  const filter = enrichmentFilter()
  const { add, setComplete } = filter
  const asked: unknown[] = []
  const findAll = async (keys: ReadonlyArray<string>) => {
    asked.push(keys)
    return keys.map((key) => [key, { crmLink: key }] as const)
  }
  const { promise: published, resolve } = Promise.withResolvers<void>()
  const find = findingEnrichments(findAll, filter)
  setComplete(true)
  return { add, find, asked, published, resolve }
}
const keys = ['acme/email:a@example.com', 'acme/phone:1']
const waits = () => new AbortController().signal

filtering('avoids look-ups of visitors and keys without published enrichments', async () => {
  const { add, find, asked, published, resolve } = given()
  resolve()
  add('acme/phone:1')
  assert.is(await find(() => ['acme/email:a@example.com', 'acme/phone:2'], published, waits()), undefined)
  assert.equal(await find(() => keys, published, waits()), { crmLink: 'acme/phone:1' })
  assert.equal(asked, [['acme/phone:1']])
})

filtering('does not compute the keys if no visitor has enrichments', async () => {
  const { find, published, resolve } = given()
  resolve()
  const refuse = (): never => {
    throw new Error('nothing is to be looked for')
  }
  assert.is(await find(refuse, published, waits()), undefined)
})

filtering('is checked again when the event is in the log', async () => {
  for (const others of [[], ['acme/phone:2']]) {
    const { add, find, published, resolve } = given()
    others.forEach(add)
    const found = find(() => keys, published, waits())
    add('acme/phone:1')
    resolve()
    assert.equal(await found, { crmLink: 'acme/phone:1' })
  }
})

filtering('looks up keys of another account in the next batch, although one account has thousands', async () => {
  const filter = enrichmentFilter()
  const batches: Array<ReadonlyArray<string>> = []
  const findAll = async (keys: ReadonlyArray<string>) => {
    batches.push(keys)
    return keys.map((key) => [key, { crmLink: key }] as const)
  }
  const find = findingEnrichments(findAll, filter)
  const published = Promise.resolve()
  const ofAcme = Array.from({ length: 5_000 }, (_, i) => find(() => [`acme/phone:${i}`], published, waits()))
  const ofOther = await find(() => ['other/phone:1'], published, waits())
  assert.equal([ofOther, batches.length], [{ crmLink: 'other/phone:1' }, 1])
  assert.is((await Promise.all(ofAcme)).filter((found) => found !== undefined).length, 5_000)
  assert.ok(batches.every(({ length }) => length <= 1_000))
})

filtering('looks up nothing for an event that nobody waits for any more', async () => {
  const { add, find, asked, published, resolve } = given()
  resolve()
  add('acme/phone:1')
  assert.equal([await find(() => keys, published, AbortSignal.abort()), asked], [undefined, []])
})

filtering.run()
