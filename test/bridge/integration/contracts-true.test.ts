import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkEverything } from '../../contracts/truth/everything.ts'
import { kinds } from '../../contracts/truth/tally.ts'
import { writeEveryKind } from '../../contracts/truth/write-every-kind.ts'
import { eventually } from '../../support/eventually.ts'
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

truth('a record or document that does not match its schema is found', async () => {
  const views = mongo.db(here.mongo.database)
  await views.collection<{ _id: string }>('chats').insertOne({ _id: 'acme/wrong', state: 'ajar' } as { _id: string })
  const { wrong } = await look()
  await views.collection<{ _id: string }>('chats').deleteOne({ _id: 'acme/wrong' })
  assert.ok(wrong.some((problem) => problem.includes('acme/wrong: ChatDocument')))
})

truth.run()
