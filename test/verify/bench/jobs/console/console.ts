import { consoleSessionsIn } from '../../../../../src/bridge/mongo/sign-in-sessions.ts'
import { makeLink } from '../../../../../src/console/access/link.ts'
import { accountId } from '../../account.ts'
import type { Bench, Findings, Job } from '../../bench.ts'
import { bridgeWorld } from '../../bridge.ts'
import { gatherFindings } from '../../findings.ts'
import { latencies } from '../../load/latencies.ts'
import { countOf, withDatabase } from '../../views.ts'
import { measurePaint } from './paint.ts'
import { chatIdOf, eventsEach, fillStore } from './store.ts'

const name = 'console'

/** Signs in by a link. Returns the cookie of the session. */
const signIn = (bench: Bench, adminUrl: string): Promise<string> =>
  withDatabase(bench, name, async (db) => {
    const deps = { store: consoleSessionsIn(db), clock: () => new Date() }
    const link = new URL((await makeLink(deps, adminUrl, '/console', 'bench')) ?? '')
    const signedIn = await fetch(`${link.origin}${link.pathname}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: link.origin },
      body: new URLSearchParams(link.searchParams),
    })
    return signedIn.headers.getSetCookie().map((cookie) => cookie.split(';')[0])[0] ?? ''
  })

type Listed = { readonly rows: ReadonlyArray<unknown>; readonly next?: string }
type Story = { readonly events: ReadonlyArray<unknown> }

const run = async (bench: Bench): Promise<Findings> => {
  const { add, check, findings } = gatherFindings()
  const { rounds, conversations, requests, long } = bench.size.console
  bench.say(`${conversations} conversations and ${conversations * eventsEach + long} events go into the views`)
  await withDatabase(bench, name, (db) => fillStore(db, conversations, long))
  check('events', conversations * eventsEach + long, await countOf(bench, name, 'timeline'))
  const { adminUrl } = await bridgeWorld(bench, { name }).start(['console'])
  const cookie = await signIn(bench, adminUrl)
  const get = async <A>(path: string): Promise<A> => {
    const answer = await fetch(`${adminUrl}/console/api/accounts/${accountId}/${path}`, { headers: { cookie } })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as A
  }
  const list = async (query: string) => (await get<Listed>(`conversations?${query}`)).rows.length
  const story = async (chatId: string) => (await get<Story>(`conversations/${chatId}`)).events.length
  const any = () => Math.floor(Math.random() * conversations)
  const day = () => new Date(Date.now() - 2 * 24 * 3_600_000).toISOString().slice(0, 10)
  /** The page after ten others. */
  let deep = ''
  for (let page = 0; page < 10; page++) {
    const { next } = await get<Listed>(`conversations?${deep}`)
    if (next !== undefined) deep = `cursor=${next}`
  }
  const cases: ReadonlyArray<readonly [name: string, ask: () => Promise<number>]> = [
    ['conversation', () => story(chatIdOf(any()))],
    ['conversation of many events', () => story('long')],
    ['list', () => list('')],
    ['list, a later page', () => list(deep)],
    ...['state=open', 'state=over', 'unanswered=true', 'outcome=abandoned', 'kind=agent', 'agent=a7', 'widget=w7'].map(
      (query) => [`list, ${query}`, () => list(query)] as const,
    ),
    ['list, day', () => list(`from=${day()}&to=${day()}`)],
    ['list, failed=true', () => list('failed=true')],
    ['list, id', () => list(`id=${chatIdOf(any())}`)],
    ['list, two rare filters', () => list('outcome=abandoned&widget=w11')],
    ['list, nothing found', () => list('outcome=unavailable&agent=nobody')],
    ['now', () => get<object>('now').then(() => 1)],
  ]
  for (const [, ask] of cases) await ask()
  const found = new Map<string, number>()
  for (let round = 0; round < rounds; round++)
    for (const [of, ask] of cases) {
      const took = latencies()
      for (let n = 0; n < requests; n++) {
        const began = performance.now()
        found.set(of, await ask())
        took.record(performance.now() - began)
      }
      const { p50, p99 } = took.summary()
      add({ case: of, who: 'bridge, role console', metric: 'p50', unit: 'ms' }, p50)
      add({ case: of, who: 'bridge, role console', metric: 'p99', unit: 'ms' }, p99)
      bench.say(`${of}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
    }
  check('events of a conversation', eventsEach, found.get('conversation') ?? 0)
  check('events of the first page of many', Math.min(500, long), found.get('conversation of many events') ?? 0)
  check('sessions of a chat', 2, found.get('list, id') ?? 0)
  check('sessions on a page', Math.min(50, 2 * conversations), found.get('list') ?? 0)
  await measurePaint(bench, { add }, adminUrl, cookie.slice(cookie.indexOf('=') + 1), [
    // What any page costs in this Chromium on this machine: a few bytes of JSON, without a style sheet or a script.
    { of: 'an empty page', path: () => 'livez', content: 'pre' },
    {
      of: 'a conversation',
      path: () => `console/accounts/${accountId}/conversations/${chatIdOf(any())}`,
      content: '.story .entry',
    },
    { of: 'a list', path: () => `console/accounts/${accountId}/conversations`, content: 'tbody tr' },
  ])
  return findings()
}

export const consoleJob: Job = {
  name,
  what: 'answers and pages of the console with many conversations in the views, one after another',
  run,
}
