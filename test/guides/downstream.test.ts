import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Instant } from '../../contracts/primitives.ts'
import { eventTopics } from '../../contracts/topics.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type PlainRecord, plainClient, plainConsumer } from '../support/plain-consumer.ts'
import { sample, samples } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { canRun, folder, languages, runExample } from './examples.ts'

// The watchdog would add its own events, so its time is longer than this test.
const here = await world({ bot: { replyWithin: 3_600_000 } })
const bridge = await here.start()
const log = await plainConsumer(here.brokers, here.prefix)
const producer = plainClient(here.brokers).producer()
await producer.connect()
const admin = plainClient(here.brokers).admin()
await admin.connect()
const directory = temporaryFolder()

const [account] = here.accounts
const post = async (path: string, text: string) => {
  const answer = await fetch(`${bridge.url}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text,
  })
  assert.is(answer.status, 200)
  return answer.json()
}
const webhook = (text: string) => post(`webhooks/${account?.webhooks?.token}`, text)
const botEvent = (text: string) => post(`bot/${account?.bot?.token}`, text)

const topics = eventTopics.map(({ name }) => `${here.prefix}${name}`)

/** The committed offsets of a group, by partition; -1 if there is none. */
const committedBy = async (groupId: string) =>
  new Map(
    (await admin.fetchOffsets({ groupId, topics })).flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => [`${topic}/${partition}`, Number(offset)] as const),
    ),
  )

/** True if a group has committed all records of the event topics. */
const hasReadAll = async (groupId: string) => {
  const committed = await committedBy(groupId)
  const ends = await Promise.all(
    topics.map(async (topic) =>
      (await admin.fetchTopicOffsets(topic)).map(({ partition, offset }) => [`${topic}/${partition}`, offset] as const),
    ),
  )
  return ends.flat().every(([place, end]) => Math.max(0, committed.get(place) ?? 0) >= Number(end))
}

const names = new Set<string>(eventTopics.map(({ name }) => name))
const events = () => log.records.filter(({ topic, headers }) => names.has(topic) && headers.ce_id !== undefined)

const unlike = (record: PlainRecord, headers: Readonly<Record<string, string>>, value: string | Buffer) => ({
  topic: `${here.prefix}${record.topic}`,
  messages: [{ key: record.key, headers: { ...record.headers, ...headers }, value }],
})

// The events that a running bridge makes of the samples. Then: a repeated one, one of a later version, a broken one.
for (const { text } of samples('webhooks', 'accepted')) await webhook(text)
for (const [i, { value }] of samples('bot-api', 'accepted').entries())
  await botEvent(JSON.stringify({ ...Object(value), id: `bot-event-${i}` }))
const posted = samples('webhooks', 'accepted').length + samples('bot-api', 'accepted').length
const first = await eventually('the events of the samples', () => (events().length >= posted ? events()[0] : undefined))
const made = events().map(({ topic, key, headers, value }) => ({
  topic,
  key,
  headers,
  data: JSON.parse(String(value)),
}))
await producer.send(unlike(first, {}, first.value))
const later = {
  ce_id: 'later',
  ce_type: 'livechat.ChatAccepted.v2',
  ce_dataschema: 'urn:livechat:schemas:ChatAccepted.v2',
}
await producer.send(unlike(first, later, '{"new":true}'))
await producer.send(unlike(first, { ce_id: 'broken' }, '{"accountId":"acme"}'))
await producer.send(unlike(first, { ce_id: 'no-json' }, 'no JSON'))

const wanted = [
  ...new Map(
    made.map(({ topic, headers, data }) => {
      const { ce_source: source, ce_id: id, ce_subject: subject, ce_time: time, ce_type = '' } = headers
      return [
        `${source} ${id}`,
        { source, id, topic: `${here.prefix}${topic}`, type: ce_type.split('.')[1], subject, time, data },
      ] as const
    }),
  ).values(),
]
type Row = Readonly<Record<string, unknown>>
const byId = (a: Row, b: Row) => (String(a.id) < String(b.id) ? -1 : 1)

const select = (file: string, table: string): ReadonlyArray<Row> => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database.prepare(`SELECT * FROM ${table}`).all()
  } finally {
    database.close()
  }
}
const rowsOf = (file: string) =>
  select(file, 'events').map((row): Row => ({ ...row, data: JSON.parse(String(row.data)) }))

const guide = suite('guide for a downstream team')

guide.after(async () => {
  await Promise.all([producer.disconnect(), admin.disconnect()])
  await log.stop()
  await here.stop()
})

const lines = (text: string, start: RegExp) => text.split('\n').filter((line) => start.test(line))
const told = (out: string) => lines(out, /^\d{4}-\d\d-\d\dT/)
const skipped = (err: string) => lines(err, /^skipped /)

const at = { KAFKA_BROKERS: here.brokers.join(','), TOPIC_PREFIX: here.prefix, NODE_NO_WARNINGS: '1' }

for (const language of languages) {
  const test = canRun(language) ? guide : guide.skip
  const file = join(directory, `${language}.sqlite`)
  const subscribe = async (group: string) => {
    const GROUP = `${here.prefix}${language}-${group}`
    const example = runExample(language, 'subscribe', { ...at, GROUP, DATABASE: file })
    await eventually(`${GROUP} to have read all`, async () => (await hasReadAll(GROUP)) || undefined)
    assert.is(await example.stop(), 0, example.err())
    return example
  }

  test(`${language}: every event is stored once, and unknown records are stored separately`, async () => {
    const example = await subscribe('a')
    assert.is(told(example.out()).length, wanted.length)
    assert.is(skipped(example.err()).length, 3)
    assert.equal(
      select(file, 'skipped')
        .map(({ topic, headers, value }) => [
          topic,
          JSON.parse(String(headers)).ce_id,
          Buffer.from(value as Uint8Array).toString(),
        ])
        .sort(),
      [
        [`${here.prefix}${first.topic}`, 'broken', '{"accountId":"acme"}'],
        [`${here.prefix}${first.topic}`, 'later', '{"new":true}'],
        [`${here.prefix}${first.topic}`, 'no-json', 'no JSON'],
      ],
    )
    assert.equal([...rowsOf(file)].sort(byId), [...wanted].sort(byId))
  })

  test(`${language}: reading the whole log again changes nothing`, async () => {
    const before = rowsOf(file)
    const example = await subscribe('b')
    assert.equal(told(example.out()), [])
    assert.equal(rowsOf(file), before)
  })
}

for (const language of languages) {
  const test = canRun(language) ? guide : guide.skip

  test(`${language}: a copy without the contracts fails and commits nothing`, async () => {
    const name = language === 'Python' ? 'subscribe.py' : 'subscribe.ts'
    const elsewhere = temporaryFolder()
    copyFileSync(join(folder, name), join(elsewhere, name))
    const GROUP = `${here.prefix}${language}-copy`
    const env = { ...at, GROUP, DATABASE: join(elsewhere, 'events.sqlite') }
    const copy = runExample(language, 'subscribe', env, [], elsewhere)
    assert.is(await copy.ended, 1, copy.err())
    assert.match(copy.err(), language === 'Python' ? /^No event schemas in .*set SCHEMAS/ : /ERR_MODULE_NOT_FOUND/)
    assert.ok([...(await committedBy(GROUP)).values()].every((offset) => offset === -1))
  })
}

if (languages.includes('Python')) {
  const test = canRun('Python') ? guide : guide.skip
  test('Python: with some of the schemas, every record is in one of the two tables', async () => {
    const schemas = temporaryFolder()
    const source = join(folder, '../../published/schemas/ChatAccepted.v1.json')
    copyFileSync(source, join(schemas, 'ChatAccepted.v1.json'))
    const GROUP = `${here.prefix}some`
    const DATABASE = join(schemas, 'events.sqlite')
    const example = runExample('Python', 'subscribe', { ...at, GROUP, DATABASE, SCHEMAS: schemas })
    await eventually(`${GROUP} to have read all`, async () => (await hasReadAll(GROUP)) || undefined)
    assert.is(await example.stop(), 0, example.err())
    const kept = rowsOf(DATABASE)
    assert.ok(kept.length > 0 && kept.every(({ type }) => type === 'ChatAccepted'))
    const ids = select(DATABASE, 'skipped').map(({ headers }) => JSON.parse(String(headers)).ce_id)
    const others = wanted.filter(({ type }) => type !== 'ChatAccepted').map(({ id }) => id)
    assert.equal(new Set(ids), new Set([...others, 'later', 'broken', 'no-json']))
  })
}

for (const language of languages) {
  const test = canRun(language) ? guide : guide.skip

  test(`${language}: an erased chat is deleted up to the marker in its topic, and that is confirmed`, async () => {
    const { subject = '', topic } = wanted.find(({ type }) => type === 'ChatAccepted') ?? {}
    const file = join(temporaryFolder(), 'events.sqlite')
    const GROUP = `${here.prefix}${language}-forgets`
    const erasureId = `erasure-${language}`
    const data = { accountId: 'acme', chatId: subject, clientId: '1233', erasureId, topic: 'chats' }
    const headers = {
      ...first.headers,
      ce_id: erasureId,
      ce_source: '/accounts/acme/erasures',
      ce_subject: subject,
      ce_type: 'livechat.ChatErased.v1',
      ce_dataschema: 'urn:livechat:schemas:ChatErased.v1',
    }
    await producer.send({
      topic: topic ?? '',
      messages: [{ key: `acme/${subject}`, headers, value: JSON.stringify(data) }],
    })

    const example = runExample(language, 'subscribe', { ...at, GROUP, DATABASE: file })
    await eventually(`${GROUP} to have read all`, async () => (await hasReadAll(GROUP)) || undefined)
    assert.is(await example.stop(), 0, example.err())

    const isErased = (row: Row) => row.topic === topic && row.subject === subject && row.type !== 'ChatErased'
    const rows = rowsOf(file)
    assert.ok(rows.some(isErased))
    for (const row of rows) assert.is(JSON.stringify(row.data) === '{}', isErased(row), JSON.stringify(row))
    const confirmation = await eventually('the confirmation', () =>
      log.records.find(({ topic, value }) => topic === 'erasure-confirmations' && String(value).includes(erasureId)),
    )
    const { erasedAt, ...said } = JSON.parse(String(confirmation.value))
    assert.equal(
      [confirmation.key, said],
      ['acme/1233', { accountId: 'acme', chatId: subject, clientId: '1233', erasureId, group: GROUP }],
    )
    assert.ok(Instant.is(erasedAt))
  })
}

if (languages.includes('Python')) {
  const copied = canRun('Python') ? guide : guide.skip

  copied('Python: a copy of enrich.py reports what it lacks, and works with SCHEMAS', async () => {
    const elsewhere = temporaryFolder()
    copyFileSync(join(folder, 'enrich.py'), join(elsewhere, 'enrich.py'))
    const args = ['acme', 'email', 'copy@example.com', '{"crmLink":"https://crm.example.com/7"}']
    const run = (env: NodeJS.ProcessEnv) => runExample('Python', 'enrich', { ...at, ...env }, args, elsewhere)
    const copy = run({})
    assert.is(await copy.ended, 1)
    assert.match(copy.err(), /^No Enrichment.json in .*set SCHEMAS/)
    const withSchemas = run({ SCHEMAS: join(folder, '../../published/schemas') })
    assert.is(await withSchemas.ended, 0, withSchemas.err())
  })
}

for (const language of languages) {
  const test = canRun(language) ? guide : guide.skip
  const enrich = (email: string, ...enrichment: ReadonlyArray<string>) =>
    runExample(language, 'enrich', at, ['acme', 'email', email, ...enrichment])

  test(`${language}: agents see the published data of a visitor until it is removed`, async () => {
    const email = `${language.toLowerCase()}@example.com`
    const accepted = JSON.parse(sample('webhooks', 'chat_accepted'))
    const ask = () => webhook(JSON.stringify({ ...accepted, visitor: { ...accepted.visitor, email } }))
    const answers = (expected: object) =>
      eventually(JSON.stringify(expected), async () =>
        JSON.stringify(await ask()) === JSON.stringify(expected) ? true : undefined,
      )

    const made = enrich(
      email,
      '{"customData":[{"title":"Plan","content":"Gold"}],"crmLink":"https://crm.example.com/7"}',
    )
    assert.is(await made.ended, 0, made.err())
    await answers({
      result: 'ok',
      custom_data: [{ title: 'Plan', content: 'Gold' }],
      crm_link: 'https://crm.example.com/7',
    })
    assert.is(await enrich(email).ended, 0)
    await answers({ result: 'ok' })
  })

  test(`${language}: an enrichment that breaks its contract is not published`, async () => {
    const wrong = enrich('john@example.com', '{"crmLink":7}')
    assert.is(await wrong.ended, 1)
    const misspelt = enrich('john@example.com', '{"crm_link":"https://crm.example.com/7"}')
    assert.is(await misspelt.ended, 1)
    assert.match(misspelt.err(), 'crm_link')
    assert.is(misspelt.err().trim().split('\n').length, 1)
    assert.ok(log.records.every(({ topic, key }) => topic !== 'enrichments' || key !== 'acme/email:john@example.com'))
  })
}

guide(
  'a misspelt enrichment and one of an unknown account are dead letters, and agents still see the earlier data',
  async () => {
    const publish = async (key: string, value: string) => {
      await producer.send({ topic: `${here.prefix}enrichments`, messages: [{ key, value }] })
    }
    const letter = (key: string) =>
      eventually(`the dead letter of ${key}`, () =>
        log.records.find((record) => record.topic === 'dead-letters' && record.key === key),
      )
    const accepted = JSON.parse(sample('webhooks', 'chat_accepted'))
    const visitor = { ...accepted.visitor, email: 'gold@example.com' }
    const seen = async () => JSON.stringify(await webhook(JSON.stringify({ ...accepted, visitor })))
    const good = JSON.stringify({ result: 'ok', crm_link: 'https://crm.example.com/7' })

    await publish('acme/email:gold@example.com', '{"crmLink":"https://crm.example.com/7"}')
    await eventually('the good record', async () => (await seen()) === good || undefined)
    await publish('acme/email:gold@example.com', '{"crmlink":"https://crm.example.com/8"}')
    await publish('acne/email:gold@example.com', '{}')

    const misspelt = await letter('acme/email:gold@example.com')
    assert.equal(
      [misspelt.headers.dl_cause, misspelt.headers.dl_detail],
      ['contract', 'crmlink: expected nothing, there is no such field'],
    )
    assert.is((await letter('acne/email:gold@example.com')).headers.dl_cause, 'unknown-account')
    assert.is(await seen(), good)
  },
)

guide.run()
