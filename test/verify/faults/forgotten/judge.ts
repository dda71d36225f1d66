import { basename, dirname } from 'node:path'
import type { connectKafka } from '../../../../src/bridge/kafka/kafka.ts'
import { sleep } from '../../../../src/bridge/shared/time.ts'
import { eventually } from '../../../support/eventually.ts'
import { wrong } from '../findings.ts'
import type { startGround } from './ground.ts'
import { tellOfOthers } from './person.ts'
import { searched } from './search.ts'
import { readable, removeKeys, telling } from './stores.ts'

type Looked = {
  readonly ground: Awaited<ReturnType<typeof startGround>>
  readonly kafka: ReturnType<typeof connectKafka>
  readonly mongo: Parameters<typeof readable>[1]
  readonly keyFile: string
  readonly prefix: string
  /** The files that the bridge and its commands write: journal, logs, traces, temporary files. */
  readonly outside: ReadonlyArray<string>
  /** How long Kafka may take to clean up. */
  readonly withinMs: number
}

const named = (found: ReadonlyMap<string, ReadonlyArray<string>>) =>
  [...found].map(([where, files]) => `${where} (${files[0]?.split('/').slice(-2).join('/')})`)

/** Looks for data that must not exist anywhere after an erasure. `failures` lists the findings. */
export const judging = ({ ground, kafka, mongo, keyFile, prefix, outside, withinMs }: Looked) => {
  const failures: string[] = []
  const found = (what: string, items: ReadonlyArray<string>) => void failures.push(...wrong(what, items))
  const tells = () => telling(mongo.url)
  const read = () => readable(kafka, mongo, keyFile)
  const inKafka = () => searched(ground.dataOf('kafka'))
  const inMongo = () => searched(ground.dataOf('mongod'))

  /** The stores that the bridge can query. `enrichments` keeps the key of a removed enrichment, as the guide says. */
  const stores = async (when: string) => {
    const tellingViews = async () => [...(await tells())].filter(([view]) => view !== 'enrichments')
    // Statistics are computed some time after the documents change.
    await eventually('silent views', async () => (await tellingViews()).length === 0, 30_000).catch(() => undefined)
    const views = (await tellingViews()).map(([view, where]) => `${view} (${[...where].slice(0, 2)})`)
    found(`views that tell something ${when}`, views)
    found(`things that the archive tells ${when}`, [...(await read())])
    found(`things in journal, logs, traces or temporary files ${when}`, [...searched(...outside).keys()])
  }
  const kafkaFiles = async (when: string) => {
    const isGone = async () => {
      await tellOfOthers(kafka)
      await sleep(1_500)
      return inKafka().size === 0
    }
    await eventually('Kafka to have deleted everything', isGone, withinMs).catch(() => undefined)
    found(`things in Kafka's files ${when}`, named(inKafka()))
  }
  const mongoFiles = (when: string) => found(`things in MongoDB's files ${when}`, named(inMongo()))

  return {
    failures,
    tells,
    read,
    stores,
    kafkaFiles,
    mongoFiles,
    /** The archive's topics alone, as restored from a copy: the topics beside them were in plain text. */
    archiveFiles: (when: string) => {
      const isArchive = (file: string) => basename(dirname(file)).startsWith(`${prefix}archive-`)
      const files = [...inKafka()].map(([where, all]) => [where, all.filter(isArchive)] as const)
      found(`things in the archive's files ${when}`, named(new Map(files.filter(([, all]) => all.length > 0))))
    },
    /** Removes what the receipt lists for MongoDB. Nothing may use MongoDB then. Returns how much there was. */
    endInMongo: async (when: string): Promise<number> => {
      const before = inMongo().size
      await removeKeys(mongo.url)
      await ground.resync()
      mongoFiles(`${when} and a new initial sync`)
      return before
    },
  }
}
