import * as E from 'fp-ts/lib/Either.js'
import { fairSemaphore } from '../bridge/shared/semaphore.ts'
import { percentDecoded } from '../bridge/shared/text.ts'
import { within } from '../bridge/shared/timeout.ts'
import { decideAccess } from './access/grants.ts'
import type { Session } from './page.ts'
import { type ConsoleHandlers, rolesOf } from './routes.ts'

/** What the server writes into the page, so that the script can draw it without a request. */
export type FirstAnswer = {
  /** The answer of `GET /api/session`. */
  readonly session: object
  /** The path below `/api/` of the page's first request, and its answer. */
  readonly path?: string
  readonly answer?: unknown
}

type Deps = {
  readonly handlers: ConsoleHandlers
  readonly accountIds: ReadonlyArray<string>
  readonly stopping: AbortSignal
}

/** If the views take longer, the page is sent without them, and shows that it waits. */
const withinMs = 250
/**
 * How many pages read the views at the same time, in all and of one account. Others wait as long as for the views, and
 * then request their data by the API, which has its own limits.
 */
const readsAtOnce = { inAll: 6, ofOne: 4 }

const pages = /^accounts\/([\w.~%-]+)\/(?:now|conversations(?:\/([\w.~%-]+))?)$/

const routeOf = (path: string, chat: string | undefined) =>
  chat !== undefined
    ? 'GET /api/accounts/:account/conversations/:chat'
    : path.endsWith('/now')
      ? 'GET /api/accounts/:account/now'
      : 'GET /api/accounts/:account/conversations'

/** Answers the first requests of a page: the session, and what the page shows if its views answer at once. */
export const firstAnswers = ({ handlers, accountIds, stopping }: Deps) => {
  const acquire = fairSemaphore(readsAtOnce)
  const read = async (session: Session, path: string): Promise<unknown> => {
    const [, account, chat] = pages.exec(path) ?? []
    if (account === undefined) return undefined
    const [accountId, chatId] = [percentDecoded(account), percentDecoded(chat ?? '')]
    const route = routeOf(path, chat)
    if (accountId === undefined || chatId === undefined) return undefined
    if (decideAccess(rolesOf(route), session.grants, accountIds, accountId) !== 'allowed') return undefined
    if (stopping.aborted) return undefined
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(withinMs)])
    const query = new URLSearchParams()
    const answered = async (): Promise<E.Either<unknown, { readonly body: unknown }> | undefined> => {
      using _permit = await acquire(accountId, signal)
      if (signal.aborted) return undefined
      return await handlers[route]({
        session,
        accountId,
        chatId,
        query,
        body: undefined,
        signal,
      })
    }
    // If it fails, the page requests it again, and shows the error.
    const ended = answered().catch(() => undefined)
    const first = await within(withinMs, ended, () => undefined)
    return first !== undefined && E.isRight(first) ? first.right.body : undefined
  }
  return async (session: Session, path: string): Promise<FirstAnswer | undefined> => {
    if (session.grants.length === 0) return undefined
    const request = { session, accountId: '', chatId: '', query: new URLSearchParams(), body: undefined }
    const [told, answer] = await Promise.all([
      handlers['GET /api/session']({ ...request, signal: stopping }),
      read(session, path),
    ])
    if (E.isLeft(told)) return undefined
    return { session: told.right.body, ...(answer !== undefined && { path, answer }) }
  }
}
