import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AccountId } from '../../../contracts/primitives.ts'
import { timeZonesOf } from '../../../src/bridge/domain/accounts.ts'
import type { KafkaPorts } from '../../../src/bridge/kafka/kafka.ts'
import { connectRebuilds } from '../../../src/bridge/mongo/rebuild/rebuilds.ts'
import { timeZonesChanged } from '../../../src/bridge/mongo/stats-recompute.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, inLog } from '../../support/given-events.ts'
import { sleep, testDatabase } from '../../support/mongo.ts'
import { runRebuild } from '../../support/rebuild.ts'

const { db, url, database, connect, drop } = await testDatabase()
const zones = suite('days of an account in its time zone')
zones.after(drop)

/** daily_stats is made from other views, so its rebuild reads no topic. */
const noKafka = {
  logs: async () => new Map(),
  topicIds: async () => new Map(),
  forgetGroup: async () => {},
} as unknown as KafkaPorts

const acme = (timeZone: string) => [{ id: 'acme' as AccountId, timeZone }]
const days = async () => (await db.collection('daily_stats').find().sort({ day: 1 }).toArray()).map(({ day }) => day)

zones('are days of the zone, and a change of the zone is reported until they are computed again', async () => {
  const berlin = connect({ timeZoneOf: timeZonesOf(acme('Europe/Berlin')) })
  const changedIn = (accounts: ReturnType<typeof acme>) => berlin.query((found) => timeZonesChanged(found, accounts))
  assert.equal(await changedIn(acme('Europe/Berlin')), [])
  const message = anEvent('OfflineMessageReceived', 'e1', '2026-01-31T23:30:00.000Z')
  await berlin.applyChanges(inLog(message).flatMap(changesOfEvent))
  berlin.statsRefresher.start()
  await eventually('the day', async () => String(await days()) === '2026-02-01')
  await berlin.statsRefresher.stop()

  assert.equal(await changedIn(acme('Europe/Berlin')), [])
  assert.equal(await changedIn(acme('UTC')), ['acme'])

  const rebuilds = connectRebuilds({ url, database }, { sleep, timeZoneOf: timeZonesOf(acme('UTC')) })
  const own = await rebuilds.begin(['daily_stats'], false, new Map())
  assert.ok(own)
  await own.recomputeDays(await own.days([]), () => {})
  await own.noteTimeZones()
  await own.forget()
  await rebuilds.stop()
  assert.equal([await days(), await changedIn(acme('UTC'))], [['2026-01-31'], []])
})

/** Zones that the IANA database has had for a short time only, one with summer time and one with quarters of hours. */
for (const [timeZone, time, day] of [
  ['America/Ciudad_Juarez', '2026-01-31T06:59:59.999Z', '2026-01-30'],
  ['America/Coyhaique', '2026-01-31T03:00:00.000Z', '2026-01-31'],
  ['Asia/Kathmandu', '2026-01-31T18:14:59.999Z', '2026-01-31'],
  ['Asia/Kathmandu', '2026-01-31T18:15:00.000Z', '2026-02-01'],
] as const)
  zones(`${time} is ${day} in ${timeZone}, in a rebuild too`, async () => {
    await db.collection('offline_messages').deleteMany({})
    await db.collection('daily_stats').deleteMany({})
    const there = connect({ timeZoneOf: timeZonesOf(acme(timeZone)) })
    await there.applyChanges(inLog(anEvent('OfflineMessageReceived', `in-${timeZone}`, time)).flatMap(changesOfEvent))
    const rebuilds = connectRebuilds({ url, database }, { sleep, timeZoneOf: timeZonesOf(acme(timeZone)) })
    const { code, said } = await runRebuild({ kafka: noKafka, rebuilds }, { views: ['daily_stats'] })
    await rebuilds.stop()
    assert.equal([code, said, await days()], [0, ['Done.'], [day]])
  })

zones('a rebuild that could not begin leaves nothing behind', async () => {
  const unable = (): never => {
    throw new Error('no such time zone')
  }
  const failing = connectRebuilds({ url, database }, { sleep, timeZoneOf: unable })
  for (const dryRun of [false, true]) {
    const { code, said } = await runRebuild({ kafka: noKafka, rebuilds: failing }, { views: ['daily_stats'], dryRun })
    assert.is(code, 1)
    assert.match(String(said), /^Nothing was done: /)
    assert.is(await failing.unfinished(), undefined)
  }
  await failing.stop()
})

zones.run()
