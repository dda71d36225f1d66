import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { anyFree } from '../../../../src/tools/embedded/port.ts'
import { eventually } from '../../../support/eventually.ts'
import { servers } from '../../../support/servers.ts'
import { brokenLinks, emptyProject, programOfReadme, release } from './empty-project.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const tsc = join(root, 'node_modules/.bin/tsc')
const preload = fileURLToPath(new URL('loaded-packages.ts', import.meta.url))
const project = emptyProject('livechat-bridge')

project.write(
  'bot.ts',
  `import { handOver, startBot, text, type Handlers } from 'livechat-bridge/bot'
import { clientWrites, given } from 'livechat-bridge/bot/harness'
const bot: Handlers = {
  onMessage: ({ data: { message } }) => (message.text === 'agent' ? handOver() : text(\`You said \${message.text}\`)),
}
if (process.env.BROKERS) await startBot(bot, { brokers: process.env.BROKERS.split(','), group: 'echo' })
await given(bot).when(clientWrites('Hi')).says(text('You said Hi'))
await given(bot).when(clientWrites('agent')).says(handOver())
console.log('both as expected')
`,
)
project.write(
  'downstream.ts',
  `import { isRight } from 'fp-ts/lib/Either.js'
import { ChatClosed, type DomainEvent } from 'livechat-bridge/contracts/events/index'
import { chats, keyOf } from 'livechat-bridge/contracts/topics'
import schema from 'livechat-bridge/contracts/published/schemas/ChatClosed.v1.json' with { type: 'json' }
const data = { accountId: 'acme', chatId: '2037', clientId: '1233' }
const envelope = { id: 'e1', source: '/accounts/acme/bot', subject: '2037', time: '2026-01-31T12:00:00Z' }
const read = ChatClosed.decode({ type: 'ChatClosed', ...envelope, data })
const event: DomainEvent | undefined = isRight(read) ? read.right : undefined
console.log(chats.name, event && keyOf(event), schema.$id)
`,
)
project.write(
  'asked.ts',
  `import { startBot, text } from 'livechat-bridge/bot'
await startBot({ onMessage: ({ data: { message } }) => text(\`You said \${message.text}\`) }, { brokers: [], group: 'asked' })
`,
)
project.write(
  'what-if.mjs',
  `import { startBotModule } from './node_modules/livechat-bridge/dist/src/bot/what-if/in-process/bot-process.js'
const { left, right } = await startBotModule({ path: \`\${process.cwd()}/asked.ts\`, replyWithin: 10_000, network: false })
if (left) throw new Error(left)
const time = '2026-01-31T12:00:00.000Z'
const data = { accountId: 'acme', chatId: '1', clientId: '2', message: { type: 'TEXT', text: 'Hi', timestamp: time } }
const event = { type: 'ClientMessageReceived', id: 'e1', source: '/accounts/acme/bot', subject: '1', time, data }
const { replies } = await right.converse().ask({ number: 1, before: [], events: [event], observed: [] })
console.log(replies[0].words)
await right.stop()
`,
)
project.write('wrong.ts', `import { text } from 'livechat-bridge/bot'\nexport const reply: number = text('Hi')\n`)

const compilerOptions = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node']
const typeCheck = (file: string) => project.run(tsc, ...compilerOptions, file)
const packages = (file: string): ReadonlyArray<string> =>
  JSON.parse(project.run(process.execPath, '--import', preload, file).trim().split('\n').at(-1) ?? '')

const tarball = suite('the packed tarball in an empty project')

tarball('a bot and a reader of the contracts type-check, and a mistake in one does not', () => {
  assert.is(typeCheck('bot.ts'), '')
  assert.is(typeCheck('downstream.ts'), '')
  assert.throws(() => typeCheck('wrong.ts'))
})

tarball('what-if asks a bot in a process of its own', () => {
  assert.is(project.run(process.execPath, 'what-if.mjs').trim(), 'You said Hi')
})

tarball('the bot kit works, and loads neither the HTTP code nor MongoDB', () => {
  assert.match(project.run(process.execPath, 'bot.ts'), 'both as expected')
  const loaded = packages('bot.ts')
  assert.ok(loaded.includes('kafkajs'))
  const ofOtherRooms = [
    'koa',
    '@koa/router',
    'mongodb',
    'mongodb-memory-server-core',
    'pino',
    'prom-client',
    'commander',
  ]
  assert.equal(
    loaded.filter((name) => ofOtherRooms.includes(name)),
    [],
  )
})

tarball('the contracts read an event with io-ts and fp-ts only', () => {
  assert.is(project.run(process.execPath, 'downstream.ts').trim(), 'chats acme/2037 urn:livechat:schemas:ChatClosed.v1')
  assert.equal(packages('downstream.ts'), ['fp-ts', 'io-ts', 'livechat-bridge'])
})

tarball('its command works', () => {
  const command = 'node_modules/.bin/livechat-bridge'
  assert.match(project.run(command, '--help'), 'rebuild')
  assert.match(project.run(command, 'contracts', 'check'), 'are compatible with')
})

tarball('the bridge from it runs on real servers, and ends on a signal', async () => {
  const { brokers, mongoUrl } = await servers()
  const port = await anyFree()
  const bridge = project.start('node_modules/.bin/livechat-bridge', ['start'], {
    KAFKA_BROKERS: brokers.join(','),
    MONGODB_URL: mongoUrl,
    HTTP_PORT: String(port),
    ADMIN_PORT: '0',
    TOPIC_PREFIX: `p${port}.`,
    TOPIC_PARTITIONS: '2',
    DATA_DIR: 'data',
    LOG_LEVEL: 'warn',
  })
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    )
  await eventually('the bridge to be ready', isReady)
  assert.is(await bridge.end(), 0)
})

tarball('its texts link only to files of the package', () => {
  assert.ok(globSync('**/*.md', { cwd: project.place }).includes('README.md'))
  assert.equal(brokenLinks(project.place), [])
})

tarball('the program of its README runs', () => {
  project.write('readme.ts', programOfReadme(project.place))
  assert.is(typeCheck('readme.ts'), '')
  assert.match(project.run(process.execPath, 'readme.ts'), 'data: expected an object')
})

tarball('package.json and README.md are restored after packing', () => {
  for (const name of ['package.json', 'README.md'])
    assert.is(readFileSync(join(release().sources, name), 'utf8'), readFileSync(join(root, name), 'utf8'))
  assert.equal([project.manifest.scripts, project.manifest.devDependencies], [undefined, undefined])
})

tarball.run()
