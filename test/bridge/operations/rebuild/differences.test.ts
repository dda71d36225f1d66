import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  compare,
  differingFields,
  found,
  foundIn,
  isOlder,
  noFindings,
  withRoom,
} from '../../../../src/bridge/operations/rebuild/differences.ts'

const comparing = suite('a live document and its rebuilt one')

const document = (offset: number, state = 'open') => ({
  _id: 'acme/2037',
  applied: { 'chats/0': offset },
  state,
  visitor: { name: 'Ann', tags: ['a', 'b'] },
})
/** The log of chats has the offsets 10 to 100. Each side has read a part of it. */
const known = (live: number, rebuilt: number) => ({
  live: new Map([['chats/0', live]]),
  rebuilt: new Map([['chats/0', rebuilt]]),
  logs: new Map([['chats/0', { first: 10, position: 0, end: 100 }]]),
})
const here = known(50, 50)
const different = (...what: ReadonlyArray<string>) => ({ kind: 'different', what })

comparing('are the same if they have processed the same records with the same result', () => {
  assert.equal(compare(document(20), document(20), here), { kind: 'same' })
  assert.equal(compare(undefined, undefined, here), { kind: 'same' })
})

comparing('are different if the same records have another result', () => {
  assert.equal(compare(document(20, 'finished'), document(20), here), different('state'))
  assert.equal(compare(document(70, 'finished'), document(70), here), different('state'))
})

for (const [name, what, overflow, expected] of [
  ['only live, and the rebuilt side had no room', 'only live', [true, true], 'crowded'],
  ['only rebuilt, and the live side had no room', 'only rebuilt', [true, true], 'crowded'],
  ['only live, although the rebuilt side has room', 'only live', [true, false], 'different'],
  ['only rebuilt, although the live side has room', 'only rebuilt', [false, true], 'different'],
  ['different fields of a document that both have', ['count'], [true, true], 'different'],
] as const)
  comparing(`of an account that may have too many: ${name}`, () => {
    const [live, rebuilt] = overflow
    const verdict = withRoom('acme/a', { kind: 'different', what }, { id: 'acme/others', live, rebuilt })
    assert.is(verdict.kind, expected)
  })

comparing('that count what the account has no room for differ by the order of reading, if both exist', () => {
  const both = { id: 'acme/others', live: true, rebuilt: true }
  assert.equal(withRoom('acme/others', { kind: 'different', what: ['count'] }, both), { kind: 'crowded' })
  assert.equal(withRoom('acme/others', { kind: 'different', what: 'only live' }, { ...both, rebuilt: false }), {
    kind: 'different',
    what: 'only live',
  })
})

comparing('are moving if one may still get the record that the other has', () => {
  assert.equal(compare(document(20), document(60), here), { kind: 'moving' })
  assert.equal(compare(document(60), document(20), here), { kind: 'moving' })
  assert.equal(compare(undefined, document(60), here), { kind: 'moving' })
  assert.equal(compare(document(60), undefined, here), { kind: 'moving' })
})

comparing('are different if one lacks a record before its offset', () => {
  assert.equal(compare(document(20), document(40), here), different('applied.chats/0'))
  assert.equal(compare(document(40), document(20), here), different('applied.chats/0'))
  assert.equal(compare(document(20), document(60), known(61, 61)), different('applied.chats/0'))
  assert.equal(compare(undefined, document(40), here), { kind: 'different', what: 'only rebuilt' })
  assert.equal(compare(document(40), undefined, here), { kind: 'different', what: 'only live' })
})

comparing('are different if the live document names records that never existed, or names none', () => {
  assert.equal(compare(document(100), document(20), here), different('applied.chats/0'))
  assert.equal(compare({ ...document(20), applied: { 'elsewhere/0': 1 } }, document(20), here), {
    kind: 'different',
    what: ['applied.elsewhere/0', 'applied.chats/0'],
  })
  assert.equal(compare({ _id: 'nonsense' }, undefined, here), { kind: 'different', what: 'only live' })
  assert.equal(compare({ _id: 'acme/2037', applied: 'x' }, document(20), here).kind, 'different')
})

comparing('need not agree on records that the log no longer has', () => {
  const live = { ...document(20), applied: { 'chats/0': 20, 'bot-replies/0': 3 } }
  const logs = new Map([...here.logs, ['bot-replies/0', { first: 4, position: 0, end: 9 }] as const])
  assert.equal(compare(live, document(20), { ...here, logs }), { kind: 'same' })
})

comparing('of timeline are compared by their records', () => {
  const entry = (offset: number) => ({ _id: 'e1', topic: 'chats', partition: 0, offset, data: {} })
  assert.equal(compare(entry(20), entry(20), here), { kind: 'same' })
  assert.equal(compare(entry(20), entry(30), here), different('offset'))
  assert.equal(compare(undefined, entry(60), here), { kind: 'moving' })
})

comparing('differ in fields that are named by their paths, without values', () => {
  const one = document(20)
  const other = { ...one, visitor: { name: 'Bob', tags: ['a', 'c', 'd'], email: 'b@example.com' }, rate: 'good' }
  assert.equal(differingFields(one, other), [
    'visitor.name',
    'visitor.tags.1',
    'visitor.tags.2',
    'visitor.email',
    'rate',
  ])
  assert.equal(differingFields({ a: [1] }, { a: { 0: 1 } }), ['a'])
  assert.equal(differingFields({ a: new Date(1) }, { a: new Date(2) }), ['a'])
  assert.is(differingFields({}, Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, i]))).length, 20)
})

comparing('are counted, and the first twenty differences are listed', () => {
  const all = Array.from({ length: 23 }, (_, i) => i).reduce(
    (findings, i) => found(findings, `acme/${i}`, { kind: 'different', what: ['state'] }),
    found(found(noFindings, 'acme/same', { kind: 'same' }), 'acme/busy', { kind: 'moving' }),
  )
  const { examples, ...counts } = foundIn(all)
  assert.equal(counts, { same: 1, different: 23, older: 0, crowded: 0, moving: 1 })
  assert.equal([examples[0], examples.length], [{ id: 'acme/0', what: ['state'] }, 20])
})

comparing('are not compared for an entry of drift whose requests quarantine no longer has', () => {
  const now = Date.parse('2026-01-31T10:00:00Z')
  const entry = (kind: string, firstAt: string) => ({ _id: 'acme/x', kind, firstAt: new Date(firstAt) })
  const [before, after] = ['2026-01-17T09:59:59Z', '2026-01-17T10:00:00Z']
  assert.equal(
    [entry('refused', before), entry('refused', after), entry('unknown-field', before), undefined].map((live) =>
      isOlder('drift', live, now),
    ),
    [true, false, false, false],
  )
  assert.not.ok(isOlder('chats', entry('refused', before), now))
  const findings = found(found(noFindings, 'acme/x', { kind: 'older' }), 'acme/y', { kind: 'same' })
  assert.equal([findings.same, findings.older], [1, 1])
})

comparing('are not compared for an action of which audit no longer has the record', () => {
  const now = Date.parse('2026-01-31T10:00:00Z')
  const isOld = (at: string) => isOlder('audit', { _id: 'a1', at: new Date(at) }, now)
  assert.equal(['2024-12-27T09:59:59Z', '2024-12-27T10:00:00Z'].map(isOld), [true, false])
})

comparing.run()
