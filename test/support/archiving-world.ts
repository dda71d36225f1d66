import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Document } from 'mongodb'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../contracts/events/index.ts'
import { eventTopics } from '../../contracts/topics.ts'
import type { Bridge } from '../../src/app/bridge.ts'
import { newKeyFile } from '../../src/bridge/archive/key-file.ts'
import { runCommand } from './command.ts'
import { right } from './either.ts'
import { eventually } from './eventually.ts'
import { temporaryFolder } from './folder.ts'
import { connectOperator } from './operator.ts'
import { world } from './world.ts'

/** Documents of some collections, as a backup of MongoDB has them. */
export type Copy = ReadonlyMap<string, ReadonlyArray<Document>>

/** Bridges that project and archive, with keys of their own, and copies of their MongoDB. */
export const archivingWorld = async (options: Parameters<typeof world>[0] = {}) => {
  const here = await world(options)
  const folder = temporaryFolder()
  const archiveKeyFile = join(folder, 'keys.json')
  writeFileSync(archiveKeyFile, newKeyFile('first'))
  const operator = await connectOperator(here)
  const { db, kafka } = operator

  const collections = async (): Promise<ReadonlyArray<string>> =>
    (await db.listCollections({ type: 'collection' }).toArray()).flatMap(({ name }) =>
      name.startsWith('system.') ? [] : [name],
    )
  const command = (...args: ReadonlyArray<string>) =>
    runCommand([...args], { ...here.env, ARCHIVE_KEY_FILE: archiveKeyFile })
  const refuses = (bridge: Bridge, why: string) =>
    eventually(`the refusal: ${why}`, async () =>
      (await (await fetch(`${bridge.adminUrl}/readyz`)).text()).includes(why),
    )
  /** `onUp`: see `world`. Without it, wait until the bridge is ready. */
  const start = (others: { readonly retentionDays?: number } = {}, onUp?: (bridge: Bridge) => void) =>
    here.start(['projector', 'archiver'], onUp, { archiveKeyFile, ...others })
  return {
    here,
    db,
    kafka,
    collections,
    command,
    archiveKeyFile,
    /** A command that must succeed. */
    ran: async (...args: ReadonlyArray<string>) => {
      const { code, out, err } = await command(...args)
      assert.is(code, 0, `${args.join(' ')}: ${out}${err}`)
    },
    /** The collections that have a word of a person. */
    telling: async (word: string) => {
      const found = (await collections()).map(async (name) =>
        JSON.stringify(await db.collection(name).find().toArray()).includes(word) ? [name] : [],
      )
      return (await Promise.all(found)).flat().sort()
    },
    /** A step of the guide, after archive topics were created again. */
    forgetArchive: () => db.collection<{ _id: string }>('topics_read').deleteOne({ _id: 'archive' }),
    refuses,
    start,
    /** A bridge that refuses to read for this reason, so it is not ready. */
    startRefusing: async (why: string, others: { readonly retentionDays?: number } = {}) => {
      const up = Promise.withResolvers<Bridge>()
      const ready = start(others, up.resolve)
      const bridge = await up.promise
      await refuses(bridge, why)
      return { bridge, ready }
    },
    /** The archive alone has the events. */
    emptied: async () => {
      const deleting = await start({ retentionDays: 0.000_01 })
      await eventually('the deletion', async () => {
        const all = await Promise.all(eventTopics.map(({ name }) => kafka.ranges(name)))
        return all.flatMap((of) => [...of.values()]).every(({ low, high }) => low === high)
      })
      await deleting.stop()
    },
    publish: async (events: ReadonlyArray<DomainEvent>) => {
      for (const event of events) right(await kafka.publish(event, 20_000))
    },
    /** Resolves when projector and archiver have committed the end of every topic. */
    processed: () =>
      eventually('projector and archiver', async () => {
        for (const { name } of eventTopics)
          for (const group of ['projector', 'archiver']) {
            const [known, done] = [await kafka.ranges(name), await kafka.committedOffsets(group, name)]
            if ([...known].some(([partition, { high }]) => high > 0 && done.get(partition) !== high)) return false
          }
        return true
      }),
    erase: async (chat: number) => {
      const receipt = join(folder, `${chat}.json`)
      const { code, err } = await command(
        'erase',
        '--account',
        'acme',
        '--chat',
        `${chat}`,
        '--yes',
        '--receipt',
        receipt,
      )
      assert.is(code, 0, err)
    },
    /** What `mongodump` saves: of all collections, or of these. */
    dump: async (of?: ReadonlyArray<string>): Promise<Copy> => {
      const names = of ?? (await collections())
      return new Map(
        await Promise.all(names.map(async (name) => [name, await db.collection(name).find().toArray()] as const)),
      )
    },
    /** Adds the documents of a copy. */
    restore: async (copy: Copy) => {
      for (const [name, documents] of copy)
        if (documents.length > 0) await db.collection(name).insertMany([...documents])
    },
    stop: async () => {
      await operator.stop()
      await here.stop()
    },
  }
}
