import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { now } from '../../../src/bridge/domain/clock.ts'
import type { Append } from '../../../src/bridge/domain/log/record.ts'
import { actionRecorder } from '../../../src/bridge/operations/audit.ts'
import { RebuildLine } from '../../../src/console/answers.ts'
import { rebuildHandlers } from '../../../src/console/api/rebuild.ts'
import type { ConsoleRequest, Grant } from '../../../src/console/handler.ts'
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
const routes = rebuildHandlers({
  kafka,
  rebuilds,
  restore: undefined,
  accounts: here.accounts,
  recordActionOf: (who) => actionRecorder(append, now, who),
})

const operatorOf = (accounts: Grant['accounts']): ConsoleRequest['session'] => ({
  ...given().session,
  grants: [{ role: 'operator', accounts }],
})
type More = { readonly session?: ConsoleRequest['session']; readonly signal?: AbortSignal }
const ask = (body: object, { session = operatorOf('*'), ...more }: More = {}) =>
  routes['POST /api/accounts/:account/rebuild'](
    given({ body: { what: 'begin', view: 'chats', dryRun: false, ...body }, session, ...more }),
  )
/** The lines that the rebuild prints, and whether it succeeded. */
const rebuild = async (body: object, more: More = {}) => {
  const answer = right(await ask(body, more))
  if (!('stream' in answer)) throw new Error('expected a stream')
  const said: string[] = []
  let ok: boolean | undefined
  for await (const text of answer.stream) {
    const line = right(RebuildLine.decode(JSON.parse(text)))
    if ('end' in line) ok = line.end.ok
    else said.push(line.line)
  }
  return { said, ok }
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

  const dry = await rebuild({ dryRun: true })
  const left = await chats.countDocuments({})
  const done = await rebuild({})

  assert.is(dry.ok, false)
  assert.match(dry.said.join('\n'), `${chat._id}: the live view lacks it`)
  assert.is(dry.said.at(-1), 'There are differences; nothing was changed.')
  assert.is(left, 0)
  assert.equal([done.ok, done.said.slice(-2)], [true, ['Swapped: chats.', 'Done.']])
  assert.equal(await chats.findOne({}), chat)
  assert.is((await rebuild({ dryRun: true })).ok, true)
  const dryLine = 'kim@example.com unmask: rebuild, views chats, dryRun true'
  await eventually('three actions', async () => (await recorded()).length === 3 || undefined)
  assert.equal(await recorded(), [dryLine, 'kim@example.com rebuild: rebuild, views chats', dryLine])
})

rebuilding('a user who is not an operator of every account may not rebuild', async () => {
  for (const session of [operatorOf(new Set(['acme'])), given().session]) {
    const answered = await ask({ dryRun: true }, { session })
    assert.is(E.isLeft(answered) && answered.left.status, 403)
  }
  const session = operatorOf(new Set(here.accounts.map(({ id }) => id)))
  assert.is((await rebuild({ dryRun: true }, { session })).ok, true)
})

rebuilding('nothing is compared or rebuilt if that cannot be recorded', async () => {
  audit.isAway = true
  const words = 'Nothing was done, since it cannot be recorded on the topic audit: the broker is away'
  for (const dryRun of [true, false]) {
    const refused = await ask({ dryRun })
    assert.equal(E.isLeft(refused) && [refused.left.status, refused.left.message], [503, words])
  }
  audit.isAway = false
})

rebuilding('an interrupted rebuild waits until it is resumed or discarded', async () => {
  const gone = AbortSignal.abort()
  assert.is((await rebuild({}, { signal: gone })).ok, false)
  const second = await rebuild({})
  assert.equal([second.ok, /was interrupted/.test(second.said.join())], [false, true])
  assert.equal(await rebuild({ what: 'discard', view: undefined }), { said: ['Discarded.'], ok: true })
  await rebuild({}, { signal: gone })
  assert.is((await rebuild({ what: 'resume', view: undefined })).said.at(-1), 'Done.')
})

rebuilding(
  'without the keys of the archive it says where to rebuild views from records that only the archive has',
  async () => {
    const ranges = await kafka.ranges('chats')
    await kafka.deleteBefore('chats', new Map([...ranges].map(([partition, { high }]) => [partition, high])))

    const { said, ok } = await rebuild({ dryRun: true })

    assert.is(ok, false)
    assert.equal(said, [
      'The first records of the view are only in the archive, and this process has no ARCHIVE_KEY_FILE. Nothing was changed.',
      'Where the role archiver runs: livechat-bridge rebuild chats --dry-run',
    ])
    assert.is((await rebuild({ view: 'calls', dryRun: true })).ok, true)
  },
)

rebuilding.run()
