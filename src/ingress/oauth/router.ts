import Router from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Account } from '../../domain/accounts.ts'
import type { IssueToken, Log } from '../../domain/ports.ts'
import { answering } from '../answering.ts'
import { readBody } from '../body.ts'
import type { State } from '../context.ts'
import type { Limits } from '../limits.ts'
import { notAllowed } from '../refusal.ts'
import { sameSecret } from '../tokens.ts'
import { grantOf, invalidClient } from './grant.ts'
import { parametersOf } from './parameters.ts'

export type OauthDeps = {
  readonly accounts: ReadonlyArray<Account>
  readonly issue: IssueToken
  readonly limits: Limits
  readonly log: Log
}

const route = '/oauth/token'
const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

/** The client-credentials grant of OAuth 2.0 (RFC 6749, sections 4.4 and 5): an access token for Interface B. */
export const oauthRouter = ({ accounts, issue, limits, log }: OauthDeps) => {
  const clients = new Map(
    accounts.flatMap((account) => {
      const authorization = account.bot?.authorization
      if (authorization === undefined) return []
      const { clientId, secretKey, secondSecretKey = secretKey } = authorization
      return [[clientId, { account, secrets: [secretKey, secondSecretKey] }]]
    }),
  )
  const handle = answering('oauth', route, log, async (ctx) => {
    if (ctx.method !== 'POST') return E.left(notAllowed('POST'))
    const body = await readBody(ctx.req, limits)
    const granted = pipe(
      body,
      E.chain((bytes) => parametersOf(ctx.get('content-type'), bytes)),
      E.chain((parameters) => grantOf(ctx.get('authorization'), parameters)),
    )
    if (E.isLeft(granted)) return granted
    const { clientId, secret, basic } = granted.right
    const client = clients.get(clientId)
    const isKnown = (client?.secrets ?? ['', '']).map((known) => sameSecret(secret, known)).includes(true)
    if (!isKnown || client === undefined) return E.left(invalidClient(basic))
    ctx.state.accountId = client.account.id
    const { token, expiresIn } = await issue(client.account)
    const granting = { access_token: token, token_type: 'Bearer', expires_in: expiresIn }
    return E.right({ status: 200, body: granting, headers: noStore })
  })
  return new Router<State>({ sensitive: true }).all(route, handle)
}
