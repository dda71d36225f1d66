// The consumers that teams copy go on after a rebalance that a commit meets, and after an outage of the broker.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import { ChatAccepted } from '../../../contracts/events/index.ts'
import { eventTopics } from '../../../contracts/topics.ts'
import { toRecord } from '../../../src/bridge/kafka/records.ts'
import { folder as examples } from '../../guides/examples.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { ownBroker } from '../../support/own-broker.ts'
import { createTopics, plainClient, withAdmin } from '../../support/plain-consumer.ts'
import { compiledConsumers, type Made } from './example-consumers.ts'
import { venv } from './python.ts'

const python = await venv('guides', join(examples, 'requirements.txt'))
const consumers = [
  ...compiledConsumers,
  {
    language: 'Python',
    tool: E.isLeft(python) ? python.left.message : undefined,
    make: async (): Promise<Made> => ({
      command: right(python).python,
      args: [join(examples, 'subscribe.py')],
      cwd: temporaryFolder(),
    }),
  },
]

const broker = await ownBroker([])
const { brokers } = broker
await createTopics(
  brokers,
  consumers.flatMap(({ language }) =>
    eventTopics.map(({ name }) => ({ topic: `${language}.${name}`, numPartitions: 1 })),
  ),
)

const padding = 'x'.repeat(200)
const eventOf = (id: string) =>
  right(
    ChatAccepted.decode({
      type: 'ChatAccepted',
      id: `${id}-${padding}`,
      source: '/accounts/acme/webhooks',
      subject: `1${padding}`,
      time: '2026-01-31T12:00:00.000Z',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      data: { accountId: 'acme', chatId: `1${padding}`, clientId: '1' },
    }),
  )
const idsOf = (batch: string) => Array.from({ length: 1_500 }, (_, i) => `${batch}-${i}`)

/** Their lines do not fit into a pipe: a program whose lines nobody reads waits while it has records in its hands. */
const produce = async (topic: string, ids: ReadonlyArray<string>) => {
  const producer = plainClient(brokers).producer()
  await producer.connect()
  const messages = ids.map((id) => {
    const { key, value, headers } = toRecord(eventOf(id))
    return { key, value, headers: { ...headers } }
  })
  for (let sent = 0; sent < messages.length; sent += 500)
    await producer.send({ topic, messages: messages.slice(sent, sent + 500) })
  await producer.disconnect()
}

/** Runs a consumer. Its output is read only after `read`, until `pause`. */
const run = async ({ command, args, cwd }: Made, language: string) => {
  const pipe = join(temporaryFolder(), 'out')
  execFileSync('mkfifo', [pipe])
  const out = createReadStream(pipe, { encoding: 'utf8' })
  // Each end waits for the other one.
  const writing = await open(pipe, 'w')
  const env = {
    ...process.env,
    KAFKA_BROKERS: brokers.join(','),
    TOPIC_PREFIX: `${language}.`,
    TOPICS: `${language}.chats`,
    GROUP: language,
  }
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', writing.fd, 'pipe'], detached: true })
  await writing.close()
  const printed = new Set<string>()
  const text = { line: '', err: '' }
  out.on('data', (chunk) => {
    const lines = `${text.line}${chunk}`.split('\n')
    text.line = lines.pop() ?? ''
    for (const line of lines) printed.add(line.slice(line.lastIndexOf(' ') + 1))
  })
  out.pause()
  child.stderr?.on('data', (chunk: Buffer) => (text.err += chunk))
  const ended = once(child, 'close')
  const isOver = () => child.exitCode !== null
  /** Maven runs the program in a process of its own. */
  const signal = (name: NodeJS.Signals) => process.kill(-(child.pid ?? 0), name)
  const until = (what: string, check: () => unknown, ms = 120_000) =>
    eventually(
      `${what}, ${language}`,
      async () => {
        if (isOver()) throw new Error(`the program has ended: ${text.err}`)
        return (await check()) || undefined
      },
      ms,
    )
  return {
    signal,
    until,
    err: () => text.err,
    printed: (ids: ReadonlyArray<string>) => ids.every((id) => printed.has(`${id}-${padding}`)),
    read: () => out.resume(),
    /** Resolves when the program has printed something, and reads no more of it. */
    pauseAtFirst: async () => {
      const before = printed.size
      out.resume()
      await until('the first lines', () => printed.size > before)
      out.pause()
    },
    stop: async () => {
      if (isOver()) return
      signal('SIGCONT')
      out.resume()
      signal('SIGINT')
      await ended
    },
  }
}

const hasMembers = (group: string) =>
  withAdmin(brokers, async (admin) => (await admin.describeGroups([group])).groups[0]?.members.length !== 0)
const committed = (groupId: string, topic: string) =>
  withAdmin(brokers, async (admin) => {
    const [found] = await admin.fetchOffsets({ groupId, topics: [topic] })
    return Number(found?.partitions[0]?.offset)
  })

const goOn = suite('consumers of downstream teams in outages')

goOn.after(() => broker.stop())

const [first, second] = [idsOf('a'), idsOf('b')]
const topicOf = (language: string) => `${language}.chats`

/** A broker that has started again loads its groups for a while. */
const isRetriable = (error: unknown) => error instanceof Error && 'retriable' in error && error.retriable === true
const isCommitted = async (language: string, count: number) => {
  try {
    return (await committed(language, topicOf(language))) >= count
  } catch (error) {
    if (isRetriable(error)) return false
    throw error
  }
}

/** The first half: a rebalance that a commit meets. Then the program has records of the second half in its hands. */
const throughRebalance = async (language: string, making: Promise<Made>) => {
  const program = await run(await making, language)
  try {
    await produce(topicOf(language), first)
    await program.pauseAtFirst()
    // As on a laptop that sleeps: the group goes on without this member, which has records in its hands.
    program.signal('SIGSTOP')
    await program.until('the group without its member', async () => !(await hasMembers(language)))
    program.signal('SIGCONT')
    program.read()
    await program.until('all events', () => program.printed(first))
    await program.until('their commit', () => isCommitted(language, first.length))
    await produce(topicOf(language), second)
    await program.pauseAtFirst()
    return program
  } catch (error) {
    await program.stop()
    throw error
  }
}

// All wait for the same timeouts of a group, and meet the same outage.
const running = consumers.flatMap(({ language, tool, make }) =>
  tool === undefined ? [{ language, half: throughRebalance(language, make()) }] : [],
)
const outage = (async () => {
  const halves = await Promise.allSettled(running.map(({ half }) => half))
  const programs = halves.flatMap((half) => (half.status === 'fulfilled' ? [half.value] : []))
  const before = programs.map(({ err }) => err().length)
  await broker.stop()
  const noticed = programs.map(({ read, until, err }, i) => {
    read()
    return until('the outage to be noticed', () => /not (committed|reading)/.test(err().slice(before[i])))
  })
  await Promise.all(noticed).finally(broker.start)
})()
outage.catch(() => undefined)

for (const { language, tool } of consumers) {
  const test = tool === undefined ? goOn : goOn.skip

  test(`${language}: it goes on after a rebalance that its commit meets, and after an outage`, async () => {
    const program = await running.find((each) => each.language === language)?.half
    await outage
    try {
      await program?.until('all events after the outage', () => program.printed(second))
      await program?.until('their commit', () => isCommitted(language, first.length + second.length))
    } finally {
      await program?.stop()
    }
  })
}

goOn.run()
