import * as E from 'fp-ts/lib/Either.js'
import { EncryptJWT, jwtDecrypt } from 'jose'
import * as client from 'openid-client'
import { isJsonObject } from '../../bridge/shared/json.ts'
import { memoized } from '../../bridge/shared/memoized.ts'

export type OidcSettings = { readonly issuer: string; readonly clientId: string; readonly clientSecret: string }

export type OidcDeps = {
  readonly settings: OidcSettings
  /** The provider redirects the browser to this URL. */
  readonly redirectUri: string
  /** Encrypts the data that the browser stores during the sign-in. */
  readonly key: Uint8Array
  readonly clock: () => Date
}

/** `unavailable`: the provider does not respond. `expired`: the sign-in no longer exists. `code` is for the log. */
export type NotSignedIn =
  | { readonly kind: 'unavailable' | 'expired' }
  | { readonly kind: 'refused'; readonly code: string }

export type SignedIn = { readonly who: string; readonly groups: ReadonlyArray<string>; readonly next: string }

/** OpenID Connect's code flow with PKCE, state and nonce. */
export type Oidc = {
  /** The URL for the browser, and the data that the browser must store until it returns. */
  readonly begin: (
    next: string,
  ) => Promise<
    E.Either<NotSignedIn, { readonly location: string; readonly state: string; readonly transaction: string }>
  >
  /** The person who has signed in, from the query of the URL and the stored data. */
  readonly finish: (search: string, transaction: string | undefined) => Promise<E.Either<NotSignedIn, SignedIn>>
}

export const transactionLastsMs = 10 * 60 * 1000
const answerWithinSeconds = 5

/** The method that the provider supports. The default is the header (OpenID Connect Discovery, section 3). */
const authenticate = (secret: string): client.ClientAuth => {
  const [post, basic] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)]
  return (server, ...others) => {
    const inBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post')
    return (inBody ? post : basic)(server, ...others)
  }
}

const wanted = ['profile', 'email', 'groups']

/** The wanted scopes that the provider supports. Some providers refuse a request with an unknown scope. */
const scopeOf = ({ scopes_supported: offered }: client.ServerMetadata): string =>
  ['openid', ...wanted.filter((scope) => (offered ?? ['profile', 'email']).includes(scope))].join(' ')

const texts = (value: unknown): ReadonlyArray<string> =>
  [value].flat().filter((each): each is string => typeof each === 'string')

/**
 * The name in the audit log: the first that is not empty. An unverified email may be another person's. Some providers
 * send the flag as text.
 */
const whoOf = ({ email, email_verified, preferred_username, sub }: Readonly<Record<string, unknown>>): string =>
  texts([String(email_verified) === 'true' ? email : undefined, preferred_username, sub]).find(
    (name) => name.trim() !== '',
  ) ?? ''

/** The error code of the protocol or library. Messages may contain data of the request, so they are not logged. */
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
  /** Requests the provider's metadata once. After a failure, the next call requests it again. */
  const discovered = memoized(() =>
    client.discovery(new URL(issuer), clientId, undefined, authenticate(clientSecret), {
      timeout: answerWithinSeconds,
      execute: [
        // The library also checks the signature of the ID token, not only the TLS connection.
        client.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
      ],
    }),
  )
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
  /** The claims of the ID token. If it has no groups, claims of the userinfo endpoint are added. */
  const claimsOf = async (config: client.Configuration, tokens: Awaited<ReturnType<typeof redeem>>) => {
    const claims = tokens.claims()
    if (claims === undefined) return {}
    if (claims.groups !== undefined || config.serverMetadata().userinfo_endpoint === undefined) return claims
    return { ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims }
  }
  const redeem = (config: client.Configuration, search: string, { state, nonce, verifier }: Transaction) =>
    client.authorizationCodeGrant(config, new URL(search, redirectUri), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
  return {
    begin: (next) =>
      attempt(
        (async () => {
          const config = await discovered()
          const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
          const location = client.buildAuthorizationUrl(config, {
            redirect_uri: redirectUri,
            scope: scopeOf(config.serverMetadata()),
            state,
            nonce,
            code_challenge: await client.calculatePKCECodeChallenge(verifier),
            code_challenge_method: 'S256',
          })
          return { location: location.href, state, transaction: await seal({ state, nonce, verifier, next }) }
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
