import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Acts, actOf, handOver } from '../../../src/bot/what-if/acts.ts'
import { type Conversing, compareChat } from '../../../src/bot/what-if/chat.ts'
import { type Answer, type Failing, isUnstable, type Reference, verdictOf } from '../../../src/bot/what-if/judge.ts'
import { type Turn, turnsOf } from '../../../src/bot/what-if/turns.ts'
import { right } from '../../support/either.ts'
import { client, delivered, failed, rules } from './given-chat.ts'

const judge = suite('verdicts')

const text = (words: string) => actOf({ type: 'TEXT', text: words }, false)
const saying = (words: string) => actOf({ type: 'TEXT', text: words }, true)
const markdown = (content: string) => actOf({ type: 'MARKDOWN', content }, false)
const buttons = (title: string, ...ids: ReadonlyArray<string>) =>
  actOf({ type: 'BUTTONS', title, buttons: ids.map((id) => ({ id: id as never, text: id })) }, false)
const failing = (verdict: Failing['verdict']): Reference => ({ replies: [], failing: { verdict, reason: verdict } })
const answer = (...replies: Acts): Reference => ({ replies })

const rows: ReadonlyArray<readonly [title: string, old: Reference, now: Reference, verdict: string]> = [
  ['the same reply', answer(text('Hi')), answer(text('Hi')), 'same'],
  ['silence again', answer(), answer(), 'same'],
  ['other words', answer(text('Hi')), answer(text('Good day')), 'words'],
  ['another type of message', answer(text('Hi')), answer(markdown('Hi')), 'act'],
  ['another button', answer(buttons('Which?', 'a')), answer(buttons('Which?', 'b')), 'act'],
  ['buttons in another order', answer(buttons('Which?', 'a', 'b')), answer(buttons('Which?', 'b', 'a')), 'act'],
  ['a hand-over beside the reply', answer(text('Hi')), answer(text('Hi'), handOver), 'act'],
  ['one more message', answer(text('Hi')), answer(text('Hi'), text('Hi')), 'act'],
  ['an announcement instead of an answer', answer(text('Hi')), answer(saying('Hi')), 'act'],
  ['silence instead of a reply', answer(text('Hi')), answer(), 'silent'],
  ['a reply instead of silence', answer(), answer(text('Hi')), 'answered'],
  ['a failure', answer(text('Hi')), failing('threw'), 'threw'],
  ['a slow answer', answer(), failing('slow'), 'slow'],
  ['a reply that the bridge refuses', answer(text('Hi')), failing('refused'), 'refused'],
  ['the same failure as the baseline', failing('threw'), failing('threw'), 'same'],
  ['another failure than the baseline', failing('slow'), failing('threw'), 'threw'],
  ['a reply where the baseline failed', failing('threw'), answer(text('Hi')), 'answered'],
]
for (const [title, old, now, verdict] of rows)
  judge(`${title}: ${verdict}`, () => {
    assert.is(verdictOf(old, now), verdict)
  })

judge('a bot is unstable if its acts differ; other words count only where words do', () => {
  assert.is(isUnstable([answer(text('a')), answer(text('b'))], false), false)
  assert.is(isUnstable([answer(text('a')), answer(text('b'))], true), true)
  assert.is(isUnstable([answer(text('a')), answer(text('a')), answer()], false), true)
  assert.is(isUnstable([failing('threw'), answer(text('a'))], false), true)
  assert.is(isUnstable([failing('threw'), failing('threw')], true), false)
})

const chat = [
  client('m1', '10:00:00'),
  delivered('d1', '10:00:01', { to: 'm1' }),
  client('m2', '10:00:02'),
  delivered('d2', '10:00:03', { to: 'm2' }),
  client('m3', '10:00:04'),
  failed('f3', '10:00:05', { to: 'm3', reason: 'attempts' }),
  client('m4', '10:00:06'),
  delivered('d4', '10:00:07', { to: 'm4' }),
]

/** A bot that says these words, one for each turn; undefined is silence. */
const bot = (...words: ReadonlyArray<string | undefined>) => {
  const asked: string[] = []
  const conversing: Conversing = {
    ask: async ({ number, events }): Promise<Answer> => {
      asked.push(events.map(({ id }) => id).join(' '))
      const word = words[number - 1]
      return { replies: word === undefined ? [] : [text(word)], ms: 1 }
    },
    end: () => void asked.push('end'),
  }
  return { asked, conversing }
}
type Bots = Parameters<typeof compareChat>[1]
/** The turns of the chat against these bots. */
const compare = ({ turns = turnsOf(chat, rules), ...bots }: Partial<Bots> & { readonly turns?: ReadonlyArray<Turn> }) =>
  compareChat(turns, {
    baseline: undefined,
    candidates: [],
    isExact: false,
    counts: () => true,
    isErased: async () => false,
    ...bots,
  })

judge('the same bot has the same verdict in each turn that can be compared', async () => {
  const { conversing, asked } = bot('Hello', 'Hello', 'Hello', 'Hello')
  const { compared, noise } = right(await compare({ candidates: [conversing] }))
  assert.equal(
    compared.map(({ verdict }) => verdict),
    ['same', 'same', 'not-comparable', 'same'],
  )
  assert.equal(noise, { differs: 0, of: 0 })
  assert.equal(asked, ['m1', 'm2', 'm3', 'm4', 'end'])
})

judge('only the first divergence counts, and the bot is asked no more after it', async () => {
  const { conversing, asked } = bot('Hello', undefined, 'Hello', undefined)
  const { compared } = right(await compare({ candidates: [conversing] }))
  assert.equal(
    compared.map(({ verdict, reason }) => [verdict, reason]),
    [
      ['same', undefined],
      ['silent', undefined],
      ['not-compared', 'the client answered the old reply'],
      ['not-compared', 'the client answered the old reply'],
    ],
  )
  assert.equal(asked, ['m1', 'm2', 'end'])
})

judge('a chat that is erased meanwhile gets to no bot any more', async () => {
  const { conversing, asked } = bot('Hello', 'Hello', 'Hello', 'Hello')
  const result = await compare({ candidates: [conversing], isErased: async () => asked.length === 2 })
  assert.equal(result, E.left('erased'))
  assert.equal(asked, ['m1', 'm2', 'end'])
})

judge('other words diverge only with --words exact', async () => {
  const verdicts = async (isExact: boolean) => {
    const { conversing } = bot('Good day', 'Hello', 'Hello', 'Hello')
    const { compared } = right(await compare({ candidates: [conversing], isExact }))
    return compared.map(({ verdict }) => verdict)
  }
  assert.equal(await verdicts(false), ['words', 'same', 'not-comparable', 'same'])
  assert.equal(await verdicts(true), ['words', 'not-compared', 'not-compared', 'not-compared'])
})

judge('with a baseline the candidate is compared with it, and the noise is what the baseline changes', async () => {
  const [baseline, candidate] = [bot(undefined, 'Hello', 'Hello', 'Hello'), bot(undefined, undefined)]
  const bots = { baseline: baseline.conversing, candidates: [candidate.conversing] }
  const { compared, noise } = right(await compare(bots))
  assert.equal(
    compared.map(({ verdict }) => verdict),
    ['same', 'silent', 'not-compared', 'not-compared'],
  )
  assert.equal(noise, { differs: 1, of: 1 })
})

judge('a bot that disagrees with itself is unstable there, and has not failed', async () => {
  const candidates = [bot('Hello', 'Hello').conversing, bot('Hello', undefined).conversing]
  const { compared } = right(await compare({ turns: turnsOf(chat, rules).slice(0, 2), candidates }))
  assert.equal(
    compared.map(({ verdict, reason }) => [verdict, reason]),
    [
      ['same', undefined],
      ['not-comparable', 'unstable: the bot disagrees with itself'],
    ],
  )
})

judge('turns before those that are asked for only lead to them', async () => {
  const { conversing, asked } = bot(undefined, 'Hello', 'Hello', 'Hello')
  const { compared } = right(await compare({ candidates: [conversing], counts: ({ number }) => number > 1 }))
  assert.equal(
    compared.map(({ turn, verdict }) => [turn.number, verdict]),
    [
      [2, 'same'],
      [3, 'not-comparable'],
      [4, 'same'],
    ],
  )
  assert.equal(asked, ['m1', 'm2', 'm3', 'm4', 'end'])
})

judge.run()
