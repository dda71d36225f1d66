import { readFileSync, writeFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Db, MongoClient } from 'mongodb'
import { eventually } from '../support/eventually.ts'
import { asFolded } from '../support/memory-views.ts'
import { createTopics, plainClient, readTopics } from '../support/plain-consumer.ts'
import { databaseUrl, servers } from '../support/servers.ts'
import {
  type Bridge,
  consoleRoles,
  type IncomingRecord,
  payloads,
  routeNames,
  runBridge,
  runCommandLine,
  settingsIn,
  storyViews,
  topicNames,
  viewNames,
} from './bridge.ts'
import { goOnFrom, ownName, systemTime, withNames } from './fixed.ts'
import { number, shownRecord } from './in-memory.ts'
import { asJson, type Items } from './items.ts'
import { accounts, environment, start } from './recorded.ts'

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

const hour = 3_600_000
/** The servers' part is in the morning of the third day, after everything that was recorded. */
const began = start + 51 * hour
const longestMs = hour
/** How long a session of the console lasts. */
const sessionMs = 8 * hour

const command = Db.prototype.command
/** The bridge compares its clock with MongoDB's, which has the real time. */
const withTimeOfReplay = () => {
  Db.prototype.command = async function (this: Db, ...asked) {
    const answer = await command.apply(this, asked)
    return 'localTime' in answer ? { ...answer, localTime: new Date() } : answer
  }
}

/**
 * What belongs to this run alone has a name in every item: its times, its random values, and the names of its servers,
 * topics and folders. Everything else is compared as it is.
 */
const cleaner = (own: ReadonlyArray<readonly [string, string]>) => {
  const isOfRun = (ms: number) => ms >= began && ms < began + longestMs
  const timeOfRun = '<time of the run>'
  const time = (text: string) => {
    if (isOfRun(Date.parse(text))) return timeOfRun
    return isOfRun(Date.parse(text) - sessionMs) ? '<the end of a session>' : text
  }
  // In the time zones of the accounts.
  const localTime = (text: string) =>
    [1, 9].some((hours) => isOfRun(Date.parse(`${text.replace(' ', 'T')}Z`) - hours * hour)) ? timeOfRun : text
  // A wait that is not over.
  const wait = (ms: string) => ([...waitsSince].some((at) => isOfRun(at + Number(ms))) ? '<ms until the run>' : ms)
  const waitsSince = new Set<number>()
  const clean = (text: string) => {
    waitsSince.clear()
    for (const [at] of text.matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g)) waitsSince.add(Date.parse(at))
    return withNames(own.reduce((changed, [from, to]) => changed.replaceAll(from, to), text))
      .replace(/(?<=,)\d{6,10}(?=,)/g, wait)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, time)
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, localTime)
      .replace(/"commit":"[\da-f]{40}(-dirty)?"/g, '"commit":"<commit>"')
      .replace(/(?<!\d)1[67]\d{11}(?!\d)/g, (ms) => (isOfRun(Number(ms)) ? timeOfRun : ms))
  }
  return (value: unknown): unknown => JSON.parse(clean(JSON.stringify(value) ?? 'null'))
}

/** How far an operation is, and when it says so, is a matter of time, and so is the number of the lines before a line. */
const withoutProgress = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^(?:(?:replaying|asking) .*\d of \d|\{"event":\{"kind":"progress")/.test(line))
    .map((line) => line.replace(/^(\{"event":.*),"done":\d+\}$/, '$1}'))
    .join('\n')

/** What-if measures how long the bot takes now. */
const withoutMeasured = (out: unknown): unknown =>
  JSON.parse(JSON.stringify(out), (name, value) =>
    name === 'candidate' && value.responseTimeBot !== undefined ? { ...value, responseTimeBot: '<measured>' } : value,
  )

/** An encrypted record: the key and what it makes of the text are other ones in each run, but not how long that is. */
const withoutSecrets = (shown: unknown): unknown =>
  JSON.parse(
    JSON.stringify(shown)
      .replace(
        /(\\"(?:protected|iv|ciphertext|tag)\\":\\")([\w-]*)/g,
        (_, name: string, { length }: string) => `${name}<${length} characters>`,
      )
      // The place of the record: in it, too, the id of its topic.
      .replace(/(?<=\\"aad\\":\\")[\w-]+/g, (aad) =>
        Buffer.from(aad, 'base64url')
          .toString()
          .replaceAll('"', "'")
          .replace(/^(\['[\w-]+',')[\w-]+/, '$1<id of the topic>'),
      )
      .replace(/(?<="archive_generation",")[\w-]+/, '<id of the topic>'),
  )

/** Topics with real settings would replace or delete the recorded times, which are long ago. */
const createAll = (brokers: ReadonlyArray<string>, prefix: string) =>
  createTopics(
    brokers,
    topicNames.map((name) => ({
      topic: prefix + name,
      numPartitions: 1,
      configEntries: [
        { name: 'message.timestamp.type', value: 'CreateTime' },
        { name: 'retention.ms', value: '-1' },
      ],
    })),
  )

type Asked = { readonly method?: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }

/** Asks as a browser does. Of a stream it reads as far as `until` matches. */
const ask = async (url: string, { method = 'GET', body, headers = {} }: Asked, until?: RegExp) => {
  const leaving = new AbortController()
  const response = await fetch(url, {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    redirect: 'manual',
    signal: leaving.signal,
  })
  let text = ''
  if (until === undefined) text = await response.text()
  else
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (until.test(text)) break
    }
  leaving.abort()
  return { status: response.status, type: response.headers.get('content-type'), text, headers: response.headers }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The sessions of the console: one for each role, one for a link, one that sees one account. */
const signedIn = async (bridge: Bridge, db: Db) => {
  // MongoDB deletes by its own clock what the replay's clock has not ended yet.
  for (const name of ['console_sessions', 'console_links']) await db.collection(name).dropIndex('expired')
  const signIn = async (who: string, groups: ReadonlyArray<string> | 'link') => {
    const link = new URL((await bridge.signInLink?.(who)) ?? '')
    const { headers } = await ask(`${link.origin}${link.pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      body: `token=${link.searchParams.get('token')}`,
    })
    const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
    const { text } = await ask(`${bridge.adminUrl}/console/api/session`, { headers: { cookie } })
    const { csrf } = JSON.parse(text)
    await db.collection('console_sessions').updateOne({ who }, { $set: { groups } })
    tokens.push([String(csrf), `<token of ${who}>`])
    return {
      cookie,
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      'x-csrf-token': String(csrf),
    }
  }
  const tokens: Array<readonly [string, string]> = []
  const sessions = new Map<string, Readonly<Record<string, string>>>()
  for (const role of consoleRoles) sessions.set(role, await signIn(`${role}@desk`, [role]))
  sessions.set('viewer of globex', await signIn('globex@desk', ['viewer of globex']))
  sessions.set('link', await signIn('link@desk', 'link'))
  return { sessions, tokens }
}

/** What each route that needs more than its path is asked, besides the plain question. */
const questions: Readonly<Record<string, ReadonlyArray<{ readonly query?: string; readonly body?: unknown }>>> = {
  'GET /api/accounts/:account/now': [{ query: 'waits=all' }, { query: 'waits=some' }],
  'GET /api/accounts/:account/conversations': [
    { query: 'limit=5' },
    { query: 'state=open' },
    { query: 'sort=waits&unanswered=true' },
    { query: 'kind=agent&from=2025-03-04&to=2025-03-04' },
    { query: 'failed=true&sort=longest' },
    { query: 'id=handed-over' },
    { query: 'sort=wrong' },
  ],
  'GET /api/accounts/:account/statistics': [
    { query: 'from=2025-03-03&to=2025-03-05' },
    { query: 'from=2025-03-03&to=2025-03-05&by=agent' },
    { query: 'from=2025-03-03&to=2025-03-05&by=widget' },
    { query: 'from=2025-03-05&to=2025-03-03' },
  ],
  'GET /api/accounts/:account/statistics.csv': [{ query: 'from=2025-03-03&to=2025-03-05' }],
  'GET /api/accounts/:account/statistics/failed-replies': [{ query: 'from=2025-03-03&to=2025-03-05' }],
  'POST /api/accounts/:account/statistics/names': [{ body: { ids: ['1', '2'] } }],
  'GET /api/accounts/:account/drift': [{ query: 'kind=refused' }, { query: 'limit=3' }],
  'POST /api/accounts/:account/drift/unmask': [{ body: {} }],
  'POST /api/accounts/:account/record': [
    { body: { topic: 'chats', partition: 0, offset: 1 } },
    { body: { topic: 'bot-replies', partition: 0, offset: 2 } },
    { body: { topic: 'chats', partition: 0, offset: 99_999 } },
  ],
  'GET /api/accounts/:account/dead-letters': [{ query: 'cause=contract' }, { query: 'unowned=true' }],
  'POST /api/accounts/:account/dead-letters/show': [{ body: { id: '0/0' } }, { body: { id: '0/3' } }],
  'GET /api/accounts/:account/quarantine': [{ query: 'cause=unknown-event' }],
  'POST /api/accounts/:account/quarantine/show': [{ body: { id: '0/0' } }],
  'POST /api/accounts/:account/operations/run': [
    { body: { name: 'redrive send', options: { limit: '100' }, dryRun: true } },
    { body: { name: 'redrive quarantine', options: { limit: '100' }, dryRun: true } },
    { body: { name: 'rebuild', options: { view: 'calls' }, dryRun: true } },
    { body: { name: 'topics', options: {}, dryRun: false } },
    { body: { name: 'erase status', options: {}, dryRun: false } },
    { body: { name: 'nothing', options: {}, dryRun: false } },
  ],
  'POST /api/accounts/:account/person': [
    { body: { kind: 'email', value: 'visitor101@example.com' } },
    { body: { kind: 'chat', value: '201' } },
    { body: { kind: 'client', value: 'nobody' } },
  ],
  'POST /api/accounts/:account/person/export': [{ body: { kind: 'client', value: 'client-201' } }],
  'POST /api/accounts/:account/person/erase': [
    { body: { kind: 'client', value: 'client-undone' } },
    { body: { kind: 'client', value: 'client-undone', confirm: 'wrong' } },
  ],
  'POST /api/accounts/:account/erasures/check': [{ body: { id: 'none' } }],
  'GET /api/accounts/:account/audit': [{ query: 'action=erase' }, { query: 'from=2025-03-05&to=2025-03-04' }],
}

const streams: Readonly<Record<string, RegExp>> = {
  'GET /api/accounts/:account/conversations/:chat/live': /\ndata: .*\n\n/,
}

const lookingCommands: ReadonlyArray<string> = [
  'check-config --json',
  'topics --json',
  'redrive list --json',
  'redrive list --json --account acme --cause contract',
  'redrive list --json --quarantine',
  'redrive show 0/0',
  'redrive show 0/2 --quarantine',
  'redrive show 0/999',
  'redrive send --account acme --dry-run',
  'redrive quarantine --account acme --dry-run',
  'export --account acme --client client-201',
  'export --account globex --email visitor201@example.com',
  'erase --account acme --client client-201 --dry-run',
  'erase status --json',
  'erase release',
  'archive keys',
  'contracts check --json',
  'archive rewrap',
  'rebuild calls --dry-run --json',
  'rebuild nothing --json',
  'what-if --account acme --from 2025-03-03 --to 2025-03-06 --bot test/bot/what-if/bots/day.ts --out FOLDER/what-if --json',
]

/** In this order. Each begins when the views have what the one before has written. */
const changingCommands: ReadonlyArray<string> = [
  'archive replay chats --into PREFIXreplayed --json',
  'sample PREFIXsamples',
  'redrive send --account acme --id 0/0',
  'redrive quarantine --account acme --reason unknown-event',
  'rebuild all --json',
  'erase --account acme --client client-201 --by privacy --ticket T-1 --yes',
  'erase status --json',
  'topics --apply --json',
]

/**
 * Loads the records into topics of its own, runs projector, archiver, console and ingress on the real servers, and gives
 * what only they can tell: documents that MongoDB computes, histories, every route of the console for each role, and
 * every command.
 */
export const replayOnServers = async (records: ReadonlyArray<IncomingRecord>, inMemory: Items): Promise<Items> => {
  const { brokers, mongoUrl } = await servers()
  const name = ownName()
  const prefix = `${name}.`
  await createAll(brokers, prefix)

  const env = environment()
  const folder = env.DATA_DIR ?? ''
  const keyFile = join(folder, 'archive-keys.json')
  const k = Buffer.alloc(32, 'golden').toString('base64url')
  writeFileSync(keyFile, JSON.stringify({ keys: [{ kty: 'oct', kid: 'golden-1', k }] }))
  goOnFrom(began)
  withTimeOfReplay()
  const url = databaseUrl(mongoUrl, name)
  const settings = await settingsIn({
    ...env,
    KAFKA_BROKERS: brokers.join(','),
    MONGODB_URL: url,
    TOPIC_PREFIX: prefix,
    TOPIC_PARTITIONS: '1',
    ARCHIVE_KEY_FILE: keyFile,
    NO_COLOR: '1',
  })
  const client = await MongoClient.connect(url)
  const db = client.db()
  const bridge = await runBridge(settings, ['ingress', 'projector', 'archiver', 'console'])
  const items = new Map<string, unknown>()
  const kafka = plainClient(brokers)
  const admin = kafka.admin()
  const producer = kafka.producer()
  try {
    await Promise.all([admin.connect(), producer.connect()])
    // Names of persons in receipts are hashed with this key.
    await db.collection<{ _id: string }>('erasure_keys').insertOne({ _id: 'receipts', key: 'golden' } as never)
    await bridge.ready
    const { sessions, tokens } = await signedIn(bridge, db)
    const clean = cleaner([
      [url, 'mongodb://golden/golden'],
      [prefix, 'golden.'],
      [name, 'golden'],
      [brokers.join(','), 'kafka:9092'],
      [folder, '/data'],
      [bridge.adminUrl, 'http://operators'],
      [bridge.url, 'http://bridge'],
      [`${userInfo().username}@${hostname()}`, 'operator@machine'],
      [`"version":"${version}"`, '"version":"<version>"'],
      ...tokens,
    ])
    const keep = (item: string, value: unknown) => void items.set(String(clean(item)), clean(value))
    const groups: Readonly<Record<string, ReadonlyArray<string>>> = {}
    const { consumers } = JSON.parse(
      (await ask(`${bridge.adminUrl}/console/api/system`, { headers: sessions.get('link') ?? {} })).text,
    )
    for (const { group, topic } of consumers as ReadonlyArray<{ readonly group: string; readonly topic: string }>)
      if (group !== 'egress') Object.assign(groups, { [group]: [...(groups[group] ?? []), prefix + topic] })

    /** Whether each group has committed all that is on its topics. */
    const haveRead = async () => {
      const read = await Promise.all(
        Object.entries(groups).map(async ([group, topics]) => {
          const offsets = await admin.fetchOffsets({ groupId: prefix + group, topics: [...topics] })
          const ends = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)))
          return ends.every(
            ([end], i) =>
              end?.offset === '0' ||
              offsets.find(({ topic }) => topic === topics[i])?.partitions[0]?.offset === end?.offset,
          )
        }),
      )
      return read.every((all) => all)
    }
    /** Resolves when the views and the archive have everything that is on the topics, and what follows from it. */
    const settled = () =>
      eventually(
        'the views and the archive to have all records',
        async () => {
          if (!(await haveRead())) return undefined
          const due = await db.collection('sessions').countDocuments({ 'audit.state': 'due' })
          const changed = await db.collection('stats_due').countDocuments({ mark: { $exists: true } })
          return (due === 0 && changed === 0 && (await haveRead())) || undefined
        },
        180_000,
      )
    const documents = async () => {
      const found = new Map<string, unknown>()
      // Their ids are random.
      for (const view of [...viewNames, 'erasures', 'enrichments'])
        for (const [i, document] of (
          await db.collection<{ _id: string }>(view).find().sort({ at: 1, requestedAt: 1, _id: 1 }).toArray()
        ).entries())
          found.set(`${view} ${['audit', 'erasures'].includes(view) ? number(i) : document._id}`, document)
      return found
    }

    // One topic after the other, so that the dead letters of the projector have an order.
    for (const [topic, own] of Map.groupBy(records, (record) => record.topic)) {
      await producer.send({
        topic: prefix + topic,
        acks: -1,
        messages: own
          // The projector writes its own again.
          .filter(({ headers }) => topic !== 'dead-letters' || String(headers.dl_consumer) === 'egress')
          .map(({ key, value, headers, timestamp }) => ({
            partition: 0,
            key,
            value,
            headers: { ...headers },
            timestamp: `${timestamp}`,
          })),
      })
      await eventually(`the records of ${topic} to be read`, async () => (await haveRead()) || undefined, 180_000)
    }
    await settled()
    const folded = new Map([...inMemory].filter(([item]) => item.startsWith('document ')))
    const stored = await documents()
    const isStory = (id: string) => storyViews.some((view) => id.startsWith(`${view} `))
    for (const [id, document] of stored) {
      const plain = asJson(new Map([['', asFolded(document as object)]])).get('')
      // MongoDB has the _id first, wherever a fold has it.
      if (!isStory(id) || !isDeepStrictEqual(plain, folded.get(`document ${id}`)))
        keep(`document in MongoDB: ${id}`, document)
      else if ('audit' in (document as object))
        keep(`audit in MongoDB: ${id}`, Reflect.get(document as object, 'audit'))
    }
    for (const item of folded.keys())
      if (isStory(item.slice('document '.length)) && !stored.has(item.slice('document '.length)))
        keep(`document in MongoDB: ${item}`, 'is missing')

    const chats = [...stored.keys()].flatMap((id) =>
      id.startsWith('conversations ') ? [id.slice('conversations '.length)] : [],
    )
    for (const chat of chats) {
      const [accountId = ''] = chat.split('/')
      const token = accounts.find(({ id }) => id === accountId)?.bot.historyToken
      const { status, text } = await ask(`${bridge.url}/history/${chat}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      keep(`history ${chat}`, { status, body: parsed(text) })
    }
    for (const [path, token] of [
      ['acme/handed-over?last=2', accounts[0]?.bot.historyToken],
      ['acme/handed-over?last=0', accounts[0]?.bot.historyToken],
      ['acme/handed-over?after=nothing', accounts[0]?.bot.historyToken],
      ['acme/nobody', accounts[0]?.bot.historyToken],
      ['acme/handed-over', 'wrong'],
    ]) {
      const { status, text } = await ask(`${bridge.url}/history/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      keep(`history ${path}${token === 'wrong' ? ', wrong token' : ''}`, { status, body: parsed(text) })
    }

    const inConsole = async (
      item: string,
      role: string,
      method: string,
      path: string,
      body?: unknown,
      until?: RegExp,
    ) => {
      const headers = sessions.get(role) ?? {}
      const { status, type, text } = await ask(`${bridge.adminUrl}/console${path}`, { method, headers, body }, until)
      keep(`console: ${item}, ${role}`, { status, type, body: parsed(withoutProgress(text)) })
    }
    for (const route of routeNames) {
      const [method = '', path = ''] = route.split(' ')
      // What routes before this one have recorded is read.
      if (method === 'GET') await settled()
      const asked = [
        ...(method === 'GET' ? [{}] : []),
        ...(questions[route] ?? (method === 'GET' ? [] : [{ body: {} }])),
      ]
      for (const accountId of path.includes(':account') ? ['acme', 'globex'] : [''])
        for (const question of asked) {
          const { query = '', body }: { query?: string; body?: unknown } = question
          const chat = accountId === 'acme' ? 'handed-over' : 'tokyo'
          const filled = path.replace(':account', accountId).replace(':chat', chat) + (query && `?${query}`)
          const what = `${method} ${filled}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`
          // The other roles differ in nothing but the account.
          const roles = accountId === 'globex' ? ['viewer of globex', 'link'] : [...sessions.keys()]
          if (method === 'GET')
            await Promise.all(roles.map((role) => inConsole(what, role, method, filled, undefined, streams[route])))
          // Each of these leaves a record on the topic audit.
          else
            for (const role of roles) {
              await inConsole(what, role, method, filled, body)
              // A session that has unmasked a chat sees it in the routes that follow.
              if (route.endsWith('/:chat/unmask'))
                await inConsole(`${what}, then GET`, role, 'GET', filled.replace('/unmask', ''))
            }
        }
    }
    for (const chat of chats) {
      const [accountId, chatId] = chat.split('/')
      await inConsole(`GET ${chat}`, 'viewer', 'GET', `/api/accounts/${accountId}/conversations/${chatId}`)
    }

    const enriched = payloads.chatAccepted({ chat_id: 301, visitor: { email: 'visitor101@example.com' } })
    for (const chat_id of [301, 'handed-over']) {
      const { status, text } = await ask(`${bridge.url}/webhooks/${accounts[0]?.webhooks.token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: { ...enriched, chat_id },
      })
      keep(`answer with an enrichment: chat ${chat_id}`, { status, body: parsed(text) })
    }
    for (const [i, line] of [...lookingCommands, ...changingCommands].entries()) {
      if (i >= lookingCommands.length) await settled()
      const args = line.replace('FOLDER', folder).replace('PREFIX', prefix).split(' ')
      const { code, out, err } = await runCommandLine(args)
      keep(`command ${number(i)}: ${line}`, { code, out: withoutMeasured(parsed(out)), err: withoutProgress(err) })
    }
    await settled()
    for (const [id, document] of await documents())
      if (JSON.stringify(document) !== JSON.stringify(stored.get(id)))
        keep(`document after the commands: ${id}`, document)
    // The other archives are written by the same code.
    const names = topicNames.filter((topic) => !topic.startsWith('archive-') || topic === 'archive-clients')
    const { records: written } = await readTopics(brokers, prefix, names as never)
    for (const record of written)
      if (record.timestamp >= began)
        keep(`record after the load: ${record.topic} ${number(record.offset)}`, withoutSecrets(shownRecord(record)))
  } finally {
    await bridge.stop()
    // The recorded times are long ago: as soon as a command has set the retention, Kafka begins to delete dead letters,
    // and what looks at all records on the servers afterwards cannot know which of them were wrong on purpose.
    await admin.deleteTopics({ topics: topicNames.map((each) => prefix + each) })
    await db.dropDatabase()
    await Promise.all([admin.disconnect(), producer.disconnect(), client.close()])
    Db.prototype.command = command
    systemTime()
  }
  return asJson(items)
}
