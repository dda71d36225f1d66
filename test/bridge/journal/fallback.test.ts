import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../../support/folder.ts'
import { recordOf } from './given.ts'
import { budgetMs, startPolicy } from './policy.ts'

const withinMs = 2_500
const given = () => startPolicy(temporaryFolder())

const policy = suite('journal: in front of the broker')

policy('after the budget everything outstanding is in the journal, and later records go there at once', async () => {
  const { append, idle, clock, lane, broker, state, health, recover, stop } = await given()
  const first = [1, 2, 3].map((id) => append(recordOf(id), withinMs))
  await clock.pass(budgetMs)
  assert.equal(await Promise.all(first), Array(3).fill(E.right('journal')))
  assert.equal(await append(recordOf(4), withinMs), E.right('journal'))
  await idle()
  assert.is(state().isFailedOver, true)
  assert.is(state().records, 4)
  await clock.pass(9_000)
  assert.equal(health(), {
    ok: true,
    isLimited: true,
    reason: `Kafka does not accept records of chats: 4 records wait in the journal (${state().bytes} bytes), the oldest for 9 s`,
  })
  assert.equal(lane.waiting().slice(0, 3), [1, 2, 3])

  await recover()
  assert.equal(broker.firstIds(), [1, 2, 3, 4])
  const answer = append(recordOf(5), withinMs)
  await idle()
  lane.take(1, 'now')
  assert.equal(await answer, E.right('kafka'))
  await stop()
})

policy('after an acknowledgement inside the budget records still go to the broker', async () => {
  const { append, idle, clock, lane, state, stop } = await given()
  const answer = append(recordOf(1), withinMs)
  await clock.pass(budgetMs * 0.9)
  lane.take(1, 'now')
  assert.equal(await answer, E.right('kafka'))
  await clock.pass(budgetMs)
  await idle()
  assert.is(state().isFailedOver, false)
  await stop()
})

policy(
  'at a stop everything outstanding goes to the journal, and to the broker first after the next start',
  async () => {
    const dir = temporaryFolder()
    const before = await startPolicy(dir)
    const answers = [1, 2].map((id) => before.append(recordOf(id), withinMs))
    await before.idle()
    await before.stop()
    assert.equal(await Promise.all(answers), [E.right('journal'), E.right('journal')])
    assert.equal(await before.append(recordOf(9), withinMs), E.left({ kind: 'transient' as const, reason: 'stopping' }))

    const after = await startPolicy(dir)
    assert.is(after.state().isFailedOver, true)
    assert.equal(await after.append(recordOf(3), withinMs), E.right('journal'))
    await after.recover()
    assert.equal(after.broker.firstIds(), [1, 2, 3])
    await after.stop()
  },
)

policy.run()
