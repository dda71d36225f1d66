import { request as send } from 'node:http'
import type { ConsoleSettings } from '../../src/console/console.ts'
import { startConsole } from '../../src/console/console.ts'
import { withDefaults } from '../../src/domain/accounts.ts'
import { createHttpServer } from '../../src/http/server.ts'
import type { ConsoleSessions, StoredSession } from '../../src/mongo/console-sessions.ts'
import { right } from '../support/either.ts'
import { temporaryFolder } from '../support/folder.ts'

export type Answered = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

/** The store of sessions in memory, as MongoDB would have it; it rejects while it is `away`. */
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
        if (session) sessions.set(id, { ...session, unmasked: [...session.unmasked, unmasked] })
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

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
export const accounts = ['acme', 'other'].map((id) => withDefaults({ id } as Parameters<typeof withDefaults>[0]))

type Sent = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The console on a server of its own; `at` is the time that it believes. */
export const consoleServer = async (settings: Partial<ConsoleSettings> = {}, at = { ms: Date.now() }) => {
  const memory = memorySessions()
  const stopping = new AbortController()
  const { routers, signInLink } = startConsole({
    settings: { basePath: '/console', grants: [], ...settings },
    ...{ accounts, trustedProxies: [], dataDir: temporaryFolder(), mongo: { consoleSessions: memory.store } },
    ...{ log: silent, sleep: async () => {}, monotonic: () => at.ms, clock: () => new Date(at.ms) },
    ...{ stopping: stopping.signal, handlers: {} },
  })
  const server = createHttpServer(
    { log: silent, measure: { request: () => {} }, monotonic: () => at.ms },
    () => routers,
    { leaveMs: 0, partMs: 0, graceMs: 200 },
  )
  const { port } = right(await server.listen('127.0.0.1', 0))
  const host = `127.0.0.1:${port}`
  /** As a browser would on a page of the console: not followed, no cookies of its own. */
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
  return {
    ...memory,
    ask,
    at,
    url: `http://${host}`,
    link: async () => (await signInLink(`http://${host}`, 'ann@desk')) ?? '',
    stopping,
    stop: () => server.stop(),
  }
}
