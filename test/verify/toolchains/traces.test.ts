import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { startBot, text } from 'livechat-bridge/bot'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AccountId } from '../../../contracts/primitives.ts'
import { roles } from '../../../src/bridge/domain/roles.ts'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { startService } from '../../../src/tools/simulator/service.ts'
import { startBridgeProcess } from '../../support/bridge-process.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { plainConsumer } from '../../support/plain-consumer.ts'
import { sample } from '../../support/samples.ts'
import { servers } from '../../support/servers.ts'
import { type ReceivedSpan, startCollector } from './collector.ts'
import { collector } from './fetched.ts'

const name = 'a client’s message is one trace, from HTTP through Kafka and the bot to the service and the view'
const away = 'a Collector that is away costs spans and nothing else'
const traces = suite('traces, with a real Collector')

const program = await collector()
const skipped = E.isLeft(program) ? program.left.message : undefined
if (skipped !== undefined) console.log(`the Collector is skipped: ${skipped}`)
const test = skipped === undefined ? traces : traces.skip

/** A bridge that sends its traces to a Collector, the chat service, and a bot without its own SDK. */
const world = async () => {
  const { brokers, mongoUrl } = await servers()
  const directory = mkdtempSync(join(tmpdir(), 'livechat-traces-'))
  const received = await startCollector(right(program), directory)
  const id = `o${randomBytes(4).toString('hex')}`
  const entry = { token: `bot-token-of-${id}`, providerId: 'prov1', baseUrl: 'http://127.0.0.1:1' }
  const service = await startService({
    accounts: [{ id: right(AccountId.decode('acme')), ...entry }],
    timeoutMs: 30_000,
  })
  const bot = { ...entry, baseUrl: service.baseUrl, replyWithin: 60_000 }
  const accountsFile = join(directory, 'accounts.json')
  writeFileSync(accountsFile, JSON.stringify({ accounts: [{ id: 'acme', bot }] }))
  const url = new URL(mongoUrl)
  url.pathname = `/${id}`
  const bridge = await startBridgeProcess({
    roles,
    port: await anyFree(),
    dataDir: directory,
    env: {
      KAFKA_BROKERS: brokers.join(','),
      MONGODB_URL: url.href,
      BRIDGE_CONFIG: accountsFile,
      TOPIC_PREFIX: `${id}.`,
      TOPIC_PARTITIONS: '2',
      LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: received.url,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment=test',
    },
  })
  await eventually('the bridge to be ready', async () => (await bridge.isReady()) || undefined, 120_000)
  const answering = await startBot(
    { onMessage: ({ data: { message } }) => text(`You said ${message.text}`) },
    { brokers, topicPrefix: `${id}.`, group: `bot-${id}` },
  )
  const log = await plainConsumer(brokers, `${id}.`)
  const write = async (nth: number, traceparent: string) => {
    const body = sample('bot-api', 'CLIENT_MESSAGE').replace('9661ab9c', `9661ab9${nth}`)
    const headers = { 'content-type': 'application/json', traceparent }
    return (await fetch(`${bridge.url}/bot/${bot.token}`, { method: 'POST', headers, body })).status
  }
  const stop = async () => {
    await answering.stop()
    await log.stop()
    const ended = bridge.isOver() ? undefined : await bridge.kill('SIGTERM')
    await service.stop()
    await received.kill()
    rmSync(directory, { recursive: true, force: true })
    return ended
  }
  return { received, bridge, service, log, write, token: bot.token, stop }
}

const here = skipped === undefined ? await world() : undefined
traces.after(async () => {
  await here?.stop()
})

const traceId = randomBytes(16).toString('hex')
const caller = 'b7ad6b7169203331'

test(name, async () => {
  if (here === undefined) return
  const { received, bridge, service, log, write, token } = here
  assert.is(await write(1, `00-${traceId}-${caller}-01`), 200)

  const ofTrace = () => received.spans().filter((span) => span.traceId === traceId)
  /** The span with this name below the parent, of this consumer group. Spans come some time after each other. */
  const named = (wanted: string, parent?: ReceivedSpan, group?: string): Promise<ReceivedSpan> =>
    eventually(`a span ${wanted} below ${parent?.name ?? 'any'}`, () =>
      ofTrace().find(
        ({ name, parentId, attributes }) =>
          name === wanted &&
          (parent === undefined || parentId === parent.id) &&
          (group === undefined || attributes['messaging.consumer.group.name'] === group),
      ),
    )

  const request = await named('POST /bot/:token')
  assert.equal([request.parentId, request.kind, request.attributes['http.route']], [caller, 'Server', '/bot/:token'])
  const sent = await named('send bot-conversations', request)
  const projected = await named('process bot-conversations', sent)
  assert.equal(
    [projected.attributes['messaging.system'], projected.attributes['messaging.message.conversation_id']],
    ['kafka', 'acme/2037'],
  )
  assert.ok(projected.attributes['messaging.kafka.offset'])
  // The projector reads the commands too.
  await named('process bot-replies', sent, 'projector')
  const command = await named('process bot-replies', sent, 'egress')
  const posted = await named('POST', command)
  assert.equal([posted.kind, posted.attributes['http.response.status_code']], ['Client', '200'])
  const outcome = await named('send bot-conversations', command)
  await named('process bot-conversations', outcome)

  const slices = received
    .spans()
    .filter(({ links, attributes }) => links.includes(traceId) && 'messaging.batch.message_count' in attributes)
  assert.ok(slices.length > 0)
  assert.ok(
    received
      .spans()
      .some((span) => span.name === 'bulkWrite conversations' && slices.some(({ id }) => id === span.parentId)),
  )

  const records = await eventually('the records', () => {
    const all = log.records.filter(({ headers }) => headers.traceparent?.includes(traceId))
    return all.length === 3 ? all : undefined
  })
  const [event, reply, told] = ['ce_type', 'none', 'ce_type'].map((_, i) =>
    records.filter(({ topic }) => (topic === 'bot-replies') === (i === 1)).at(i === 2 ? -1 : 0),
  )
  assert.equal(event?.headers.ce_traceparent, `00-${traceId}-${request.id}-01`)
  assert.equal([event?.headers.traceparent, reply?.headers.traceparent], Array(2).fill(`00-${traceId}-${sent.id}-01`))
  assert.equal(told?.headers.ce_traceparent, `00-${traceId}-${command.id}-01`)

  assert.ok(bridge.log().includes(`"traceId":"${traceId}"`))
  assert.is(service.chat('2037')?.delivered.length, 1)
  const { message, client_id } = JSON.parse(sample('bot-api', 'CLIENT_MESSAGE'))
  for (const secret of [message.text, token]) assert.not.ok(received.text().includes(secret))
  assert.not.match(received.text(), new RegExp(`\\(${client_id}\\)`))
})

test(away, async () => {
  if (here === undefined) return
  const { received, bridge, service, write, stop } = here
  await received.kill()
  for (const nth of [2, 3, 4, 5, 6, 7, 8]) assert.is(await write(nth, ''), 200)
  await eventually('all answers at the service', () => service.chat('2037')?.delivered.length === 8 || undefined)
  await eventually('a word in the log', () => bridge.log().includes('traces cannot be sent') || undefined)
  assert.ok(await bridge.isReady())
  assert.equal(await stop(), { code: 0, signal: null })
})

traces.run()
