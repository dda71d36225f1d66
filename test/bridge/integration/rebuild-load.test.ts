import { isDeepStrictEqual } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dated } from '../../../src/bridge/domain/dated.ts'
import { applyWith } from '../../../src/bridge/mongo/apply.ts'
import { optimisticUpdate } from '../../../src/bridge/mongo/optimistic-update.ts'
import { connectRebuilds } from '../../../src/bridge/mongo/rebuild/rebuilds.ts'
import { swapGate, unlessSwapping } from '../../../src/bridge/mongo/rebuild/swap.ts'
import { idsWhere, readPresent, writeIfUnchanged } from '../../../src/bridge/mongo/store.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import type { Change, ViewDocument } from '../../../src/bridge/views/document.ts'
import { anEvent } from '../../support/given-events.ts'
import { memoryViews } from '../../support/memory-views.ts'
import { sleep, testDatabase } from '../../support/mongo.ts'

const database = await testDatabase()
const { db } = database
const rebuilds = connectRebuilds({ url: database.url, database: database.database }, { sleep })
const calls = db.collection<{ _id: string }>('calls')
const random = (below: number) => Math.floor(Math.random() * below)

/** A growing log of one partition: the changes of its records. */
const growingLog = () => {
  const log: Array<ReadonlyArray<Change>> = []
  const append = () => {
    const offset = log.length
    const statuses = ['start', 'agent_connected', 'client_connected', 'end', 'error']
    const call = { type: 'incoming', phone: '+15550100', status: statuses[random(5)] }
    const time = new Date(Date.UTC(2026, 0, 31) + offset * 1000).toISOString()
    const event = anEvent('CallStatusChanged', `e${offset}`, time, { chatId: `${random(6)}`, call })
    const subject = event.data.chatId
    const changes = changesOfEvent({ event: dated({ ...event, subject }), topic: 'calls', partition: 0, offset })
    log.push(changes.filter(({ view }) => view === 'calls'))
  }
  return { append, end: () => log.length, changes: (from: number, to: number) => log.slice(from, to).flat() }
}
type Log = ReturnType<typeof growingLog>

/** A projector's writer that is slow somewhere between reading and writing. It applies a slice again if it fails. */
const projectorOf = (log: Log, mayWrite: () => Promise<boolean>) => {
  const applyAtOnce = applyWith(
    optimisticUpdate<ViewDocument>({
      read: readPresent(db, 'majority'),
      write: async (collection, writes) => {
        await sleep(random(2) * random(60))
        return writeIfUnchanged<ViewDocument>(db)(collection, writes)
      },
      written: () => sleep(random(5)),
      sleep,
    }),
    idsWhere(db),
  )
  const apply = unlessSwapping(mayWrite, applyAtOnce, sleep)
  let position = 0
  return {
    position: () => position,
    /** Applies one slice. Sometimes it applies earlier records again, as after a rebalance. */
    step: async () => {
      const from = Math.max(0, position - (random(8) === 0 ? 5 : 0))
      const to = Math.min(log.end(), from + 1 + random(8))
      if (to <= from) return sleep(2)
      await apply(log.changes(from, to))
      position = Math.max(position, to)
    },
  }
}

/** One rebuild, which may lose its lock before the swap. */
const rebuildOnce = async (log: Log) => {
  const own = await rebuilds.begin(['calls'], false, new Map())
  assert.ok(own)
  await own.make(['calls'])
  await own.enter('replaying')
  let position = 0
  const takeIn = async (to: number) => {
    for (; position < to; position = Math.min(position + 20, to))
      await own.applyChanges(log.changes(position, Math.min(position + 20, to)))
  }
  await takeIn(log.end())
  await own.enter('swapping')
  for (let swapped = false; !swapped; ) {
    await takeIn(log.end())
    const token = await own.lock(random(3) === 0 ? 30 : 20_000)
    assert.ok(token)
    await takeIn(log.end())
    await sleep(random(2) * 100)
    swapped = (await own.swap(token, ['calls'])).length > 0
    await own.unlock(token)
  }
  await own.forget()
}

/** Counts the rounds of a rebuild under load in which the view differs from a plain fold. Stops at `enough`. */
const wrongRounds = async (rounds: number, mayWrite: () => Promise<boolean>, enough = rounds): Promise<number> => {
  let wrong = 0
  for (let round = 0; round < rounds && wrong < enough; round++) {
    await calls.drop()
    const log = growingLog()
    const projectors = [projectorOf(log, mayWrite), projectorOf(log, mayWrite)]
    let running = true
    const whileRunning = async (step: () => Promise<unknown>) => {
      while (running) await step()
    }
    const all = [
      ...projectors.map((projector) => whileRunning(projector.step)),
      whileRunning(async () => {
        log.append()
        await sleep(5 + random(10))
      }),
    ]
    while (projectors.some(({ position }) => position() < 30)) await sleep(5)
    await calls.updateOne({ _id: `acme/${random(6)}` }, { $set: { phone: 'damaged' } })
    await calls.deleteOne({ _id: `acme/${random(6)}` })
    await rebuildOnce(log)
    running = false
    await Promise.all(all)
    for (const { position, step } of projectors) while (position() < log.end()) await step()
    const { applyChanges, documents } = memoryViews()
    await applyChanges(log.changes(0, log.end()))
    const stored = await calls.find().toArray()
    const isRight = isDeepStrictEqual(Object.fromEntries(stored.map((it) => [`calls ${it._id}`, it])), documents())
    if (!isRight) wrong++
  }
  return wrong
}

const load = suite('rebuilds under load')

load('lose nothing and repair damage, even with slow writers and lost locks', async () => {
  assert.is(await wrongRounds(12, swapGate(db)), 0)
})

load('would lose events if the writers did not check the lock (control)', async () => {
  assert.ok((await wrongRounds(100, async () => true, 1)) > 0)
})

load.after(async () => {
  await rebuilds.stop()
  await database.drop()
})
load.run()
