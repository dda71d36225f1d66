import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Account } from '../domain/accounts.ts'
import { readJson } from '../domain/read-json.ts'
import { answering, invalid, notAllowed, type Refusal, type State } from '../http/answer.ts'
import { readBody } from '../http/body.ts'
import { isJsonObject, type JsonObject } from '../shared/json.ts'
import { percentDecoded } from '../shared/text.ts'
import { isType, refuseSecret, type Shared, sameSecret } from './admission.ts'
import { incomplete, noMemory, tooLarge } from './refusal.ts'

type Parameters = ReadonlyMap<string, string>
type Entries = ReadonlyArray<readonly [string, string]>
/** The client that requests a token. `basic`: it used the Authorization header. */
type Credentials = { readonly clientId: string; readonly secret: string; readonly basic: boolean }

const invalidRequest = (message: string): E.Either<Refusal, never> => E.left(invalid(400, message))

/** 401. It names the scheme if the client used the header (RFC 6749, section 5.2). */
const invalidClient = (basic: boolean): Refusal => ({
  status: 401,
  code: 'invalid_client',
  message: 'client_id, client_secret: expected those of an account',
  ...(basic && { headers: { 'WWW-Authenticate': 'Basic realm="livechat-bridge", charset="UTF-8"' } }),
})

const ofForm = (body: Buffer): E.Either<Refusal, Entries> => E.right([...new URLSearchParams(body.toString())])

const ofJson = (value: JsonObject): E.Either<Refusal, Entries> => {
  const entries = Object.entries(value)
  const texts = entries.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text] as const] : []))
  return texts.length === entries.length ? E.right(texts) : invalidRequest('body: expected text in each parameter')
}

const [form, json] = ['application/x-www-form-urlencoded', 'application/json'] as const

/** A body that is a JSON object is JSON, whatever its type says. */
const entriesOf = (contentType: string, body: Buffer): E.Either<Refusal, Entries> => {
  const value = readJson(body)
  if (E.isRight(value) && isJsonObject(value.right)) return ofJson(value.right)
  if (isType(contentType, form)) return ofForm(body)
  return invalidRequest(
    isType(contentType, json)
      ? 'body: expected a JSON object, each parameter once'
      : `Content-Type: expected ${form} or ${json}`,
  )
}

/** A token request's parameters. Empty ones count as absent, repeated ones are refused (RFC 6749, section 3.2). */
const parametersOf = (contentType: string, body: Buffer): E.Either<Refusal, Parameters> => {
  const entries = entriesOf(contentType, body)
  if (E.isLeft(entries)) return entries
  const names = new Set(entries.right.map(([name]) => name))
  if (names.size < entries.right.length) return invalidRequest('body: expected each parameter once')
  return E.right(new Map(entries.right.filter(([, value]) => value !== '')))
}

const formDecoded = (text: string) => E.fromNullable(invalidClient(true))(percentDecoded(text.replaceAll('+', ' ')))

/** The header's client id and secret. Each is form-encoded before they are joined (section 2.3.1). */
const ofHeader = (header: string): E.Either<Refusal, Credentials> => {
  const encoded = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(header.trim())?.[1]
  const text = Buffer.from(encoded ?? '', 'base64').toString()
  const colon = text.indexOf(':')
  return colon === -1
    ? E.left(invalidClient(true))
    : pipe(
        formDecoded(text.slice(0, colon)),
        E.chain((clientId) =>
          E.map((secret: string) => ({ clientId, secret, basic: true }))(formDecoded(text.slice(colon + 1))),
        ),
      )
}

const credentialsOf = (header: string, parameters: Parameters): E.Either<Refusal, Credentials> => {
  const clientId = parameters.get('client_id')
  const secret = parameters.get('client_secret')
  if (header !== '' && secret !== undefined)
    return invalidRequest('expected credentials in the header or the body, not both')
  if (header === '')
    return clientId === undefined || secret === undefined
      ? E.left(invalidClient(false))
      : E.right({ clientId, secret, basic: false })
  return pipe(
    ofHeader(header),
    E.filterOrElse(
      (credentials) => clientId === undefined || clientId === credentials.clientId,
      () => invalid(400, 'client_id: expected that of the header'),
    ),
  )
}

/** The credentials of a client-credentials request (section 4.4.2), not checked yet. `header` is '' if missing. */
const grantOf = (header: string, parameters: Parameters): E.Either<Refusal, Credentials> => {
  const grantType = parameters.get('grant_type')
  if (grantType === undefined) return invalidRequest('grant_type: expected client_credentials')
  return grantType === 'client_credentials'
    ? credentialsOf(header, parameters)
    : E.left({ status: 400, code: 'unsupported_grant_type', message: 'grant_type: expected client_credentials' })
}

const route = '/oauth/token'
const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

/**
 * The client-credentials grant of OAuth 2.0 (RFC 6749, sections 4.4 and 5): an access token for Interface B. Anybody
 * can send such a request. So the body must be small, its memory is not that of accounts' bodies, and the server does
 * not wait for the rest of a large one. Failures count for the address alone: a client id proves nothing, and if they
 * counted for its account too, the delay would tell which ids exist.
 */
export const oauthRouter = (shared: Shared) => {
  const { accounts, issue, limits, budget, addressOf, log } = shared
  const clients = new Map<string, { readonly account: Account; readonly secrets: ReadonlyArray<string> }>(
    accounts.flatMap((account) => {
      const authorization = account.bot?.authorization
      if (authorization === undefined) return []
      const { clientId, secretKey, secondSecretKey = secretKey } = authorization
      return [[clientId, { account, secrets: [secretKey, secondSecretKey] }]]
    }),
  )
  const handle = answering('oauth', route, log, async (ctx) => {
    if (ctx.method !== 'POST') return E.left(notAllowed('POST'))
    const body = await readBody(ctx.req, {
      maxBytes: limits.tokenBodyBytes,
      drainMs: 0,
      budget,
      owner: addressOf(ctx.req),
    })
    if (E.isLeft(body)) {
      if (body.left.kind === 'too-large') return E.left(tooLarge(limits.tokenBodyBytes))
      return E.left(body.left.kind === 'incomplete' ? incomplete : noMemory)
    }
    ctx.res.once('close', body.right.release)
    const granted = pipe(
      parametersOf(ctx.get('content-type'), body.right.bytes),
      E.chain((parameters) => grantOf(ctx.get('authorization'), parameters)),
    )
    if (E.isLeft(granted)) return granted
    const { clientId, secret, basic } = granted.right
    const client = clients.get(clientId)
    const isKnown = (client?.secrets ?? ['', '']).map((known) => sameSecret(secret, known)).includes(true)
    if (!isKnown || client === undefined) return refuseSecret(shared, ctx, invalidClient(basic))
    Object.assign(ctx.state, { accountId: client.account.id, isAdmitted: true })
    const { token, expiresIn } = await issue(client.account)
    const granting = { access_token: token, token_type: 'Bearer', expires_in: expiresIn }
    return E.right({ status: 200, body: granting, headers: noStore })
  })
  return new Router<State>({ sensitive: true }).all(route, handle)
}
