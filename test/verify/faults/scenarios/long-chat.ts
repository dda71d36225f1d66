import { MongoClient } from 'mongodb'
import { consoleSessionsIn } from '../../../../src/bridge/mongo/sign-in-sessions.ts'
import { makeLink } from '../../../../src/console/access/link.ts'
import { eventually } from '../../../support/eventually.ts'
import { plainClient } from '../../../support/plain-consumer.ts'
import { check, wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { type ObservedWorld, observedWorld } from '../observed-world.ts'
import { toLogRecord } from '../read-log.ts'
import type { Scenario } from '../scenario.ts'
import { stream } from '../streams.ts'
import { message, webhook } from '../traffic.ts'

/** Half of them are of Interface A, half of Interface B. In each form a document forgets its oldest events. */
const counts = { long: 300_000, short: 22_000 } as const
const rounds = 4
/** Several post the events of one stream, so many events of the chat are under way at once. */
const workersEach = 4
const chat = 1
const maxKib = 200
const maxAnswerKib = 1_024
const crmLink = 'https://crm.example.com/a-long-chat'

const enrich = async ({ brokers, prefix }: ObservedWorld) => {
  const producer = plainClient(brokers).producer()
  await producer.connect()
  const messages = [{ key: `acme/userToken:user-${chat}`, value: JSON.stringify({ crmLink }) }]
  await producer.send({ topic: `${prefix}enrichments`, messages })
  await producer.disconnect()
}

/** What the service gets for the chat, to show it to the agent who accepts it. */
const acceptedAnswer = async (url: string): Promise<string> => {
  const { body } = webhook(chat, 3 * counts.long)
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return `${answer.status} ${await answer.text()}`
}

const readMongo = async ({ mongo }: ObservedWorld, adminUrl: string) => {
  await using client = await MongoClient.connect(mongo.url)
  const db = client.db()
  const names = (await db.listCollections({ type: 'collection' }).toArray()).map(({ name }) => name)
  const sizes = names.map(async (name) => {
    const [found] = await db
      .collection(name)
      .aggregate([{ $group: { _id: null, largest: { $max: { $bsonSize: '$$ROOT' } } } }])
      .toArray()
    return { name, kib: Math.ceil(Number(found?.largest ?? 0) / 1024) }
  })
  const largest = (await Promise.all(sizes)).toSorted((a, b) => b.kib - a.kib)[0] ?? { name: '', kib: 0 }
  const events = await db.collection('timeline').countDocuments({ chatId: String(chat) })
  const deps = { store: consoleSessionsIn(db), clock: () => new Date() }
  const link = new URL((await makeLink(deps, adminUrl, '/console', 'faults')) ?? '')
  const signedIn = await fetch(`${link.origin}${link.pathname}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: link.origin },
    body: new URLSearchParams(link.searchParams),
  })
  const cookie = signedIn.headers.getSetCookie().map((each) => each.split(';')[0])[0] ?? ''
  const page = await fetch(`${adminUrl}/console/api/accounts/acme/conversations/${chat}`, { headers: { cookie } })
  const text = await page.text()
  return { largest, events, page: { status: page.status, kib: Math.ceil(text.length / 1024) } }
}

/** A chat never ends, for example one of a robot. Its documents stay small, and the next event costs no more. */
export const longChat: Scenario = {
  name: 'long-chat',
  promises: '3, 18',
  fault: '22,000 events, in the long form 300,000, of one chat',
  controls: ['a document forgets its oldest events'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const here = await observedWorld(cluster, without)
    const [intake, place] = [await here.place(['ingress']), await here.place(['projector', 'console'])]
    const [ingress, projector] = [await intake.start(), await place.start()]
    await Promise.all([here.ready(ingress), here.ready(projector)])
    await enrich(here)
    const posts = here.recorder([intake])
    const shared = [stream([chat], webhook), stream([chat], message)]
    const workers = () => shared.flatMap((events) => Array.from({ length: workersEach }, () => unclosed(events)))
    const processor = async () => (await projector.metric('process_cpu_seconds_total')) ?? 0
    const costs: number[] = []
    let caughtUp = true
    for (let round = 0; round < rounds; round++) {
      const before = await processor()
      const each = counts[size] / rounds
      await posts.drive(workers(), { count: each })
      caughtUp &&= await here.caughtUp(without === undefined ? 300_000 : 60_000)
      costs.push((1_000_000 * ((await processor()) - before)) / each)
    }
    const answer = await eventually('the answer to chat_accepted', async () => {
      const text = await acceptedAnswer(intake.webhooks)
      return text.includes(crmLink) && text
    }).catch(() => acceptedAnswer(intake.webhooks))
    caughtUp &&= await here.caughtUp()
    const { largest, events: stored, page } = await readMongo(here, projector.adminUrl)

    const log = await here.log()
    const verdict = check(posts.history, log.map(toLogRecord))
    const logged = new Set(log.map(({ headers }) => `${headers.ce_source} ${headers.ce_id}`)).size
    // As many documents as events are too many to compare in the long form.
    const different = size === 'short' ? wrongDocuments(await here.fold(), await here.documents()) : []
    await Promise.all([ingress.kill('SIGTERM'), projector.kill('SIGTERM')])
    await here.stop()
    const [, second = 0, ...later] = costs
    const last = later.at(-1) ?? 0
    return findingsOf(verdict, {
      injected: counts[size],
      failures: [
        ...unless(caughtUp, 'the projector did not catch up'),
        ...unless(stored === logged, `${stored} of ${logged} events are in the timeline`),
        ...unless(largest.kib <= maxKib, `a document of ${largest.name} has ${largest.kib} KiB`),
        // In the short form the documents still grow: they forget nothing before their 10,200th event.
        ...unless(
          size === 'short' || last <= 1.5 * second,
          `an event costs more and more: ${costs.map(Math.round)} µs`,
        ),
        ...unless(answer.includes(crmLink), `the answer to chat_accepted was ${answer}`),
        ...unless(page.status === 200 && page.kib <= maxAnswerKib, `the console: ${page.status}, ${page.kib} KiB`),
        ...wrong('documents that differ from the fold of the log', different),
      ],
      notes: [
        `largest document ${largest.kib} KiB (${largest.name}); the conversation in the console: ${page.kib} KiB`,
        `the projector's processor time for an event: ${costs.map(Math.round).join(', ')} µs in each quarter`,
      ],
    })
  },
}

/** A loop that ends would close a generator that others still use. */
function* unclosed<A>(generator: Generator<A>): Generator<A> {
  for (;;) {
    const { value, done } = generator.next()
    if (done) return
    yield value
  }
}
