import * as E from 'fp-ts/lib/Either.js'
import { percentDecoded } from '../../bridge/shared/text.ts'
import type { ServiceAccount } from './account.ts'
import type { Refusal } from './refusal.ts'

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
