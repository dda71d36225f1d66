import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Acts, actOf, handOver } from '../../../src/bot/what-if/acts.ts'
import type { Compared } from '../../../src/bot/what-if/chat.ts'
import { answerFigures, sessionOf } from '../../../src/bot/what-if/figures.ts'
import { accepting, changeOf, groupsOf } from '../../../src/bot/what-if/groups.ts'
import { turnsOf } from '../../../src/bot/what-if/turns.ts'
import { client, event, rules } from './given-chat.ts'

const groups = suite('groups of equal changes, and figures')

const hash = (words: string) => `#${words.length}`
const text = (words: string) => actOf({ type: 'TEXT', text: words }, false)
const [said] = turnsOf([client('m1', '10:00:00')], rules)
const [clicked] = turnsOf([client('m1', '10:00:00', 'Hours', { buttonId: 'hours' })], rules)
const [unavailable] = turnsOf([event('AgentUnavailable', 'u1', '10:00:00')], rules)
const changed = (turn: typeof said, observed: Acts, now: Acts, more: Partial<Compared> = {}): Compared => {
  if (turn === undefined) throw new Error('no turn')
  return { turn, verdict: 'act', observed, candidate: { replies: now, ms: 1 }, ...more }
}
const acts = { isExact: false, hash }
const words = { isExact: true, hash }

groups('equal changes of what the client did are one group with three examples, the largest first', () => {
  const found = groupsOf(new Set())
  const add = (chatId: string, compared: Compared) => {
    const change = changeOf(compared, acts)
    if (change !== undefined) found.add(chatId, compared, change)
  }
  add('1', changed(unavailable, [text('a')], [handOver]))
  for (const chatId of ['2', '3', '4', '5']) add(chatId, changed(said, [text(chatId)], [handOver]))
  add('6', changed(clicked, [text('a')], [handOver]))
  assert.equal(
    found
      .all()
      .map(({ client: did, from, to, count, examples }) => [
        did,
        from,
        to,
        count,
        examples.map(({ chatId }) => chatId),
      ])[0],
    ['TEXT', ['TEXT'], ['hand-over'], 4, ['2', '3', '4']],
  )
  assert.equal(
    found
      .all()
      .map((group) => group.client)
      .sort(),
    ['AgentUnavailable', 'TEXT', 'button hours'],
  )
})

groups('a verdict that is no divergence is in no group', () => {
  for (const verdict of ['same', 'words', 'not-comparable', 'not-compared'] as const)
    assert.is(changeOf(changed(said, [text('a')], [text('b')], { verdict }), acts), undefined)
})

groups('where words decide, other words are another group, and no word stands in it', () => {
  const change = (now: string) => changeOf(changed(said, [text('a')], [text(now)], { verdict: 'words' }), words)
  assert.equal(change('secret')?.to, ['TEXT #6'])
  assert.not.equal(change('secret'), change('secrets'))
})

groups('a failure is grouped by its reason', () => {
  const failing = { verdict: 'threw', reason: 'threw TypeError' } as const
  const change = changeOf(
    changed(said, [text('a')], [], {
      verdict: 'threw',
      reason: failing.reason,
      candidate: { replies: [], failing, ms: 1 },
    }),
    acts,
  )
  assert.equal(change?.to, ['threw TypeError'])
})

groups('an accepted group is known in the next run, and comes after the new ones', () => {
  const compared = changed(said, [text('a')], [handOver])
  const change = changeOf(compared, acts)
  if (change === undefined) throw new Error('no change')
  const { id, ...group } = groupsOf(new Set()).add('1', compared, change)
  assert.is(group.isAccepted, false)
  const file = accepting({ accepted: [] }, [{ id, ...group }])
  assert.equal(file, { accepted: [{ id, verdict: 'act', client: 'TEXT', from: ['TEXT'], to: ['hand-over'] }] })
  assert.equal(accepting(file, [{ id, ...group }]), file)

  const next = groupsOf(new Set(file.accepted.map((each) => each.id)))
  next.add('1', compared, change)
  next.add('2', compared, change)
  const other = changed(said, [text('a')], [])
  const silent = changeOf({ ...other, verdict: 'silent' }, acts)
  if (silent !== undefined) next.add('3', other, silent)
  assert.equal(
    next.all().map(({ verdict, isAccepted }) => [verdict, isAccepted]),
    [
      ['silent', false],
      ['act', true],
    ],
  )
})

groups('figures are those of the bot sessions, with numerator and denominator', () => {
  const chats = [
    [
      { replies: [text('a')], ms: 10 },
      { replies: [], ms: 1 },
    ],
    [{ replies: [text('a'), handOver], ms: 30 }],
    [{ replies: [text('a')], failing: { verdict: 'refused', reason: 'no' }, ms: 5 }],
    [],
  ]
  const { responseTimeBot, ...shares } = answerFigures(chats.map(sessionOf), true)
  assert.is(responseTimeBot?.median, 10)
  assert.is(responseTimeBot?.p95, 30)
  assert.is(responseTimeBot?.denominator, 2)
  assert.equal(shares, {
    turns: 4,
    containment: { numerator: 1, denominator: 3, value: 1 / 3 },
    handOffRate: { numerator: 1, denominator: 3, value: 1 / 3 },
    silence: { numerator: 2, denominator: 4, value: 0.5 },
  })
})

groups.run()
