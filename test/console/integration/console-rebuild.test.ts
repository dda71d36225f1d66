import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { operations } from '../../../src/app/operations.ts'
import { now } from '../../../src/bridge/domain/clock.ts'
import type { Append } from '../../../src/bridge/domain/log/record.ts'
import { actionRecorder } from '../../../src/bridge/operations/audit.ts'
import type { Rebuilt } from '../../../src/bridge/operations/rebuild/rebuild.ts'
import type { RebuildEvent } from '../../../src/bridge/operations/rebuild/replay.ts'
import type { ConsoleResources } from '../../../src/console/backend.ts'
import type { OperationEnd, OperationLine } from '../../../src/console/line-queue.ts'
import type { ConsoleRequest, Grant } from '../../../src/console/page.ts'
import { operations as part } from '../../../src/console/pages/system/operations.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at } from '../../support/given-events.ts'
import { connectOperator } from '../../support/operator.ts'
import { world } from '../../support/world.ts'
import { given } from '../given-request.ts'

const here = await world()
await here.start(['projector'])
const operator = await connectOperator(here)
const { db, kafka, rebuilds } = operator
const chats = db.collection<{ _id: string }>('chats')

const audit = { isAway: false }
const append: Append = async (record, withinMs) =>
  audit.isAway ? E.left({ kind: 'transient', reason: 'the broker is away' }) : kafka.append(record, withinMs)
const routes = part.handlers({
  operations,
  ...({ kafka, rebuilds, restore: undefined, accounts: here.accounts } as unknown as ConsoleResources),
  recordActionOf: (who) => actionRecorder(append, now, who),
})

const operatorOf = (accounts: Grant['accounts']): ConsoleRequest['session'] => ({
  ...given().session,
  grants: [{ role: 'operator', accounts }],
})
type More = { readonly dryRun?: boolean; readonly session?: ConsoleRequest['session']; readonly signal?: AbortSignal }
const ask = (options: object, { dryRun = false, session = operatorOf('*'), ...more }: More = {}) =>
  routes['POST /api/accounts/:account/operations/run'](
    given({ body: { name: 'rebuild', options, dryRun }, session, ...more }),
  )
/** What the rebuild says, and how it ended. */
const rebuild = async (options: object, more: More = {}) => {
  const answer = right(await ask(options, more))
  if (!('stream' in answer)) throw new Error('expected a stream')
  const said: RebuildEvent[] = []
  let end: OperationEnd<Rebuilt> | undefined
  for await (const text of answer.stream) {
    const line: OperationLine<RebuildEvent, Rebuilt> = JSON.parse(text)
    if ('end' in line) end = line.end
    else if (line.event.kind !== 'progress') said.push(line.event)
  }
  const result = end !== undefined && 'code' in end ? end.result : undefined
  return { said, ok: result?.done, ending: result?.ending }
}
const recorded = async () =>
  (await db.collection('audit').find({}).sort({ at: 1 }).toArray()).map(
    ({ who, action, detail, accountId }) => `${who} ${action}: ${detail}${accountId ? ` of ${accountId}` : ''}`,
  )

const rebuilding = suite('rebuilding in the console')

rebuilding.after(async () => {
  await operator.stop()
  await here.stop()
})

rebuilding('a dry run shows differences, and a rebuild repairs them; both are on audit', async () => {
  right(await kafka.publish(anEvent('ChatAccepted', 'a', at('10:00:00')), 10_000))
  const chat = await eventually('the chat', async () => (await chats.findOne({})) ?? undefined)
  await chats.deleteOne({ _id: chat._id })

  const view = 'chats'
  const dry = await rebuild({ view }, { dryRun: true })
  const left = await chats.countDocuments({})
  const done = await rebuild({ view })

  assert.is(dry.ok, false)
  const [compared] = dry.said
  assert.equal(compared && 'examples' in compared && compared.examples, [{ id: chat._id, what: 'only rebuilt' }])
  assert.equal(dry.ending, { kind: 'different', isDry: true })
  assert.is(left, 0)
  assert.equal([done.ok, done.said.at(-1)], [true, { kind: 'swapped', views: ['chats'] }])
  assert.equal(await chats.findOne({}), chat)
  assert.is((await rebuild({ view }, { dryRun: true })).ok, true)
  const dryLine = 'kim@example.com unmask: rebuild, views chats, dryRun'
  await eventually('three actions', async () => (await recorded()).length === 3 || undefined)
  assert.equal(await recorded(), [dryLine, 'kim@example.com rebuild: rebuild, views chats', dryLine])
})

rebuilding('a user who is not an operator of every account may not rebuild', async () => {
  for (const session of [operatorOf(new Set(['acme'])), given().session]) {
    const answered = await ask({ view: 'chats' }, { dryRun: true, session })
    assert.is(E.isLeft(answered) && answered.left.status, 403)
  }
  const session = operatorOf(new Set(here.accounts.map(({ id }) => id)))
  assert.is((await rebuild({ view: 'chats' }, { dryRun: true, session })).ok, true)
})

rebuilding('nothing is compared or rebuilt if that cannot be recorded', async () => {
  audit.isAway = true
  const words = 'Nothing was done, since it cannot be recorded on the topic audit: the broker is away'
  for (const dryRun of [true, false]) {
    const refused = await ask({ view: 'chats' }, { dryRun })
    assert.equal(E.isLeft(refused) && [refused.left.status, refused.left.message], [503, words])
  }
  audit.isAway = false
})

rebuilding('an interrupted rebuild waits until it is resumed or discarded', async () => {
  const gone = AbortSignal.abort()
  assert.is((await rebuild({ view: 'chats' }, { signal: gone })).ok, false)
  const second = await rebuild({ view: 'chats' })
  assert.equal([second.ok, second.ending?.kind], [false, 'interrupted-before'])
  assert.equal((await rebuild({ discard: true })).ending, { kind: 'discarded' })
  await rebuild({ view: 'chats' }, { signal: gone })
  assert.equal((await rebuild({ resume: true })).ending, { kind: 'done', isDry: false })
})

rebuilding('of a view whose first records are lost says so, and replaces nothing', async () => {
  const ranges = await kafka.ranges('chats')
  await kafka.deleteBefore('chats', new Map([...ranges].map(([partition, { high }]) => [partition, high])))

  const { said, ending } = await rebuild({ view: 'chats' })

  assert.equal([said.map(({ kind }) => kind), ending], [['cut-off'], { kind: 'cut-off' }])
  assert.is((await rebuild({ view: 'calls' }, { dryRun: true })).ok, true)
})

rebuilding.run()
