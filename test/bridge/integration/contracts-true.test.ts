import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { flatViews } from '../../../src/bridge/views/flat-views.ts'
import { viewNames } from '../../../src/bridge/views/index.ts'
import { checkEverything } from '../../contracts/truth/everything.ts'
import { kinds } from '../../contracts/truth/tally.ts'
import { writeEveryKind } from '../../contracts/truth/write-every-kind.ts'
import { runCommand } from '../../support/command.ts'
import { eventually } from '../../support/eventually.ts'
import { twoTypesIn, typesOfNumbers } from '../../support/number-types.ts'
import { world } from '../../support/world.ts'

const here = await world({ bot: { replyWithin: 3_600_000 } })
const bridge = await here.start()
const mongo = await MongoClient.connect(here.mongo.url)

/** Checks each record and each document that exists now. */
const look = () => checkEverything(here.brokers, here.prefix, mongo, here.mongo.database)

const truth = suite('what the bridge writes')

truth.after(async () => {
  await mongo.close()
  await here.stop()
})

truth('every kind of record and document matches its published schema', async () => {
  await writeEveryKind(here, bridge.url)

  const left = await eventually('every kind', async () => {
    const found = await look()
    const bothAreDead = found.checked.get('dead-letters') === 2
    return bothAreDead && kinds.every((kind) => found.checked.has(kind)) ? found : undefined
  }).catch(look)

  assert.equal(
    kinds.filter((kind) => !left.checked.has(kind)),
    [],
  )
  assert.equal(left.wrong, [])
  assert.is(left.checked.get('dead-letters'), 2)
})

/** The types of the numbers of all documents: by view, and there by path. */
const typesNow = async () => {
  const db = mongo.db(here.mongo.database)
  const found = await Promise.all(
    [...viewNames, 'erasures', ...Object.keys(flatViews)].map(async (view) => {
      const types = new Map<string, Set<string>>()
      for await (const document of db.collection(view).find({}, { promoteValues: false }))
        typesOfNumbers(document, types)
      return [view, types] as const
    }),
  )
  return new Map(found)
}

const withInt = (types: ReadonlyMap<string, ReadonlySet<string>> | undefined) =>
  [...(types ?? [])].flatMap(([path, all]) => (all.has('int') ? [path] : []))

truth('a number has the same type in all documents, whatever its value', async () => {
  const rateOf = (types: Awaited<ReturnType<typeof typesNow>>) =>
    types.get('daily_stats')?.get('figures.csatResponseRate.value')
  // The figures of a day are computed some time after its chats.
  const types = await eventually('the share of chats with a rating', async () => {
    const now = await typesNow()
    return rateOf(now) === undefined ? undefined : now
  })
  assert.equal(
    [...types].flatMap(([view, found]) => twoTypesIn(found).map((path) => `${view}.${path}`)),
    [],
  )
  assert.equal(
    viewNames.flatMap((view) => withInt(types.get(view)).map((path) => `${view}.${path}`)),
    [],
  )
  assert.equal([...(rateOf(types) ?? [])], ['double'])
})

truth('a rebuild gives the numbers of earlier documents the types of now', async () => {
  const chats = mongo.db(here.mongo.database).collection('chats')
  await chats.updateMany({ 'visitor.chatsCount': { $exists: true } }, [
    { $set: { 'visitor.chatsCount': { $toInt: '$visitor.chatsCount' } } },
  ])
  assert.equal(withInt((await typesNow()).get('chats')), ['visitor.chatsCount'])
  const { code, err } = await runCommand(['rebuild', 'chats'], {
    KAFKA_BROKERS: here.brokers.join(','),
    MONGODB_URL: here.mongo.url,
    TOPIC_PREFIX: here.prefix,
  })
  assert.is(code, 0, err)
  assert.equal(withInt((await typesNow()).get('chats')), [])
})

truth('a record or document that does not match its schema is found', async () => {
  const views = mongo.db(here.mongo.database)
  await views.collection<{ _id: string }>('chats').insertOne({ _id: 'acme/wrong', state: 'ajar' } as { _id: string })
  const { wrong } = await look()
  await views.collection<{ _id: string }>('chats').deleteOne({ _id: 'acme/wrong' })
  assert.ok(wrong.some((problem) => problem.includes('acme/wrong: ChatDocument')))
})

truth.run()
