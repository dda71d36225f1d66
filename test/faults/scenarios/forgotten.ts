import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMetrics } from '../../../src/app/metrics.ts'
import { kafkaSettings } from '../../../src/app/servers.ts'
import { createLog } from '../../../src/app/telemetry.ts'
import { newKeyFile } from '../../../src/archive/key-file.ts'
import { now } from '../../../src/domain/clock.ts'
import { connectKafka } from '../../../src/kafka/kafka.ts'
import { sleep } from '../../../src/shared/time.ts'
import { runCommand } from '../../support/command.ts'
import { eventually } from '../../support/eventually.ts'
import { unless, wrong } from '../findings.ts'
import { allPlanted, canariesIn } from '../forgotten/canaries.ts'
import { startGround } from '../forgotten/ground.ts'
import { isTakenIn, tellAll, tellJournal, tellOfOthers } from '../forgotten/person.ts'
import { searched } from '../forgotten/search.ts'
import { cleanUpSoon, pending, readable, removeKeys, telling } from '../forgotten/stores.ts'
import { startCollector } from '../forgotten/traces.ts'
import { observedWorld } from '../observed-world.ts'
import type { Scenario } from '../scenario.ts'

/** In days: four seconds. */
const secondsOfRetention = '0.00005'

/** Everything is said of one person, who is erased; then every store is searched byte by byte, also after copies from before came back. */
export const forgotten: Scenario = {
  name: 'forgotten',
  promises: '17',
  fault:
    'canaries in every personal field; erasure, retention; then a rebuild, another wrapping key, and Kafka, MongoDB or both restored from copies that are older',
  controls: [
    'the data key of what is erased is destroyed',
    'every view is emptied at a marker',
    'the markers of the archive are applied after a restore',
  ],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const ground = await startGround()
    const traces = join(ground.dir, 'traces')
    mkdirSync(traces)
    const collector = await startCollector(join(traces, 'received'))
    cluster.afterwards(async () => {
      collector.stop()
      await ground.stop()
    })
    const here = await observedWorld(
      { brokers: ground.brokers(), mongoUrl: ground.mongoUrl, afterwards: cluster.afterwards },
      without,
      { replyWithin: 3_600_000 },
    )
    const { prefix, brokers } = here
    const [work, tmp] = [join(ground.dir, 'work'), join(ground.dir, 'tmp')]
    for (const folder of [work, tmp]) mkdirSync(folder)
    const [keyFile, config] = [join(work, 'keys.json'), join(work, 'accounts.json')]
    const firstKeys = newKeyFile('first')
    writeFileSync(keyFile, firstKeys)
    writeFileSync(config, JSON.stringify({ accounts: [here.account] }))
    const place = await here.place(['ingress', 'projector', 'egress', 'archiver'], {
      ...{ ARCHIVE_KEY_FILE: keyFile, LOG_LEVEL: 'debug', TMPDIR: tmp, TOPIC_PARTITIONS: '1' },
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '200' },
    })
    const command = (...args: ReadonlyArray<string>) =>
      runCommand(
        args,
        {
          ...{
            KAFKA_BROKERS: brokers.join(','),
            MONGODB_URL: here.mongo.url,
            TOPIC_PREFIX: prefix,
            TOPIC_PARTITIONS: '1',
          },
          ...{ BRIDGE_CONFIG: config, DATA_DIR: place.dataDir, ARCHIVE_KEY_FILE: keyFile, TMPDIR: tmp },
        },
        work,
      )
    const failures: string[] = []
    const notes: string[] = []

    const settings = kafkaSettings({ brokers, ssl: false }, { prefix, partitions: 1 }, 'forgotten')
    const kafka = connectKafka(settings, { log: createLog('silent'), measure: createMetrics().measure, now })
    cluster.afterwards(() => kafka.stop())

    const tells = () => telling(here.mongo.url)
    const read = () => readable(kafka, here.mongo, keyFile)
    const outside = () => searched(place.dataDir, work, tmp, traces)
    /** What there may not be any more. `enrichments` keeps the key of what was removed, as its guide says. */
    const judge = async (when: string) => {
      const tellingViews = async () => [...(await tells())].filter(([view]) => view !== 'enrichments')
      // Statistics are computed a while after what they are made from.
      await eventually('silent views', async () => (await tellingViews()).length === 0, 30_000).catch(() => undefined)
      const views = await tellingViews()
      failures.push(
        ...wrong(
          `views that tell something ${when}`,
          views.map(([view, where]) => `${view} (${[...where].slice(0, 2)})`),
        ),
        ...wrong(`things that the archive tells ${when}`, [...(await read())]),
        ...wrong(`things in journal, logs, traces or temporary files ${when}`, [...outside().keys()]),
      )
    }
    const judgeKafka = async (when: string) => {
      const found = () => searched(ground.dataOf('kafka'))
      const isGone = async () => {
        await tellOfOthers(kafka)
        await sleep(1_500)
        return found().size === 0
      }
      const patienceMs = without === undefined ? 120_000 : 20_000
      await eventually('Kafka to have deleted everything', isGone, patienceMs).catch(() => undefined)
      failures.push(
        ...wrong(
          `things in Kafka's files ${when}`,
          [...found()].map(([where, files]) => `${where} (${files[0]?.split('/').slice(-2).join('/')})`),
        ),
      )
    }
    const takenIn = (...groups: ReadonlyArray<string>) =>
      eventually('everything to be taken in', () => isTakenIn(kafka, groups), 90_000)

    let bridge = await place.start()
    await here.ready(bridge)
    const told = await tellAll(kafka, place)
    // The others' data keys must be in the copies: a lost one stops the archiver.
    await tellOfOthers(kafka)
    await takenIn('projector', 'archiver')
    // What is under way at an erasure comes after its marker, and under a key that the copy does not have.
    await eventually('an outcome of each command', async () => (await pending(here.mongo.url)) === 0, 60_000)
    const redriven = await command('redrive', 'send')
    notes.push(`redriven: ${/\d+ sent/.exec(redriven.out)?.[0] ?? redriven.out}`)
    ground.broker.freeze()
    await tellJournal(place)
    const journal = searched(place.dataDir)
    ground.broker.thaw()
    await here.drained(bridge)
    await takenIn('projector', 'archiver')
    // The control of the search: before the erasure it finds everything.
    const before = searched(ground.dataOf('kafka'), ground.dataOf('mongod'))
    const unseen = [...allPlanted()].filter((where) => !before.has(where))
    const [viewsBefore, archiveBefore] = [await tells(), await read()]
    notes.push(
      `${allPlanted().size} canaries in ${told} records and requests; before: ${before.size} in the bytes of both servers, ${journal.size} in the journal, ${archiveBefore.size} readable in the archive, ${viewsBefore.size} views tell something`,
    )
    if (unseen.length > 0)
      throw new Error(`the search does not find ${unseen.slice(0, 5).join(', ')} before the erasure`)
    if (journal.size === 0) throw new Error('the search does not find what the journal has')
    if (statSync(join(traces, 'received')).size === 0) throw new Error('the bridge has exported no traces')
    failures.push(
      ...wrong('things in the log before the erasure', [...canariesIn(bridge.log())]),
      ...wrong('things in traces or temporary files before the erasure', [...searched(traces, tmp).keys()]),
    )
    await bridge.kill('SIGTERM')
    await ground.copy()

    bridge = await place.start({ RETENTION_DAYS: secondsOfRetention })
    await here.ready(bridge)
    const erase = () => command('erase', '--account', 'acme', '--chat', '7001', '--yes', '--by', 'officer')
    const erased = await erase()
    if (erased.code !== 0) throw new Error(`erase: ${erased.out}${erased.err}`)
    await takenIn('projector', 'archiver')
    await cleanUpSoon(brokers, prefix)
    await judge('after the erasure')
    await judgeKafka('after the erasure')
    if (size === 'long') {
      const rebuilt = await command('rebuild', 'all')
      failures.push(...unless(rebuilt.code === 0, `the rebuild: ${rebuilt.out}${rebuilt.err}`))
      await judge('after a rebuild')
      const keys = { keys: [...JSON.parse(newKeyFile('second')).keys, ...JSON.parse(firstKeys).keys] }
      writeFileSync(keyFile, JSON.stringify(keys))
      const wrapped = await command('archive', 'rewrap')
      failures.push(...unless(wrapped.code === 0, `the rewrap: ${wrapped.out}${wrapped.err}`))
      await judge('after the rewrap')
      const status = await command('erase', 'status')
      notes.push(`erase status: ${status.out.replaceAll('\n', ' | ')}`)

      const inFiles = searched(ground.dataOf('mongod'))
      await bridge.kill('SIGTERM')
      await removeKeys(here.mongo.url)
      await ground.resync()
      const left = searched(ground.dataOf('mongod'))
      notes.push(`MongoDB's files had ${inFiles.size} canaries before the resync, and ${left.size} after it`)
      failures.push(...wrong("things in MongoDB's files after a resync", [...left.keys()]))
    } else await bridge.kill('SIGTERM')

    await ground.restore('mongod')
    bridge = await place.start({ RETENTION_DAYS: secondsOfRetention })
    await here.ready(bridge).catch(async () => {
      throw new Error(
        `the bridge is not ready after MongoDB was restored: ${await bridge.readiness()}; ${failures.join('; ')}; ${notes.join('; ')}`,
      )
    })
    await judge('after MongoDB was restored')
    await bridge.kill('SIGTERM')

    await ground.restore('kafka')
    failures.push(...wrong('things that a restored archive tells', [...(await read())]))

    if (size === 'long') {
      // Nothing in these copies knows of the erasure: the same command again, as the receipt says of backups.
      await ground.restore('mongod')
      bridge = await place.start({ RETENTION_DAYS: secondsOfRetention })
      await here.ready(bridge)
      notes.push(`both restored, before the same command again: ${(await read()).size} readable in the archive`)
      const again = await erase()
      failures.push(...unless(again.code === 0, `the second erase: ${again.out}${again.err}`))
      await takenIn('projector', 'archiver')
      await judge('after both were restored and the person was erased again')
      await bridge.kill('SIGTERM')
    }
    notes.push(`${searched(ground.logs).size} canaries in the logs of broker and mongod, which are the operator's`)
    await kafka.stop()
    await here.stop()
    return {
      ...{ injected: size === 'long' ? 6 : 3, accepted: told, lost: 0, duplicated: 0, inverted: 0, longestStall: 0 },
      failures,
      notes,
    }
  },
}
