import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { OutgoingRecord } from '../../../src/bridge/domain/log/record.ts'
import type { Send } from '../../../src/bridge/journal/drain.ts'
import { journalHealth } from '../../../src/bridge/journal/intake.ts'
import { type Journals, openJournals } from '../../../src/bridge/journal/journals.ts'
import { drainOrphans } from '../../../src/bridge/journal/orphans.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { virtualClock } from './clock.ts'
import { append, idOf, noon, recordingLog, recordOf, right } from './given.ts'
import { damage, segmentsOf } from './segments.ts'

const callOf = (id: number): OutgoingRecord => ({ ...recordOf(id), topic: 'calls' })
const open = (dir: string, maxBytes = 100_000) =>
  openJournals({ dir, maxBytes, now: () => noon, log: recordingLog().log })
const journalOf = ({ own }: Journals, topic: 'chats' | 'calls') => {
  const journal = own.get(topic)
  if (journal === undefined) throw new Error(`no journal for ${topic}`)
  return journal
}
/** Ends a process. As after a stop or a kill, its lock is free and its records are there. */
const end = async ({ own, close }: Journals) => {
  for (const journal of own.values()) await journal.close()
  await close()
}
/** Two processes have written records to the journals in `1` and in `2`, and both have ended. */
const twoEnded = async (dir: string) => {
  const [first, second] = [right(await open(dir)), right(await open(dir))]
  await append(journalOf(first, 'chats'), [recordOf(1), recordOf(2)])
  await append(journalOf(second, 'chats'), [recordOf(3), recordOf(4)])
  await append(journalOf(second, 'calls'), [callOf(5)])
  await end(first)
  await end(second)
}

type Drained = Partial<Parameters<typeof drainOrphans>[1]> & Pick<Journals, 'adopt'>
/** Drains orphans to a Kafka that accepts everything. `ended` resolves when the log has an info. */
const draining = (orphans: Parameters<typeof drainOrphans>[0], options: Drained) => {
  const sent: number[] = []
  const ended = Promise.withResolvers<void>()
  const { log, lines } = recordingLog()
  const drain = drainOrphans(orphans, {
    send: async (record) => {
      sent.push(idOf(record))
      return E.right(undefined)
    },
    reject: async () => undefined,
    random: () => 0,
    sleep: virtualClock().sleep,
    log: { ...log, info: () => ended.resolve() },
    ...options,
  })
  return { ...drain, sent, lines, ended: ended.promise }
}

const journals = suite('journal: one folder for each process')

journals('only a journal of a living process is skipped; its number is free after that process ends', async () => {
  const dir = temporaryFolder()
  const first = right(await open(dir))
  const second = right(await open(dir))
  assert.ok(existsSync(join(dir, '1', 'chats')) && existsSync(join(dir, '2', 'chats')))
  await end(first)
  const third = right(await open(dir))
  assert.not.ok(existsSync(join(dir, '3')))
  await end(second)
  await end(third)
})

journals('a restart uses the folder with records before an empty one', async () => {
  const dir = temporaryFolder()
  const [first, second] = [right(await open(dir)), right(await open(dir))]
  await append(journalOf(second, 'chats'), [recordOf(1)])
  await end(first)
  await end(second)
  const after = right(await open(dir))
  assert.is(journalOf(after, 'chats').state().records, 1)
  assert.equal(await after.adopt(), { orphans: [], unusable: [] })
  await end(after)
})

const obstacles: ReadonlyArray<readonly [string, (dir: string) => void]> = [
  ['the lock holds garbage', (dir) => writeFileSync(join(dir, '1', 'lock'), 'x'.repeat(2_000))],
  ['a checkpoint is a folder', (dir) => mkdirSync(join(dir, '1', 'chats', 'checkpoint'))],
  ['a segment is a folder', (dir) => mkdirSync(join(dir, '1', 'chats', '000000000000009-0a0b0c0d.segment'))],
]
for (const [what, hinder] of obstacles)
  journals(`${what}: the folder is reported and never skipped`, async () => {
    const dir = temporaryFolder()
    const before = right(await open(dir))
    await append(journalOf(before, 'chats'), [recordOf(1)])
    await end(before)
    hinder(dir)
    const opened = await open(dir)
    assert.ok(E.isLeft(opened))
    assert.ok(opened.left.dir.startsWith(join(dir, '1')), opened.left.dir)
    assert.not.ok(existsSync(join(dir, '2')))
  })

journals('the journals of all topics share one size limit', async () => {
  const opened = right(await open(temporaryFolder(), 1_000))
  const [chats, calls] = [journalOf(opened, 'chats'), journalOf(opened, 'calls')]
  const outcomes = []
  for (let id = 1; id <= 10; id++) outcomes.push(await chats.append(recordOf(id)), await calls.append(callOf(id)))
  assert.ok(outcomes.some(E.isLeft) && outcomes.some(E.isRight))
  assert.ok(chats.state().bytes + calls.state().bytes <= 1_000)
  await end(opened)
})

journals('a journal whose process has ended is drained in its order, and reported until then', async () => {
  const dir = temporaryFolder()
  await twoEnded(dir)
  const opened = right(await open(dir))
  const { orphans, unusable } = await opened.adopt()
  assert.equal([orphans.map((orphan) => orphan.dir), unusable], [[join(dir, '2')], []])
  const [started, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const sent: number[] = []
  const { adopt } = opened
  const send: Send = async (record) => {
    sent.push(idOf(record))
    if (sent.length === 3) started.resolve()
    await answered.promise
    return E.right(undefined)
  }
  const { state, stop, ended } = draining(orphans, { adopt, send })
  await started.promise
  assert.equal(state(), { journals: 1, records: 3, unusable: [], damaged: { places: 0, bytes: 0 } })
  answered.resolve()
  await ended
  assert.equal(
    sent.filter((id) => id !== 5),
    [3, 4],
  )
  assert.equal(state(), { journals: 0, records: 0, unusable: [], damaged: { places: 0, bytes: 0 } })
  assert.equal(segmentsOf(join(dir, '2', 'chats')), [])
  await stop()
  await end(opened)
})

journals(
  'a journal whose process ends later is found by the next check; one that cannot be opened is reported',
  async () => {
    const dir = temporaryFolder()
    const opened = right(await open(dir))
    const [second, third] = [right(await open(dir)), right(await open(dir))]
    await append(journalOf(second, 'chats'), [recordOf(1)])
    await append(journalOf(third, 'chats'), [recordOf(2)])
    assert.equal(await opened.adopt(), { orphans: [], unusable: [] })
    const clock = virtualClock()
    const { sent, lines, state, stop, ended } = draining([], { adopt: opened.adopt, sleep: clock.sleep })
    await end(second)
    await end(third)
    mkdirSync(join(dir, '3', 'chats', 'checkpoint'))
    await clock.pass(10_000)
    await ended
    assert.equal(sent, [1])
    const { journals: left, unusable } = state()
    assert.equal([left, unusable.map((one) => one.dir)], [1, [join(dir, '3')]])
    assert.equal(lines.map(({ level }) => level).toSorted(), ['error', 'warn'])
    await stop()
    await end(opened)
  },
)

journals('damage in an adopted journal is reported, and the records around it are drained', async () => {
  const dir = temporaryFolder()
  await twoEnded(dir)
  const [file = ''] = segmentsOf(join(dir, '2', 'chats'))
  damage(join(dir, '2', 'chats', file), 60, 1)
  const opened = right(await open(dir))
  const { orphans } = await opened.adopt()
  const { sent, state, stop, ended } = draining(orphans, { adopt: opened.adopt })
  await ended
  assert.equal(sent.toSorted(), [4, 5])
  assert.is(state().damaged.places, 1)
  await stop()
  await end(opened)
})

journals('readiness reports journals without a process, and stays ready', () => {
  const orphans = { journals: 2, records: 40, unusable: [{ dir: '/data/journal/3', reason: 'EISDIR' }] }
  const damaged = { places: 0, bytes: 0 }
  assert.equal(
    journalHealth(
      { records: 0, bytes: 0, damaged, failedOver: [], refused: false, orphans: { ...orphans, damaged }, refusals: [] },
      0,
    ),
    {
      ok: true,
      isLimited: true,
      reason:
        'records go to Kafka; journals without a process: 2, with 40 records; /data/journal/3 cannot be opened (EISDIR)',
    },
  )
})

journals.run()
