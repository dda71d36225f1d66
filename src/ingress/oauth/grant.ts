import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Refusal } from '../refusal.ts'
import { invalidRequest, type Parameters } from './parameters.ts'

/** Who asks for a token; `basic`: the Authorization header was used. */
export type Credentials = { readonly clientId: string; readonly secret: string; readonly basic: boolean }

/** 401, and the scheme is named where the client used the header (RFC 6749, section 5.2). */
export const invalidClient = (basic: boolean): Refusal => ({
  status: 401,
  code: 'invalid_client',
  message: 'client_id, client_secret: expected those of an account',
  ...(basic && { headers: { 'WWW-Authenticate': 'Basic realm="livechat-bridge", charset="UTF-8"' } }),
})

const formDecoded = (text: string) =>
  E.tryCatch(
    () => decodeURIComponent(text.replaceAll('+', ' ')),
    () => invalidClient(true),
  )

/** The header's client id and secret, each form-encoded before they are joined (section 2.3.1). */
const ofHeader = (header: string): E.Either<Refusal, Credentials> => {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header)?.[1]
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  return id === undefined || secret === undefined
    ? E.left(invalidClient(true))
    : pipe(
        formDecoded(id),
        E.chain((clientId) =>
          E.map((decoded: string) => ({ clientId, secret: decoded, basic: true }))(formDecoded(secret)),
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
      (): Refusal => ({ status: 400, code: 'invalid_request', message: 'client_id: expected that of the header' }),
    ),
  )
}

/** A client-credentials request (section 4.4.2): its credentials, not yet checked. `header` is '' where it is missing. */
export const grantOf = (header: string, parameters: Parameters): E.Either<Refusal, Credentials> => {
  const grantType = parameters.get('grant_type')
  if (grantType === undefined) return invalidRequest('grant_type: expected client_credentials')
  return grantType === 'client_credentials'
    ? credentialsOf(header, parameters)
    : E.left({ status: 400, code: 'unsupported_grant_type', message: 'grant_type: expected client_credentials' })
}
