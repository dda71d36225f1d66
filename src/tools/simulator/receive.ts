import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import { BotRequest } from '../../../contracts/bot-api/outbound.ts'
import { messageTypeOf } from '../../../contracts/messages/index.ts'
import { fieldNamesOf } from '../../../contracts/primitives.ts'
import { describe, problemsOf } from '../../../contracts/problem.ts'
import { percentDecoded } from '../../bridge/shared/text.ts'
import type { ServiceAccount } from './account.ts'
import type { Script } from './behaviour.ts'
import type { ChatChange } from './chat.ts'
import { type Means, perform } from './perform.ts'
import { errorBody, type Refusal } from './refusal.ts'
import type { State } from './state.ts'

const invalid = (message: string) => E.left<Refusal>({ status: 400, code: 'invalid_request', message })

const ofEvent = new Map(BotRequest.types.map((codec) => [codec.props.event.value, fieldNamesOf(codec)]))

const unsupported = (value: object, known: ReadonlyArray<string> = []) =>
  Object.keys(value).filter((key) => !known.includes(key))

const unsupportedFields = (request: BotRequest) => [
  ...unsupported(request, ofEvent.get(request.event)),
  ...(request.event === 'BOT_MESSAGE'
    ? unsupported(request.message, fieldNamesOf(messageTypeOf(request.message).outbound))
    : []),
]

const refusalsOf = (request: BotRequest) =>
  request.event === 'BOT_MESSAGE' ? messageTypeOf(request.message).refusals(request.message) : []

const eventOf = (json: object) => ('event' in json ? json.event : undefined)

const parse = (body: Buffer) =>
  E.tryCatch(
    (): unknown => JSON.parse(body.toString()),
    () => undefined,
  )

/**
 * A bot's request, decoded. Left: 405 for an event that a bot cannot send, 400 for all else: not application/json (the
 * protocol has no 415), not JSON, a missing, wrong or unknown field, too many buttons (protocol, Errors, Limits).
 */
export const readBody = (contentType: string | undefined, body: Buffer): E.Either<Refusal, BotRequest> => {
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) return invalid('content-type: expected application/json')
  const json = isUtf8(body) ? parse(body) : E.left(undefined)
  if (E.isLeft(json) || typeof json.right !== 'object' || json.right === null)
    return invalid('body: expected a JSON object')
  const event = eventOf(json.right)
  if (typeof event === 'string' && event !== 'BOT_MESSAGE' && event !== 'INVITE_AGENT')
    return E.left({ status: 405, code: 'invalid_request', message: 'event: expected BOT_MESSAGE or INVITE_AGENT' })
  const request = BotRequest.decode(json.right)
  if (E.isLeft(request)) return invalid(describe(problemsOf(request.left)))
  const unknown = unsupportedFields(request.right)
  if (unknown.length > 0) return invalid(`not supported: ${unknown.join(', ')}`)
  const [refusal] = refusalsOf(request.right)
  return refusal === undefined ? request : invalid(refusal)
}

const refuse = (status: number, code: string, message: string, headers?: Readonly<Record<string, string>>) =>
  E.left<Refusal>({ status, code, message, ...(headers && { headers }) })

/**
 * The account of a request, by `/webhooks/<provider_id>/<token>` or, with an access token,
 * `/providers/<provider_id>/<token>` (protocol, Endpoints). Left (protocol, Errors): 404 malformed, 405 not POST, 401
 * unknown token, 403 another provider's token.
 */
export const readAddress = <A extends ServiceAccount>(
  method: string,
  path: string,
  accounts: ReadonlyArray<A>,
): E.Either<Refusal, { readonly account: A; readonly withAccessToken: boolean }> => {
  const [, kind, ...segments] = /^\/(webhooks|providers)\/([^/?#]+)\/([^/?#]+)$/.exec(path) ?? []
  const [providerId, token] = segments.map(percentDecoded)
  if (kind === undefined || providerId === undefined || token === undefined)
    return refuse(404, 'invalid_request', 'the address is /webhooks/<provider_id>/<token> or /providers/…')
  if (method !== 'POST') return refuse(405, 'invalid_request', 'only POST is supported', { Allow: 'POST' })
  const account = accounts.find((one) => one.token === token)
  if (account === undefined) return refuse(401, 'invalid_client', 'no channel has this token')
  if (account.providerId !== providerId) return refuse(403, 'invalid_request', 'the token is another provider’s')
  return E.right({ account, withAccessToken: kind === 'providers' })
}

/** Whether the value of an `Authorization` header is an access token that the account accepts. */
export type AcceptToken = (accountId: string, token: string) => boolean | Promise<boolean>

export type Incoming = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

type Deps = {
  readonly accounts: () => ReadonlyArray<ServiceAccount>
  readonly state: State
  readonly accepts: AcceptToken
  readonly script: Script
  readonly now: () => number
}

const unauthorized: E.Either<Refusal, never> = E.left({
  status: 401,
  code: 'unauthorized_client',
  message: 'Authorization: expected the access token of this account',
})

const changeOf = (event: BotRequest): ChatChange =>
  event.event === 'BOT_MESSAGE'
    ? { kind: 'bot-wrote', id: event.id, message: event.message }
    : { kind: 'agent-invited', by: 'bot', id: event.id }

const text = (header: string | string[] | undefined) => (Array.isArray(header) ? undefined : header)

/** Checks a bot's request as strictly as the protocol, does what the script says, and records everything. */
export const createReceiver = ({ accounts, state, accepts, script, now }: Deps) => {
  const check = async ({ method, path, headers, body }: Incoming) => {
    const address = readAddress(method, path, accounts())
    if (E.isLeft(address)) return address
    const { account, withAccessToken } = address.right
    // An account with authorization has only the address with an access token. Other accounts have only the other.
    const token = text(headers.authorization)
    if (withAccessToken !== (account.authorization !== undefined)) return unauthorized
    if (withAccessToken && (token === undefined || !(await accepts(account.id, token)))) return unauthorized
    const event = readBody(text(headers['content-type']), body)
    return E.isLeft(event) ? event : E.right({ accountId: account.id, event: event.right })
  }

  return async (incoming: Incoming, means: Omit<Means, 'apply'>) => {
    const { method, path, headers, body } = incoming
    const note = state.record({ at: now(), method, path, headers, body: body.toString() })
    const checked = await check(incoming)
    if (E.isLeft(checked)) {
      note({ refusal: checked.left })
      return means.answer(checked.left.status, errorBody(checked.left), checked.left.headers)
    }
    const { accountId, event } = checked.right
    const attempt = state.count(accountId, event.id)
    const behaviour = script({ chatId: event.chat_id, id: event.id, attempt }) ?? { kind: 'regular' }
    note({ accountId, event, behaviour })
    const apply = () => {
      note({ applied: true })
      state.change(accountId, event.chat_id, changeOf(event))
    }
    return perform(behaviour, { ...means, apply })
  }
}
export type Receive = ReturnType<typeof createReceiver>
