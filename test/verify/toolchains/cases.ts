import * as E from 'fp-ts/lib/Either.js'
import { topics } from '../../../contracts/topics.ts'
import { requests } from '../../../src/tools/publishing/catalogue.ts'
import { type Described, described } from '../../contracts/truth/records.ts'
import { misfit } from '../../contracts/truth/schemas.ts'
import { kinds } from '../../contracts/truth/tally.ts'
import { writeEveryKind } from '../../contracts/truth/write-every-kind.ts'
import { eventually } from '../../support/eventually.ts'
import { readTopics } from '../../support/plain-consumer.ts'
import { samples } from '../../support/samples.ts'
import { world } from '../../support/world.ts'

/** The samples of both interfaces, each with the schema of its event. */
const ofSamples = (): ReadonlyArray<Described> =>
  [...samples('webhooks', 'accepted'), ...samples('bot-api', 'accepted')].flatMap(({ value }) =>
    requests.filter(({ codec }) => E.isRight(codec.decode(value))).map(({ name }) => ({ schema: name, value })),
  )

/** Each value in the records of a running bridge, except values that break their contract on purpose. */
const ofRecords = async (): Promise<ReadonlyArray<Described>> => {
  const here = await world({ bot: { replyWithin: 3_600_000 } })
  try {
    const bridge = await here.start()
    await writeEveryKind(here, bridge.url)
    const wanted = kinds.filter((kind) => !kind.endsWith('Document'))
    const names = topics.map(({ name }) => name)
    return await eventually('every kind of record', async () => {
      const all = (await readTopics(here.brokers, here.prefix, names)).records.map(described)
      if (!wanted.every((kind) => all.some((each) => each.kind === kind))) return undefined
      return all.flatMap(({ values }) => values).filter(({ schema, value }) => misfit(schema, value) === undefined)
    })
  } finally {
    await here.stop()
  }
}

/** Values that generated code must read: all samples, and records of every kind. */
export const cases = async (): Promise<ReadonlyArray<Described>> => [...ofSamples(), ...(await ofRecords())]

/** Values that it must refuse: the empty object, for each schema with required fields. */
export const empty = (read: ReadonlyArray<Described>): ReadonlyArray<Described> =>
  [...new Set(read.map(({ schema }) => schema))]
    .filter((schema) => misfit(schema, {}) !== undefined)
    .map((schema) => ({ schema, value: {} }))
