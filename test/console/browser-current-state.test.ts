import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  againAfterMs,
  badgeOf,
  healthText,
  isAllResolved,
  isBehind,
  lettersText,
  partsOf,
  quarantinedText,
  staleSince,
  unresolvedIn,
  waitsText,
  wellText,
  withReasonsOnce,
  wrongParts,
} from '../../src/console/browser/current-state.ts'
import { asOfText, showTimesIn } from '../../src/console/browser/format.ts'
import { partStateWords, unavailableWords } from '../../src/console/browser/words.ts'

const stale = suite('what the console shows while a server does not answer')
const trouble = { isSignedOut: false, words: 'The database does not answer.' }

for (const [what, loaded, since] of [
  ['the newest answer', { value: 'a', at: 5, trouble: undefined }, undefined],
  ['an answer before a failed request', { value: 'a', at: 5, trouble }, 5],
  ['no answer at all', { value: undefined, at: undefined, trouble }, undefined],
] as const)
  stale(`${what} is out of date since ${since}`, () => assert.is(staleSince(loaded), since))

for (const [everyMs, failed, ms] of [
  [0, undefined, 0],
  [10_000, undefined, 10_000],
  [0, trouble, 0],
  [0, { ...trouble, mayPass: true }, 5_000],
  [10_000, { ...trouble, mayPass: true }, 10_000],
] as const)
  stale(`a page with ${everyMs} ms between requests, after ${JSON.stringify(failed)}, asks again in ${ms} ms`, () =>
    assert.is(againAfterMs(everyMs, failed), ms),
  )

stale('the strip does not say that everything works while it cannot be read', () => {
  assert.is(wellText(undefined), 'Everything works')
  assert.is(wellText(trouble), 'Whether everything works is not known: The database does not answer.')
})

stale('what is out of date says when it was true, and how long ago that is', () => {
  showTimesIn('UTC')
  const at = Date.UTC(2026, 10, 25, 18, 9, 41)
  assert.is(asOfText(at, at + 40_000), 'as of 18:09:41, 40 s ago')
  assert.is(asOfText(at, at - 3_000), 'as of 18:09:41, 0 s ago')
})

const strip = { wrong: [], waiting: 0, waitingForAgent: 0 }
for (const [waiting, waitingForAgent, badge, words] of [
  [0, 0, undefined, 'No client waits'],
  [11, 0, '11', '11 clients wait for an answer'],
  [1, 0, '1', '1 client waits for an answer'],
  [0, 4, '4', '4 clients wait for an agent'],
  [11, 4, '15', '11 clients wait for an answer, 4 for an agent'],
  [1, 4, '5', '1 client waits for an answer, 4 for an agent'],
  [null, 4, '4', '4 clients wait for an agent'],
  [0, null, '?', undefined],
  [null, null, '?', undefined],
] as const)
  stale(`${waiting} clients wait for an answer and ${waitingForAgent} for an agent: both are shown`, () => {
    const shown = { wrong: [], waiting, waitingForAgent }
    assert.equal([badgeOf('conversations', shown), waitsText(shown)], [badge, words])
  })

for (const [letters, badge, words] of [
  [undefined, undefined, undefined],
  [0, undefined, undefined],
  [1, '1', '1 unresolved letter'],
  [1_200, '1,200', '1,200 unresolved letters'],
  [null, '?', 'unresolved letters: ?'],
] as const)
  stale(`with ${letters} letters the badge is ${badge}`, () => {
    const shown = { ...strip, ...(letters !== undefined && { letters }) }
    assert.equal([badgeOf('dead-letters', shown), lettersText(letters)], [badge, words])
  })

stale('requests in quarantine that could not be counted are not shown as none', () => {
  assert.equal(
    [badgeOf('quarantine', { ...strip, quarantined: null }), quarantinedText(null), quarantinedText(3)],
    ['?', 'in quarantine: ?', '3 in quarantine'],
  )
})

for (const [letters, quarantined, unresolved, isNothing] of [
  [0, 0, [], true],
  [6, 12, ['dead-letters 6 letters', 'quarantine 12 requests'], false],
  [1, 0, ['dead-letters 1 letter'], false],
  [0, 1, ['quarantine 1 request'], false],
  [null, 0, [], false],
  [0, null, [], false],
  [undefined, undefined, [], false],
] as const)
  stale(`with ${letters} letters and ${quarantined} requests, nothing waits for somebody: ${isNothing}`, () => {
    const shown = { ...(letters !== undefined && { letters }), ...(quarantined !== undefined && { quarantined }) }
    assert.equal(
      unresolvedIn(shown).map(({ page, words }) => `${page} ${words}`),
      unresolved,
    )
    assert.is(isAllResolved(shown), isNothing)
  })

stale('nothing is said to be resolved before the first answer', () => {
  assert.equal(unresolvedIn(undefined), [])
  assert.is(isAllResolved(undefined), false)
})

const check = (name: string, state: 'works' | 'degraded' | 'down' | 'off' | 'waits' | 'unknown') => ({
  name,
  state,
  words: '',
  reason: '',
})

for (const [name, state, expected] of [
  ['kafka', 'down', true],
  ['projector', 'down', true],
  ['projector', 'works', false],
  ['egress', 'down', false],
] as const)
  stale(`with ${name} ${state}, the views are ${expected ? 'behind' : 'current'}`, () =>
    assert.is(isBehind({ checks: [check(name, state)] }), expected),
  )

stale('the services of accounts are parts as well; first what is wrong, then what is unknown', () => {
  const breakers = [
    { account: 'acme', isOpen: false, reason: 'requests are sent' },
    { account: 'brick', isOpen: true, reason: 'it fails' },
  ]
  const parts = partsOf({ checks: [check('kafka', 'works'), check('journal', 'unknown')], breakers })
  assert.equal(
    parts.map(({ name, state }) => `${name} ${state}`),
    ['service of brick degraded', 'journal unknown', 'kafka works', 'service of acme works'],
  )
  assert.is(healthText(parts, false), '1 of 4 parts does not work as usual, 1 is unknown')
})

stale('a service that refuses single chats does not work as usual', () => {
  const breakers = [{ account: 'acme', isOpen: false, refusesChats: true, reason: 'it refuses a chat' }] as const
  assert.equal(
    partsOf({ checks: [], breakers: [...breakers] }).map(({ name, state }) => `${name} ${state}`),
    ['service of acme degraded'],
  )
})

stale('parts that wait for another part come after it, and are not counted as broken', () => {
  const parts = partsOf({
    checks: [
      check('egress', 'waits'),
      check('outcomes', 'unknown'),
      check('projector', 'waits'),
      check('kafka', 'down'),
    ],
    breakers: [],
  })
  assert.equal(
    parts.map(({ name }) => name),
    ['kafka', 'egress', 'projector', 'outcomes'],
  )
  assert.is(healthText(parts, false), '1 of 4 parts does not work as usual, 2 wait for Kafka, 1 is unknown')
})

stale('a reason that several parts have is told once, and the others name that part', () => {
  const off = { words: '', state: 'off', reason: 'does not run: ARCHIVE_KEY_FILE is not set' } as const
  const parts = [
    { ...off, name: 'archiver' },
    check('journal', 'works'),
    { ...off, name: 'retention' },
    check('egress', 'works'),
  ]
  assert.equal(
    withReasonsOnce([...parts, { ...off, name: 'privacy.retainDays' }]).map(({ reason }) => reason),
    [off.reason, '', 'the same as Archive', '', 'the same as Archive'],
  )
})

stale('a part that does not run is not called degraded', () => assert.is(partStateWords('off'), 'does not run'))

for (const [reason, words] of [
  [undefined, 'A server behind the console does not answer.'],
  ['The database does not answer.', 'The database does not answer.'],
  ['Kafka: no broker', 'A server behind the console does not answer: Kafka: no broker'],
] as const)
  stale(`the reason ${reason} is told as “${words}”`, () => assert.is(unavailableWords(reason), words))

stale('what is wrong is what the strip names, and services; it is not known before both answers', () => {
  const mongodb = { name: 'mongodb', state: 'down', words: 'Nothing is shown.' } as const
  const service = { account: 'acme', isOpen: true, reason: 'the service fails' }
  const breakers = [service, { ...service, account: 'globex', isOpen: false }]
  assert.equal(wrongParts(undefined, { breakers }), undefined)
  assert.equal(wrongParts({ wrong: [mongodb] }, undefined), undefined)
  assert.equal(wrongParts({ wrong: [] }, { breakers: [] }), [])
  assert.equal(
    wrongParts({ wrong: [mongodb] }, { breakers })?.map(({ name, state }) => `${name} ${state}`),
    ['mongodb down', 'service of acme degraded'],
  )
})

stale.run()
