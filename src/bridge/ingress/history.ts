import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { Id } from '../../../contracts/primitives.ts'
import type { Account } from '../domain/accounts.ts'
import { type ChatName, mostHistoryMessages } from '../domain/chat-history.ts'
import { type Answer, answering, type Ctx, invalid, notAllowed, type Refusal, type State } from '../http/answer.ts'
import { reasonOf } from '../shared/fault.ts'
import { fairSemaphore } from '../shared/semaphore.ts'
import { within } from '../shared/timeout.ts'
import { refuseSecret, type Shared, sameSecret } from './admission.ts'
import { tooManyRequests } from './refusal.ts'

const route = '/history/:accountId/:chatId'
const usualMessages = 20
/** How often the views are asked for an event that they do not have yet. */
const againMs = 50

const wrongToken: Refusal = {
  status: 401,
  code: 'unauthorized_client',
  message: 'Authorization: expected Bearer and the history token of the account in the path',
  headers: { 'WWW-Authenticate': 'Bearer' },
}
const unknownChat = invalid(404, 'path: expected a chat that the views have')
const wrongLast = invalid(400, `last: expected a whole number from 1 to ${mostHistoryMessages}`)
const wrongAfter = invalid(400, 'after: expected the ce_id of an event, once')
const tooEarly: Refusal = {
  status: 425,
  code: 'temporarily_unavailable',
  message: 'after: the views do not have this event yet, ask again',
  headers: { 'Retry-After': '1' },
}
const unavailable: Refusal = {
  status: 503,
  code: 'temporarily_unavailable',
  message: 'the history cannot be read now, ask again',
  headers: { 'Retry-After': '1' },
}
const noStore = { 'Cache-Control': 'no-store' }

type Asked = { readonly last: number; readonly after: string | undefined }

/** What the query asks for. Other parameters are ignored. */
const askedIn = ({ last, after }: Ctx['query']): E.Either<Refusal, Asked> => {
  const isNumber = last === undefined || (typeof last === 'string' && /^[0-9]{1,3}$/.test(last))
  const count = last === undefined ? usualMessages : Number(last)
  if (!isNumber || count < 1 || count > mostHistoryMessages) return E.left(wrongLast)
  return after === undefined || Id.is(after) ? E.right({ last: count, after }) : E.left(wrongAfter)
}

/** Every known token is compared, so the time of the answer says nothing about tokens or accounts. */
const hasToken = (account: Account | undefined, header: string): boolean => {
  const { historyToken, secondHistoryToken = historyToken } = account?.bot ?? {}
  const token = /^Bearer (.+)$/i.exec(header)?.[1]?.trim() ?? ''
  const same = [historyToken, secondHistoryToken].map((known) => sameSecret(token, known ?? ''))
  return historyToken !== undefined && token !== '' && same.includes(true)
}

/**
 * What was said in a chat, for the account's bots. A bot asks while its client waits, and webhooks go on meanwhile: few
 * histories are read at once, each within its time, and the accounts have turns.
 */
export const historyRouter = (shared: Shared) => {
  const { accounts, history, limits, rateLimit, monotonic, sleep, log } = shared
  const byId = new Map<string, Account>(accounts.map((account) => [account.id, account]))
  const acquire = fairSemaphore(limits.historiesAtOnce)

  const isInViews = async (chat: ChatName, eventId: string, signal: AbortSignal): Promise<boolean> => {
    const until = monotonic() + limits.historyWaitMs
    for (;;) {
      if (await read(chat, () => history.has(chat, eventId), signal)) return true
      if (monotonic() + againMs >= until || signal.aborted) return false
      await sleep(againMs)
    }
  }
  const read = async <A>({ accountId }: ChatName, query: () => Promise<A>, signal: AbortSignal): Promise<A> => {
    using _permit = await acquire(accountId, signal)
    if (signal.aborted) throw new Error('nobody waits for the history any more')
    return await query()
  }
  const find = async (
    chat: ChatName,
    { last, after }: Asked,
    signal: AbortSignal,
  ): Promise<E.Either<Refusal, Answer>> => {
    try {
      if (after !== undefined && !(await isInViews(chat, after, signal))) return E.left(tooEarly)
      const found = await read(chat, () => history.read(chat, last), signal)
      return found === undefined ? E.left(unknownChat) : E.right({ status: 200, body: found, headers: noStore })
    } catch (error) {
      log.warn({ accountId: chat.accountId, reason: reasonOf(error) }, 'a history could not be read')
      return E.left(unavailable)
    }
  }

  const handle = answering('history', route, log, async (ctx) => {
    if (ctx.method !== 'GET') return E.left(notAllowed('GET'))
    const { accountId = '', chatId = '' } = ctx.params
    const account = byId.get(accountId)
    if (account === undefined || !hasToken(account, ctx.get('authorization')))
      return refuseSecret(shared, ctx, wrongToken)
    Object.assign(ctx.state, { accountId: account.id, isAdmitted: true })
    if (!rateLimit(account)) return E.left(tooManyRequests)
    const asked = askedIn(ctx.query)
    if (E.isLeft(asked)) return asked
    const leaving = new AbortController()
    ctx.res.once('close', () => leaving.abort())
    const found = find({ accountId: account.id, chatId }, asked.right, leaving.signal)
    return within(limits.historyMs, found, () => {
      leaving.abort()
      return E.left(unavailable)
    })
  })
  return new Router<State>({ sensitive: true }).all(route, handle)
}
