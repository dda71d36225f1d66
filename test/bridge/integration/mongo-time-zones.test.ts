import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AccountId } from '../../../contracts/primitives.ts'
import { timeZonesOf } from '../../../src/bridge/domain/accounts.ts'
import { connectRebuilds } from '../../../src/bridge/mongo/rebuild/rebuilds.ts'
import { timeZonesChanged } from '../../../src/bridge/mongo/stats-recompute.ts'
import { changesOfEvent } from '../../../src/bridge/views/changes.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, inLog } from '../../support/given-events.ts'
import { sleep, testDatabase } from '../../support/mongo.ts'

const { db, url, database, connect, drop } = await testDatabase()
const zones = suite('days of an account in its time zone')
zones.after(drop)

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

zones.run()
