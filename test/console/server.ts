import { request as send } from 'node:http'
import { consoleRoles } from '../../src/bridge/domain/accounts.ts'
import { unmeasured } from '../../src/bridge/domain/metrics.ts'
import { createHttpServer } from '../../src/bridge/http/server.ts'
import type { ConsoleSessions, StoredSession } from '../../src/bridge/mongo/sign-in-sessions.ts'
import type { Log } from '../../src/bridge/shared/log.ts'
import { type ConsoleSettings, startConsole } from '../../src/console/console.ts'
import { ok } from '../../src/console/page.ts'
import { type ConsoleHandlers, routeNames } from '../../src/console/routes.ts'
import { right } from '../support/either.ts'
import { temporaryFolder } from '../support/folder.ts'
import { auditTopic } from './given-request.ts'

export type Answered = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

/**
 * The session store in memory. The scenarios of the port are run against it and against MongoDB. It rejects while it is
 * `away`.
 */
export const memorySessions = () => {
  const sessions = new Map<string, StoredSession>()
  const links = new Map<string, { readonly who: string; readonly expiresAt: Date }>()
  const state = { away: false }
  const answer = async <A>(work: () => A): Promise<A> => {
    if (state.away) throw new Error('MongoDB has not answered within 3000 ms')
    return work()
  }
  const store: ConsoleSessions = {
    add: (session) => answer(() => void sessions.set(session.id, session)),
    find: (id, now) =>
      answer(() => {
        const session = sessions.get(id)
        return session !== undefined && session.expiresAt > now ? session : undefined
      }),
    unmask: (id, unmasked) =>
      answer(() => {
        const session = sessions.get(id)
        if (session) sessions.set(id, { ...session, unmasked: [...session.unmasked, unmasked].slice(-200) })
      }),
    remove: (id) => answer(() => void sessions.delete(id)),
    addLink: (hash, who, expiresAt) => answer(() => void links.set(hash, { who, expiresAt })),
    takeLink: (hash, now) =>
      answer(() => {
        const link = links.get(hash)
        if (link === undefined || link.expiresAt <= now) return undefined
        links.delete(hash)
        return link.who
      }),
  }
  return { store, sessions, links, state }
}

/** Every route returns what it received, and nothing else. */
const echoes = Object.fromEntries(
  routeNames.map((route) => [
    route,
    async ({ accountId, chatId, body }: { accountId: string; chatId: string; body: unknown }) =>
      ok({ route, accountId, chatId, ...(body !== undefined && { body }) }),
  ]),
) as unknown as ConsoleHandlers

const tellsToken: Pick<ConsoleHandlers, 'GET /api/session'> = {
  'GET /api/session': async ({ session: { who, csrf, expiresAt } }) =>
    ok({ who, csrf, expiresAt: expiresAt.toISOString(), accounts: [] }),
}

type Sent = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export const roleGroups = consoleRoles.map((role) => ({ group: role, role, accounts: ['acme'] }))
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

type Given = {
  readonly settings?: Partial<ConsoleSettings>
  readonly handlers?: Partial<ConsoleHandlers>
  readonly checkMs?: number
  /** Default: a store in memory. */
  readonly store?: ConsoleSessions
  readonly log?: Log
}

/** The console on its own server, with the accounts acme and other, and a group for each role in acme. */
export const consoleServer = async ({
  settings = {},
  handlers = {},
  checkMs = 50,
  store,
  log = silent,
}: Given = {}) => {
  const at = { ms: Date.now() }
  const memory = memorySessions()
  const stopping = new AbortController()
  const audit = auditTopic()
  const { routers, signInLink } = startConsole({
    settings: { basePath: '/console', grants: roleGroups, ...settings },
    accountIds: ['acme', 'other'],
    store: store ?? memory.store,
    checkMs,
    handlers: { ...echoes, ...tellsToken, ...handlers },
    trustedProxies: [],
    dataDir: temporaryFolder(),
    log,
    sleep: async () => {},
    monotonic: () => at.ms,
    clock: () => new Date(at.ms),
    recordActionOf: audit.recordActionOf,
    stopping: stopping.signal,
  })
  const server = createHttpServer({ log: silent, measure: unmeasured, monotonic: () => at.ms }, () => routers, {
    leaveMs: 0,
    closeOnNextResponseMs: 0,
    graceMs: 200,
  })
  const { port } = right(await server.listen('127.0.0.1', 0))
  const host = `127.0.0.1:${port}`
  /** Sends a request as a browser does on a page of the console, but does not follow redirects. */
  const ask = (path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const req = send({ host: '127.0.0.1', port, path, method, headers: { host, ...headers } }, (res) => {
        let text = ''
        res.on('data', (chunk: Buffer) => (text += chunk.toString()))
        res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, text }))
        res.on('error', reject)
      })
      req.on('error', reject).end(body)
    })
  const link = async () => (await signInLink(`http://${host}`, 'ann@desk')) ?? ''
  const useLink = async (given: string, headers: Readonly<Record<string, string>> = {}) =>
    ask('/console/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
      body: `token=${new URL(given).searchParams.get('token')}`,
    })
  /** Signs in with a link, then gives the session these groups of a provider. */
  const signIn = async (groups: ReadonlyArray<string> | 'link' = 'link') => {
    const signedIn = await useLink(await link())
    const [cookie = ''] = String(signedIn.headers['set-cookie']).split(';')
    const id = [...memory.sessions.keys()].at(-1) ?? ''
    const give = (others: ReadonlyArray<string> | 'link') => {
      const session = memory.sessions.get(id)
      if (session !== undefined) memory.sessions.set(id, { ...session, groups: others })
    }
    const told = await ask('/console/api/session', { headers: { cookie } })
    const { csrf = '' }: { readonly csrf?: string } = JSON.parse(told.text)
    give(groups)
    const sent = { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'x-csrf-token': csrf }
    return { cookie, csrf, give, revoke: () => memory.sessions.delete(id), headers: sent }
  }
  return {
    ...memory,
    audit: audit.state,
    ask,
    at,
    link,
    useLink,
    signIn,
    url: `http://${host}`,
    stopping,
    stop: () => server.stop(),
  }
}
