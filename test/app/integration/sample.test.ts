import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../../contracts/events/index.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { described } from '../../contracts/truth/records.ts'
import { misfit } from '../../contracts/truth/schemas.ts'
import { runCommand } from '../../support/command.ts'
import { readTopics } from '../../support/plain-consumer.ts'
import { world } from '../../support/world.ts'

const here = await world()
const run = (...args: ReadonlyArray<string>) =>
  runCommand(['sample', ...args], { KAFKA_BROKERS: here.brokers.join(','), TOPIC_PREFIX: here.prefix })

const samples = suite('the command sample')
samples.after(here.stop)

/** The records of another team's topic, as if they were of a topic of the bridge. */
const recordsIn = async (name: string): Promise<ReadonlyArray<IncomingRecord>> => {
  const { records } = await readTopics(here.brokers, '', [name as 'chats'])
  return records
}
samples('writes one record of each type to a topic that it creates, as the schemas describe it', async () => {
  const topic = `${here.prefix}my-tests`
  const first = await run(topic)
  assert.is(first.code, 0, first.err)
  const records = await recordsIn(topic)
  const types = DomainEvent.types.map((event) => event.type.types[0].props.type.value)
  assert.equal(
    records.map(({ headers }) => String(headers.ce_type)).sort(),
    types.map((type) => `livechat.${type}.v1`).sort(),
  )
  for (const record of records)
    for (const { schema, value } of described({ ...record, topic: 'chats' }).values)
      assert.is(misfit(schema, value), undefined, schema)
  assert.match(first.out, `${types.length} records`)

  const again = await run(topic)
  assert.is(again.code, 0, again.err)
  const ids = (await recordsIn(topic)).map(({ headers }) => `${headers.ce_source} ${headers.ce_id}`)
  assert.equal([ids.length, new Set(ids).size], [2 * types.length, types.length])
})

samples('writes the types of one topic, with its keys', async () => {
  const topic = `${here.prefix}my-clients`
  const { code, err } = await run(topic, '--of', 'clients')
  assert.is(code, 0, err)
  assert.equal(
    (await recordsIn(topic)).map(({ key, headers }) => [String(key), String(headers.ce_type)]),
    [
      ['acme/1233', 'livechat.ClientUpdated.v1'],
      ['acme/1233', 'livechat.ClientErased.v1'],
    ],
  )
})

samples('refuses a topic of the bridge and a name that is none', async () => {
  const own = await run(`${here.prefix}chats`)
  assert.equal([own.code, /is a topic of the bridge/.test(own.err)], [1, true])
  const none = await run('a/b')
  assert.equal([none.code, /1 to 249 characters/.test(none.err)], [1, true])
})

samples.run()
