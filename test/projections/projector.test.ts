import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ApplyChanges, Change, Failure, IncomingRecord, OwnedPartition, Slice } from '../../src/domain/ports.ts'
import type { Decode } from '../../src/projections/decoded.ts'
import { projector } from '../../src/projections/projector.ts'
import { anEvent, at } from '../support/given-events.ts'

const projectors = suite('the projector')

const record = (offset: number, value: string, topic: IncomingRecord['topic'] = 'chats'): IncomingRecord => ({
  topic,
  partition: 1,
  offset,
  timestamp: Date.parse(at('10:00:00')),
  key: Buffer.from('acme/2037'),
  value: Buffer.from(value),
  headers: {},
})
const slice = (...records: ReadonlyArray<IncomingRecord>): Slice => ({ topic: 'chats', partition: 1, records })
const partition: OwnedPartition = { isCurrent: () => true, done: () => {}, pause: () => () => {} }

/** Reads `e1` as a chat's acceptance under that id. */
const decode: Decode = ({ value }) =>
  String(value).startsWith('e')
    ? E.right(anEvent('ChatAccepted', String(value), at('10:00:00')))
    : E.left({ cause: 'invalid', detail: 'not an event' })

/** Keeps what was done, in its order; a change of a document in `unstorable`, or anything while `away`, is refused. */
const given = (
  refused: { readonly unstorable?: string; readonly away?: boolean } = {},
  hasRoom: () => boolean = () => true,
  applying?: ApplyChanges,
) => {
  const done: string[] = []
  const viewed: string[] = []
  const classify = (error: unknown): Failure => ({
    kind: error instanceof RangeError ? 'permanent' : 'transient',
    reason: 'MongoServerError 10334',
  })
  const applyKept = async (changes: ReadonlyArray<Change>) => {
    if (refused.away) throw new Error('away')
    if (changes.some(({ id }) => id === refused.unstorable)) throw new RangeError('too large')
    done.push(`apply ${changes.map(({ view, id }) => `${view} ${id}`).join(', ')}`)
  }
  const deadLetter = async ({ offset }: IncomingRecord, cause: string, detail: string) => {
    done.push(`dead letter ${offset}: ${cause}, ${detail}`)
  }
  let now = 0
  const measure = {
    projected: (records: number, seconds: number) => done.push(`${records} in ${seconds} s`),
    viewed: (source: string, seconds: number) => viewed.push(`${source} after ${seconds} s`),
  }
  const clock = () => {
    now += 500
    return now
  }
  const applyChanges = applying ?? applyKept
  const wallMs = () => Date.parse(at('10:00:02'))
  const handle = projector({ decode, applyChanges, classify, deadLetter, measure, hasRoom, clock, wallMs })
  return { done, viewed, handle }
}

projectors('applies a slice at once and keeps what cannot be read as dead letters after that', async () => {
  const { done, handle } = given()
  await handle(slice(record(5, 'nonsense'), record(6, 'e1'), record(7, 'e2')), partition)
  assert.equal(done, [
    'apply chats acme/2037, sessions acme/2037/agent, timeline acme/webhooks/e1, chats acme/2037, sessions acme/2037/agent, timeline acme/webhooks/e2',
    'dead letter 5: invalid, not an event',
    '3 in 0.5 s',
  ])
})

projectors('measures how long after its arrival an event is in the views, and not while they are away', async () => {
  const { viewed, handle } = given()
  await handle(slice(record(5, 'nonsense'), record(6, 'e1')), partition)
  const away = given({ away: true })
  await away.handle(slice(record(6, 'e1')), partition).catch(() => undefined)
  assert.equal([viewed, away.viewed], [['webhooks after 2 s'], []])
})

projectors('leaves commands that cannot be read to egress', async () => {
  const { done, handle } = given()
  await handle(slice(record(5, 'nonsense', 'bot-replies')), partition)
  assert.equal(done, ['apply ', '1 in 0.5 s'])
})

projectors('takes in all but the change that cannot be stored', async () => {
  const { done, handle } = given({ unstorable: 'acme/webhooks/e2' })
  await handle(slice(record(5, 'e1'), record(6, 'e2'), record(7, 'e3')), partition)
  assert.equal(done, [
    'apply chats acme/2037',
    'apply sessions acme/2037/agent',
    'apply timeline acme/webhooks/e1',
    'apply chats acme/2037',
    'apply sessions acme/2037/agent',
    'apply chats acme/2037',
    'apply sessions acme/2037/agent',
    'apply timeline acme/webhooks/e3',
    'dead letter 6: unstorable, timeline: MongoServerError 10334',
    '3 in 0.5 s',
  ])
})

projectors('of a large slice, writes the entries while it reads, and the folded documents at its end', async () => {
  const { done, handle } = given()
  const events = Array.from({ length: 1_200 }, (_, i) => record(i, `e${i}`))
  await handle(slice(...events), partition)

  const views = done.slice(0, 4).map((text) => [...new Set(text.match(/chats|timeline/g))].join())
  assert.equal(views, ['timeline', 'timeline', 'timeline', 'chats'])
  assert.is(
    done
      .slice(0, 3)
      .join()
      .match(/timeline acme\/webhooks\/e/g)?.length,
    1_200,
  )
})

projectors('of a large slice, folds what was read before it reads more than there is room for', async () => {
  // Asked before each round, and before each piece of it but the first.
  const room = [true, true, false, true, true, false]
  const { done, handle } = given({}, () => room.shift() ?? false)
  const events = Array.from({ length: 2_200 }, (_, i) => record(i, `e${i}`))
  await handle(slice(record(9_999, 'nonsense'), ...events), partition)

  const steps = done.map((text) => (text.startsWith('apply') ? (text.match(/chats|timeline/g) ?? []).join() : text))
  const written = (view: string) => steps.map((text) => text.split(view).length - 1).filter((count) => count > 0)
  assert.equal(
    [written('timeline'), written('chats')],
    [
      [499, 500, 500, 500, 201],
      [999, 1_000, 201],
    ],
  )
  assert.equal(done.slice(-2), ['dead letter 9999: invalid, not an event', '2201 in 0.5 s'])
})

projectors('takes a piece of one slice after the other where there is no room', async () => {
  let underWay = 0
  let most = 0
  const applyChanges = async () => {
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setImmediate(resolve))
    underWay--
  }
  const { handle } = given({}, () => false, applyChanges)
  const events = Array.from({ length: 1_200 }, (_, i) => record(i, `e${i}`))
  const slices = [slice(...events), slice(...events), slice(...events)]
  await Promise.all(slices.map((each) => handle(each, partition)))
  assert.is(most, 1)
})

projectors('of a large slice, takes in all but what cannot be stored', async () => {
  const { done, handle } = given({ unstorable: 'acme/webhooks/e700' })
  const events = Array.from({ length: 1_200 }, (_, i) => record(i, `e${i}`))
  await handle(slice(...events), partition)

  const entries = done.flatMap((text) => text.match(/timeline acme\/webhooks\/e\d+(?=,|$)/g) ?? [])
  assert.equal(
    [new Set(entries).size, done.at(-2)],
    [1_199, 'dead letter 700: unstorable, timeline: MongoServerError 10334'],
  )
  assert.ok(done.length < 100)
})

projectors('throws in an outage and makes no dead letter', async () => {
  const { done, handle } = given({ away: true })
  const outcome = await handle(slice(record(5, 'nonsense'), record(6, 'e1')), partition).then(
    () => 'resolved',
    (error: Error) => error.message,
  )
  assert.equal([outcome, done], ['away', []])
})

projectors.run()
