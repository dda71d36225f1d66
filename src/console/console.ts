import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { GrantEntry } from '../bridge/domain/accounts.ts'
import { type Ctx, invalid, notAllowed, type State } from '../bridge/http/answer.ts'
import { bodyBudget } from '../bridge/http/body.ts'
import { clientAddresses, type Network } from '../bridge/http/client-address.ts'
import { failureDelay } from '../bridge/http/failure-delay.ts'
import type { ConsoleSessions } from '../bridge/mongo/sign-in-sessions.ts'
import type { Log } from '../bridge/shared/log.ts'
import { memoized } from '../bridge/shared/memoized.ts'
import type { Sleep } from '../bridge/shared/time.ts'
import { guard, isLocal, isOfOtherSite } from './access/guard.ts'
import { consoleKeys, keyOfDataDir } from './access/keys.ts'
import { makeLink } from './access/link.ts'
import { type OidcSettings, oidcWith } from './access/oidc.ts'
import { sessionsWith } from './access/sessions.ts'
import { signInRouter } from './access/sign-in.ts'
import { apiRouter } from './api.ts'
import type { Asset } from './assets.ts'
import { firstAnswers } from './first-answer.ts'
import type { RecordActionOf } from './page.ts'
import { goTo, refuse } from './respond.ts'
import type { ConsoleHandlers } from './routes.ts'

/** The settings of the console in the environment and the accounts file. */
export type ConsoleSettings = {
  readonly basePath: string
  readonly grants: ReadonlyArray<GrantEntry>
  /** The origin of CONSOLE_URL. */
  readonly origin?: string
  readonly oidc?: OidcSettings
  readonly sessionKey?: string
  readonly traceUrlTemplate?: string
}

export type ConsoleDeps = {
  readonly settings: ConsoleSettings
  readonly handlers: ConsoleHandlers
  readonly accountIds: ReadonlyArray<string>
  readonly trustedProxies: ReadonlyArray<Network>
  readonly dataDir: string
  readonly store: ConsoleSessions
  readonly log: Log
  readonly sleep: Sleep
  /** A monotonic clock, in ms. */
  readonly monotonic: () => number
  readonly clock: () => Date
  readonly recordActionOf: RecordActionOf
  /** How often the session and role of a stream are checked again, in ms. */
  readonly checkMs?: number
  /** Aborts when the bridge stops. */
  readonly stopping: AbortSignal
}

export type Console = {
  /** For the operators' port. */
  readonly routers: ReadonlyArray<Router<State>>
  /** Makes a link that signs `who` in once. Undefined if this machine cannot reach the port on loopback. */
  readonly signInLink: (adminUrl: string, who: string) => Promise<string | undefined>
}

const usualCheckMs = 15_000
const allBodiesBytes = 4 * 1024 * 1024

const send = (ctx: Ctx, { type, bytes, gzipped }: Asset, cacheControl: string) => {
  ctx.set({ 'Content-Type': type, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' })
  ctx.status = 200
  const isGzipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  if (isGzipped) ctx.set('Content-Encoding', 'gzip')
  ctx.body = isGzipped ? gzipped : bytes
}

/** The console: sign-in, the API of routes.ts, and the files of the page. */
export const startConsole = (deps: ConsoleDeps): Console => {
  const { settings, handlers, accountIds, store, dataDir, trustedProxies, log, sleep, monotonic, clock, stopping } =
    deps
  const { basePath, grants, origin, oidc } = settings
  const keys = consoleKeys(settings.sessionKey ?? keyOfDataDir(dataDir))
  const sessions = sessionsWith({ store, keys, grants, basePath, clock })
  const budget = bodyBudget(allBodiesBytes)
  const redirectUri = `${origin}${basePath}/sign-in/done`
  const flow = oidc && oidcWith({ settings: oidc, redirectUri, key: keys.transaction, clock })
  // Bundled for the first page, not while the bridge starts.
  const assets = memoized(async () => (await import('./assets.ts')).assetsAt(basePath))
  const signIn = signInRouter({
    sessions,
    store,
    basePath,
    styleSheet: `${basePath}/files/any/index.css`,
    grants,
    budget,
    clock,
    sleep,
    log,
    recordActionOf: deps.recordActionOf,
    ...(oidc && flow && { oidc: { ...oidc, flow } }),
    addressOf: clientAddresses(trustedProxies, log),
    failures: failureDelay(monotonic),
  })
  const api = apiRouter({
    handlers,
    accountIds,
    sessions,
    basePath,
    budget,
    log,
    stopping,
    checkMs: deps.checkMs ?? usualCheckMs,
  })
  const first = firstAnswers({ handlers, accountIds, stopping })
  const page = async (ctx: Ctx) => {
    const found = await sessions.read(ctx, isLocal(ctx))
    // Without MongoDB the page is served too, and shows what is wrong: with the menu, if the session was read before.
    const session = E.isLeft(found) ? sessions.lately(ctx, isLocal(ctx)) : found.right
    if (session === undefined && E.isLeft(found)) return send(ctx, (await assets()).page, 'no-store')
    if (session !== undefined) {
      // The data of a page is for pages of the console alone, as that of the API.
      const isRead = E.isRight(found) && ctx.querystring === ''
      const data = isOfOtherSite(ctx)
        ? undefined
        : await first(session, isRead ? ctx.path.slice(basePath.length + 1) : '')
      const { page: plain, pageWith } = await assets()
      return send(ctx, data === undefined ? plain : pageWith(data), 'no-store')
    }
    goTo(ctx, `${basePath}/sign-in?next=${encodeURIComponent(ctx.url)}`)
  }
  const files = new Router<State>({ sensitive: true }).all(`${basePath}{/*path}`, async (ctx: Ctx) => {
    const path = ctx.path.slice(basePath.length + 1)
    const isPage = !/^(api|files)\//.test(path)
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
    if (isRead && isPage) return page(ctx)
    const [, version, name = ''] = /^files\/([^/]+)\/(.+)$/.exec(path) ?? []
    const known = isRead && version !== undefined ? await assets() : undefined
    const asset = known?.files.get(name)
    // A page from a process with another version may request these files too. Its browser must not cache them.
    const keep = version === known?.version ? 'private, max-age=31536000, immutable' : 'no-store'
    if (asset !== undefined) return send(ctx, asset, keep)
    refuse(ctx, isRead || !isPage ? invalid(404, 'path: expected one of the console') : notAllowed('GET, HEAD'))
  })
  const router = new Router<State>({ sensitive: true })
  router.use(guard(origin))
  for (const each of [signIn, api, files]) router.use(each.routes())
  return {
    routers: [router],
    signInLink: (adminUrl, who) => makeLink({ store, clock }, adminUrl, basePath, who),
  }
}
