import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMetrics } from '../../../../src/app/metrics.ts'
import { kafkaSettings } from '../../../../src/app/servers.ts'
import { createLog } from '../../../../src/app/telemetry.ts'
import { newKeyFile } from '../../../../src/bridge/archive/key-file.ts'
import { now } from '../../../../src/bridge/domain/clock.ts'
import { connectKafka } from '../../../../src/bridge/kafka/kafka.ts'
import { runCommand } from '../../../support/command.ts'
import { eventually } from '../../../support/eventually.ts'
import { unless, wrong } from '../findings.ts'
import { allPlanted, canariesIn } from '../forgotten/canaries.ts'
import { startGround } from '../forgotten/ground.ts'
import { judging } from '../forgotten/judge.ts'
import { isTakenIn, tellAll, tellJournal, tellOfOthers } from '../forgotten/person.ts'
import { searched } from '../forgotten/search.ts'
import { cleanUpSoon, pending } from '../forgotten/stores.ts'
import { startCollector } from '../forgotten/traces.ts'
import { observedWorld } from '../observed-world.ts'
import type { Scenario } from '../scenario.ts'

/** In days: four seconds. */
const secondsOfRetention = '0.00005'

/** Stores all kinds of data about a person, erases the person, then searches every store, also restored copies. */
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
      ARCHIVE_KEY_FILE: keyFile,
      LOG_LEVEL: 'debug',
      TMPDIR: tmp,
      TOPIC_PARTITIONS: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '200',
    })
    const command = (...args: ReadonlyArray<string>) =>
      runCommand(
        args,
        {
          KAFKA_BROKERS: brokers.join(','),
          MONGODB_URL: here.mongo.url,
          TOPIC_PREFIX: prefix,
          TOPIC_PARTITIONS: '1',
          BRIDGE_CONFIG: config,
          DATA_DIR: place.dataDir,
          ARCHIVE_KEY_FILE: keyFile,
          TMPDIR: tmp,
        },
        work,
      )
    const notes: string[] = []

    const settings = kafkaSettings({ brokers, ssl: false }, { prefix, partitions: 1 }, 'forgotten')
    const kafka = connectKafka(settings, { log: createLog('silent'), measure: createMetrics().measure, now })
    cluster.afterwards(() => kafka.stop())

    const judge = judging({
      ground,
      kafka,
      mongo: here.mongo,
      keyFile,
      prefix,
      outside: [place.dataDir, work, tmp, traces],
      withinMs: without === undefined ? 120_000 : 20_000,
    })
    const { failures, tells, read } = judge
    const takenIn = (...groups: ReadonlyArray<string>) =>
      eventually('everything to be taken in', () => isTakenIn(kafka, groups), 90_000)

    let bridge = await place.start()
    await here.ready(bridge)
    const told = await tellAll(kafka, place)
    // The others' data keys must be in the copies: a lost one stops the archiver.
    await tellOfOthers(kafka)
    await takenIn('projector', 'archiver')
    // Data in progress at an erasure would arrive after its marker, and under a key that the copy does not have.
    await eventually('an outcome of each command', async () => (await pending(here.mongo.url)) === 0)
    const redriven = await command('redrive', 'send')
    notes.push(`redriven: ${/\d+ sent/.exec(redriven.out)?.[0] ?? redriven.out}`)
    ground.broker.freeze()
    await tellJournal(place)
    const journal = searched(place.dataDir)
    ground.broker.thaw()
    await here.drained(bridge)
    await takenIn('projector', 'archiver')
    // The search must find everything before the erasure, otherwise it proves nothing.
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

    const isReady = (when: string) =>
      here.ready(bridge).catch(async () => {
        const told = [await bridge.readiness(), ...failures, ...notes].join('; ')
        throw new Error(`the bridge is not ready ${when}: ${told}`)
      })
    const start = async (when: string) => {
      bridge = await place.start({ RETENTION_DAYS: secondsOfRetention })
      await isReady(when)
    }
    const does = async (...args: ReadonlyArray<string>) => {
      const { code, out, err } = await command(...args)
      failures.push(...unless(code === 0, `${args.join(' ')}: ${out}${err}`))
      return out
    }
    /** What the copy lacks may be only in the archive by now. Then the bridge says that the views must be rebuilt. */
    const startWithOlderMongo = async (when: string) => {
      bridge = await place.start({ RETENTION_DAYS: secondsOfRetention })
      const mustRebuild = async () => (await bridge.readiness()).includes('run livechat-bridge rebuild all')
      await eventually('the bridge to be ready, or to say why not', async () => {
        return (await bridge.isReady()) || (await mustRebuild())
      })
      if (await mustRebuild()) await does('rebuild', 'all')
      await isReady(when)
    }
    const erase = () => does('erase', '--account', 'acme', '--chat', '7001', '--yes', '--by', 'officer')
    const endInMongo = async (when: string) => {
      await bridge.kill('SIGTERM')
      notes.push(`MongoDB's files had ${await judge.endInMongo(when)} canaries ${when}, before the new initial sync`)
    }

    await start('for the erasure')
    await erase()
    if (failures.length > 0) throw new Error(failures.join('; '))
    await takenIn('projector', 'archiver')
    await cleanUpSoon(brokers, prefix)
    await judge.stores('after the erasure')
    await judge.kafkaFiles('after the erasure')
    if (size === 'long') {
      // This comes first, so that the search notices data that a rebuild or a rewrap brings back.
      await endInMongo('after the erasure')
      await start('after a new initial sync')
      const everywhere = async (when: string) => {
        await judge.stores(when)
        await judge.kafkaFiles(when)
        judge.mongoFiles(when)
      }
      await does('rebuild', 'all')
      await everywhere('after a rebuild')
      const keys = { keys: [...JSON.parse(newKeyFile('second')).keys, ...JSON.parse(firstKeys).keys] }
      writeFileSync(keyFile, JSON.stringify(keys))
      await does('archive', 'rewrap')
      await everywhere('after the rewrap')
      notes.push(`erase status: ${(await does('erase', 'status')).replaceAll('\n', ' | ')}`)
    }
    await bridge.kill('SIGTERM')

    await ground.restore('mongod')
    await startWithOlderMongo('after MongoDB was restored')
    await judge.stores('after MongoDB was restored')
    await bridge.kill('SIGTERM')
    if (size === 'long') {
      // No marker names the enrichments in the copy: the same command runs again, before the bridge starts.
      const when = 'after MongoDB was restored and the person was erased again'
      await ground.restore('mongod')
      await erase()
      await startWithOlderMongo(when)
      await takenIn('projector', 'archiver')
      await judge.stores(when)
      await judge.kafkaFiles(when)
      await endInMongo(when)
    }

    await ground.restore('kafka')
    failures.push(...wrong('things that a restored archive tells', [...(await read())]))
    judge.archiveFiles('after Kafka was restored')

    if (size === 'long') {
      // These copies do not contain the erasure: the same command runs again, as the receipt says of backups.
      const when = 'after both were restored and the person was erased again'
      await ground.restore('mongod')
      await start('after both were restored')
      notes.push(`both restored, before the same command again: ${(await read()).size} readable in the archive`)
      await erase()
      await takenIn('projector', 'archiver')
      await cleanUpSoon(brokers, prefix)
      await judge.stores(when)
      await judge.kafkaFiles(when)
      await endInMongo(when)
    }
    notes.push(`${searched(ground.logs).size} canaries in the logs of broker and mongod, which are the operator's`)
    await kafka.stop()
    await here.stop()
    return {
      injected: size === 'long' ? 10 : 3,
      accepted: told,
      lost: 0,
      duplicated: 0,
      inverted: 0,
      longestStall: 0,
      failures,
      notes,
    }
  },
}
