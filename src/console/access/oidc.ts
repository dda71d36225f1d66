import * as E from 'fp-ts/lib/Either.js'
import { EncryptJWT, jwtDecrypt } from 'jose'
import * as client from 'openid-client'
import { isJsonObject } from '../../shared/json.ts'

export type OidcSettings = { readonly issuer: string; readonly clientId: string; readonly clientSecret: string }

export type OidcDeps = {
  readonly settings: OidcSettings
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string
  /** Encrypts what the browser keeps meanwhile. */
  readonly key: Uint8Array
  readonly clock: () => Date
}

/** `unavailable`: the provider does not answer. `expired`: there is no such sign-in any more. Else it was refused, with a code for the log. */
export type NotSignedIn =
  | { readonly kind: 'unavailable' | 'expired' }
  | { readonly kind: 'refused'; readonly code: string }

export type SignedIn = { readonly who: string; readonly groups: ReadonlyArray<string>; readonly next: string }

/** OpenID Connect's code flow with PKCE, state and nonce. */
export type Oidc = {
  /** Where the browser has to go, and what it has to keep until it comes back. */
  readonly begin: (
    next: string,
  ) => Promise<E.Either<NotSignedIn, { readonly location: string; readonly transaction: string }>>
  /** Who came back, by the query of the URL and by what was kept. */
  readonly finish: (search: string, transaction: string | undefined) => Promise<E.Either<NotSignedIn, SignedIn>>
}

export const transactionLastsMs = 10 * 60 * 1000
const answerWithinSeconds = 5

/** As the provider wants it; those that do not say want the header (OpenID Connect Discovery, section 3). */
const authenticate = (secret: string): client.ClientAuth => {
  const [post, basic] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)]
  return (server, ...others) => {
    const inBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post')
    return (inBody ? post : basic)(server, ...others)
  }
}

const wanted = ['profile', 'email', 'groups']

/** Those that the provider has: some refuse a request for a scope that they do not know. */
const scopeOf = ({ scopes_supported: offered }: client.ServerMetadata): string =>
  ['openid', ...wanted.filter((scope) => (offered ?? ['profile', 'email']).includes(scope))].join(' ')

const texts = (value: unknown): ReadonlyArray<string> =>
  [value].flat().filter((each): each is string => typeof each === 'string')

/** By which name the audit log knows a person: an address that nobody has verified may be another person's. Some providers say so in text. */
const whoOf = ({ email, email_verified, preferred_username, sub }: Readonly<Record<string, unknown>>): string =>
  texts([String(email_verified) === 'true' ? email : undefined, preferred_username, sub])[0] ?? ''

/** A code of the protocol or of the library: their messages may hold what was sent. */
const codeOf = (error: unknown): string => {
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError)
    return /^\w{1,40}$/.test(error.error) ? error.error : 'error'
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

const notAnswered = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'unknown'])

const notSignedIn = (error: unknown): NotSignedIn => {
  const code = codeOf(error)
  return notAnswered.has(code) ? { kind: 'unavailable' } : { kind: 'refused', code }
}

const attempt = <A>(asked: Promise<A>): Promise<E.Either<NotSignedIn, A>> =>
  asked.then(
    (answer) => E.right(answer),
    (error: unknown) => E.left(notSignedIn(error)),
  )

type Transaction = { readonly state: string; readonly nonce: string; readonly verifier: string; readonly next: string }

export const oidcWith = ({ settings, redirectUri, key, clock }: OidcDeps): Oidc => {
  const { issuer, clientId, clientSecret } = settings
  let configuration: Promise<client.Configuration> | undefined
  /** Asked once; again after a failure. */
  const discovered = () => {
    configuration ??= client
      .discovery(new URL(issuer), clientId, undefined, authenticate(clientSecret), {
        timeout: answerWithinSeconds,
        execute: [
          // The signature of the ID token is checked too, and not only where it came from.
          client.enableNonRepudiationChecks,
          ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      })
      .catch((error: unknown) => {
        configuration = undefined
        throw error
      })
    return configuration
  }
  const seal = (transaction: Transaction) =>
    new EncryptJWT({ ...transaction })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(new Date(clock().getTime() + transactionLastsMs))
      .encrypt(key)
  const open = async (sealed: string): Promise<Transaction | undefined> => {
    const rules = { keyManagementAlgorithms: ['dir'], currentDate: clock() }
    const opened = await jwtDecrypt<Transaction>(sealed, key, rules).catch(() => undefined)
    return opened?.payload
  }
  /** What the ID token says; groups that it lacks are asked for. */
  const claimsOf = async (config: client.Configuration, tokens: Awaited<ReturnType<typeof redeem>>) => {
    const claims = tokens.claims()
    if (claims === undefined) return {}
    if (claims.groups !== undefined || config.serverMetadata().userinfo_endpoint === undefined) return claims
    return { ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims }
  }
  const redeem = (config: client.Configuration, search: string, { state, nonce, verifier }: Transaction) =>
    client.authorizationCodeGrant(config, new URL(search, redirectUri), {
      ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
    })
  return {
    begin: (next) =>
      attempt(
        (async () => {
          const config = await discovered()
          const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
          const location = client.buildAuthorizationUrl(config, {
            ...{ redirect_uri: redirectUri, scope: scopeOf(config.serverMetadata()), state, nonce },
            code_challenge: await client.calculatePKCECodeChallenge(verifier),
            code_challenge_method: 'S256',
          })
          return { location: location.href, transaction: await seal({ state, nonce, verifier, next }) }
        })(),
      ),
    finish: async (search, sealed) => {
      const transaction = sealed === undefined ? undefined : await open(sealed)
      if (transaction === undefined) return E.left({ kind: 'expired' })
      return attempt(
        (async () => {
          const config = await discovered()
          const claims = await claimsOf(config, await redeem(config, search, transaction))
          if (!isJsonObject(claims)) throw new Error('no claims')
          return { who: whoOf(claims), groups: texts(claims.groups), next: transaction.next }
        })(),
      )
    },
  }
}
